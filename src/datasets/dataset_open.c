/* The table of datasets, and how one is opened and closed: see dataset_open.h. */
#include "datasets/dataset_open.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_labels.h"
#include "datasets/splits.h"
#include "datasets/suggest_yaml.h"
#include "sampling/item.h"

extern const struct dataset_type dataset_synth, dataset_folder, dataset_modelnet_npz,
    dataset_shapenet_npz, dataset_modelnet, dataset_shapenet, dataset_scannet, dataset_rooms;

/* Probed in this order: the first that knows the path takes it. */
static const struct dataset_type *const types[] = {
    &dataset_synth,    &dataset_folder,   &dataset_modelnet_npz, &dataset_shapenet_npz,
    &dataset_modelnet, &dataset_shapenet, &dataset_scannet,      &dataset_rooms,
};
enum { TYPES = sizeof types / sizeof *types };

/* *out is NULL if no type takes the path. */
static int find_type(const struct dataset_type **out, const char *path)
{
    *out = NULL;
    for (int i = 0; i < TYPES; i++) {
        int yes = types[i]->probe(path);
        if (yes < 0)
            return yes;
        if (yes) {
            *out = types[i];
            return 0;
        }
    }
    return file_exists(path)
               ? 0
               : error_topic(error_in(GLT_EIO, path, "there is no such file or folder"),
                             GLT_TOPIC_NOT_FOUND, NULL);
}

int dataset_is_cloud(bool *out, const char *path)
{
    const struct dataset_type *type;
    TRY(find_type(&type, path));
    *out = (!type || type == &dataset_rooms) && file_exists(path) && !file_is_folder(path);
    return 0;
}

static int open_as(struct dataset *d, const struct dataset_type *type)
{
    d->type = type;
    if (file_is_folder(d->path) && !(d->folder = memory_string(d->path)))
        return GLT_ENOMEM;
    TRY(type->open(d));
    int code = classes_check_unique(&d->classes);
    if (code < 0)
        return error_prefix_file(code == GLT_EARGUMENT ? GLT_EDATA : code, d->path);
    TRY(splits_settle(d));
    return dataset_items_create(d);
}

int dataset_open(struct dataset **out, const char *path, const struct data_settings *settings,
                 int64_t seed)
{
    const struct dataset_type *type;
    struct dataset *d;
    TRY(find_type(&type, path));
    if (!type)
        return suggest_yaml(path);
    TRY(dataset_create(&d, path, settings));
    d->seed = seed;
    int code = open_as(d, type);
    if (code < 0)
        dataset_close(d);
    else
        *out = d;
    return code;
}

/* --- one cloud by the classes of a model --- */

static int load_cloud(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct glt_cloud *c = d->state;
    TRY(item_from_cloud(x, c, &d->inputs, e->name));
    x->category = e->category;
    return dataset_label(x, d, e, c, e->name);
}

static const struct dataset_type one_cloud = {
    .name = "cloud", .about = "one cloud", .load = load_cloud};

int dataset_open_cloud(struct dataset **out, const struct glt_cloud *c, const char *name,
                       const struct data_settings *settings, int32_t task,
                       const struct classes *classes)
{
    struct dataset *d;
    struct entry e = {.name = (char *)name, .path = (char *)name, .category = -1};
    TRY(dataset_create(&d, name, settings));
    d->type = &one_cloud;
    d->task = task;
    d->state = (void *)c;
    int code = classes_copy(&d->classes, classes);
    if (code == 0)
        code = dataset_add(d, SPLIT_TEST, &e);
    if (code == 0)
        code = dataset_items_create(d);
    if (code < 0)
        dataset_close(d);
    else
        *out = d;
    return code;
}

void dataset_close(struct dataset *d)
{
    if (!d)
        return;
    dataset_items_destroy(d);
    dataset_destroy(d);
}
