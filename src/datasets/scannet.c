/* ScanNet scans packed by numpy: npz files in train/ and test/ (or one file) with `xyz`, `rgb` and
 * `nyu40`, the NYU40 class of every point. Labels become the classes of S3DIS by name, so that one
 * model serves both; scene0006 is for validation. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "datasets/dataset.h"
#include "datasets/rooms.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/format.h"
#include "sampling/item.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, NYU_CLASSES = 41 };

static const char validation_scene[] = "scene0006";

/* NYU40 number to S3DIS name; the rest is clutter, 0 is unlabelled. Desks count as table,
 * bookshelves and shelves as bookcase. */
static const char *const names[NYU_CLASSES] = {
    [1] = "wall",   [2] = "floor",     [5] = "chair",    [6] = "sofa",
    [7] = "table",  [8] = "door",      [9] = "window",   [10] = "bookcase",
    [14] = "table", [15] = "bookcase", [22] = "ceiling", [30] = "board",
};

static bool is_npz(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && !strcmp(name + len - 4, ".npz");
}

static int holds_nyu40(const char *path)
{
    struct arrays a = {0};
    int code = arrays_read(&a, path);
    if (code < 0)
        return dataset_probe_failed(code);
    int yes = arrays_find(&a, "nyu40") && arrays_find(&a, "xyz");
    arrays_free(&a);
    return yes;
}

/* The first npz file of a folder. */
static int first_npz(char *path, size_t size, const char *folder)
{
    char **list;
    size_t n;
    if (!file_is_folder(folder))
        return 0;
    int code = file_list(&list, &n, folder), found = 0;
    if (code < 0)
        return dataset_probe_failed(code);
    for (size_t i = 0; i < n && !found; i++)
        found = is_npz(list[i]) && file_join(path, size, folder, list[i]) == 0;
    file_free_names(list, n);
    return found;
}

static int probe(const char *path)
{
    static const char *const folders[] = {"train", "val", "test"};
    char folder[PATH_SIZE], file[PATH_SIZE];
    if (is_npz(path) && !file_is_folder(path))
        return holds_nyu40(path);
    for (int i = 0; i < 3; i++) {
        if (file_join(folder, sizeof folder, path, folders[i]) < 0)
            return 0;
        int found = first_npz(file, sizeof file, folder);
        if (found)
            return found < 0 ? found : holds_nyu40(file);
    }
    return 0;
}

static int add_scan(struct dataset *d, enum split s, const char *path)
{
    const char *slash = strrchr(path, '/');
    char name[256];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    name[strlen(name) - 4] = 0;
    struct entry e = {.name = name, .path = (char *)path, .category = -1};
    bool val = s == SPLIT_TRAIN && !strncmp(name, validation_scene, sizeof validation_scene - 1);
    return dataset_add(d, val ? SPLIT_VAL : s, &e);
}

static int add_folder(struct dataset *d, enum split s)
{
    char folder[PATH_SIZE], path[PATH_SIZE], **list;
    size_t n;
    TRY(file_join(folder, sizeof folder, d->path, dataset_split_name(s)));
    if (!file_is_folder(folder))
        return 0;
    TRY(file_list(&list, &n, folder));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (!is_npz(list[i]))
            continue;
        code = file_join(path, sizeof path, folder, list[i]);
        if (code == 0)
            code = add_scan(d, s, path);
    }
    file_free_names(list, n);
    return code;
}

static int open_set(struct dataset *d)
{
    d->task = TASK_SEGMENT;
    TRY(dataset_set_classes(d, rooms_classes, ROOMS_CLASSES));
    if (!file_is_folder(d->path))
        return is_npz(d->path)
                   ? add_scan(d, SPLIT_TEST, d->path)
                   : error_topic(error_file(error_set(GLT_EIO, "%s is no longer a folder", d->path),
                                            d->path),
                                 GLT_TOPIC_KIND, NULL);
    for (int s = 0; s < SPLITS; s++)
        TRY(add_folder(d, (enum split)s));
    return 0;
}

static int label(struct item *x, const struct dataset *d, const struct glt_cloud *c,
                 const char *path)
{
    int32_t class[NYU_CLASSES], clutter = classes_find(&d->classes, "clutter");
    for (int i = 0; i < NYU_CLASSES; i++)
        class[i] = names[i] ? classes_find(&d->classes, names[i]) : i ? clutter : -1;
    int32_t *raw = memory_alloc((size_t)c->n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    int code = raw && x->labels ? cloud_attribute_as_i32(raw, c, "nyu40") : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < x->n; i++) {
        int32_t nyu = raw[x->row[i]];
        if (nyu < 0 || nyu >= NYU_CLASSES)
            code = error_topic(
                error_place(error_in(GLT_EDATA, path, "point %d has nyu40 = %d; expected 0 to 40",
                                     x->row[i], nyu),
                            GLT_PLACE_POINT, x->row[i]),
                GLT_TOPIC_LABELS, NULL);
        else
            x->labels[i] = class[nyu];
    }
    memory_free(raw);
    return code;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    struct glt_cloud *c;
    TRY(format_read(&c, e->path, NULL));
    int code = item_from_cloud(x, c, &d->inputs, e->path);
    if (code == 0)
        code = label(x, d, c, e->path);
    cloud_free(c);
    return code;
}

const struct dataset_type dataset_scannet = {
    .name = "scannet",
    .about = "ScanNet scans packed by numpy, by S3DIS names",
    .probe = probe,
    .open = open_set,
    .load = load,
    .cached = true,
};
