/* The table of data sets, and what all of them share: see dataset.h. */
#include "datasets/dataset.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "datasets/pool.h"
#include "datasets/types.h"
#include "formats/kitti.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Probed in this order: the first that knows the path takes it. */
static const struct dataset_type *const types[] = {
    &dataset_synth,    &dataset_folder,   &dataset_modelnet_npz, &dataset_shapenet_npz,
    &dataset_modelnet, &dataset_shapenet, &dataset_scannet,      &dataset_rooms,
};
enum { TYPES = sizeof types / sizeof *types };

const char *dataset_advice(const struct dataset *d)
{
    return dataset_has_areas(d) ? "--set area=N says which area is held out as test set (5)"
                                : "give it clouds of its own";
}

const char *split_name(enum split s)
{
    static const char *const names[] = {"train", "val", "test"};
    return names[s];
}

const char *task_name(int32_t task)
{
    static const char *const names[] = {"segment", "parts", "classify"};
    return names[task];
}

bool dataset_has_areas(const struct dataset *d)
{
    return d->type == &dataset_rooms || d->type == &dataset_synth;
}

void entry_clear(struct entry *e)
{
    memory_free(e->name);
    memory_free(e->path);
    memory_free(e->labels);
    *e = (struct entry){0};
}

static int entries_add(struct entries *to, const struct entry *e)
{
    if (to->n == to->room) {
        int32_t room = to->room ? 2 * to->room : 64;
        struct entry *list = memory_resize(to->list, (size_t)room, sizeof *list);
        if (!list)
            return GLT_ENOMEM;
        to->list = list;
        to->room = room;
    }
    struct entry copy = *e;
    copy.name = memory_string(e->name);
    copy.path = memory_string(e->path);
    copy.labels = e->labels ? memory_string(e->labels) : NULL;
    if (!copy.name || !copy.path || (e->labels && !copy.labels)) {
        entry_clear(&copy);
        return GLT_ENOMEM;
    }
    to->list[to->n++] = copy;
    return 0;
}

/* A label file that the reader of the cloud finds by itself belongs to the entry like one that the
 * data set names. */
int dataset_add(struct dataset *d, enum split s, const struct entry *e)
{
    char labels[PATH_MAX];
    struct entry whole = *e;
    if (!e->labels && kitti_label_file(labels, e->path))
        whole.labels = labels;
    return entries_add(&d->split[s], &whole);
}

int dataset_add_missing(struct dataset *d, const char *path, const char *name)
{
    struct entry e = {.path = (char *)path, .name = (char *)name, .category = -1};
    return entries_add(&d->missing, &e);
}

static void entries_free(struct entries *e)
{
    for (int32_t i = 0; i < e->n; i++)
        entry_clear(&e->list[i]);
    memory_free(e->list);
}

static void free_texts(char **texts, int32_t n)
{
    for (int32_t i = 0; texts && i < n; i++)
        memory_free(texts[i]);
    memory_free(texts);
}

/* Colours that tell neighbouring classes apart; the first 13 are those of S3DIS pictures. */
static void default_colour(uint8_t rgb[3], int32_t i)
{
    static const uint8_t table[][3] = {
        {0, 255, 0},     {0, 0, 255},     {0, 255, 255},   {255, 255, 0}, {255, 0, 255},
        {100, 100, 255}, {200, 200, 100}, {170, 120, 200}, {255, 0, 0},   {200, 100, 100},
        {10, 200, 100},  {200, 200, 200}, {50, 50, 50},
    };
    enum { TABLE = sizeof table / sizeof *table };
    if (i < TABLE) {
        memcpy(rgb, table[i], 3);
        return;
    }
    /* steps that are prime to 256 visit every shade before one repeats */
    rgb[0] = (uint8_t)(97 * i + 40);
    rgb[1] = (uint8_t)(57 * i + 120);
    rgb[2] = (uint8_t)(151 * i + 200);
}

int dataset_set_classes(struct dataset *d, const char *const *names, int32_t n)
{
    if (n < 1 || n > DATASET_CLASSES_MOST)
        return error_set(GLT_EDATA, "%s: %d classes: give 1 to %d", d->path, n,
                         DATASET_CLASSES_MOST);
    char **copy = memory_alloc((size_t)n, sizeof *copy);
    uint8_t(*colours)[3] = memory_alloc((size_t)n, sizeof *colours);
    bool ok = copy && colours;
    for (int32_t i = 0; ok && i < n; i++) {
        default_colour(colours[i], i);
        ok = (copy[i] = memory_string(names[i])) != NULL;
    }
    if (!ok) {
        free_texts(copy, n);
        memory_free(colours);
        return GLT_ENOMEM;
    }
    free_texts(d->class_names, d->n_classes);
    memory_free(d->class_colours);
    d->class_names = copy;
    d->class_colours = colours;
    d->n_classes = n;
    return 0;
}

int dataset_set_colour(struct dataset *d, int32_t class, const uint8_t rgb[3])
{
    if (class < 0 || class >= d->n_classes)
        return error_set(GLT_EARGUMENT, "class %d has no colour: there are %d", class,
                         d->n_classes);
    memcpy(d->class_colours[class], rgb, 3);
    return 0;
}

int dataset_set_categories(struct dataset *d, const char *const *categories, const int32_t *first,
                           const int32_t *counts, int32_t n)
{
    d->category_names = memory_alloc((size_t)n, sizeof *d->category_names);
    d->part_first = memory_alloc((size_t)n, sizeof *d->part_first);
    d->part_count = memory_alloc((size_t)n, sizeof *d->part_count);
    if (!d->category_names || !d->part_first || !d->part_count)
        return GLT_ENOMEM;
    d->n_categories = n;
    for (int32_t i = 0, next = 0; i < n; next += counts[i++]) {
        d->part_first[i] = first ? first[i] : next;
        d->part_count[i] = counts[i];
        if (!(d->category_names[i] = memory_string(categories[i])))
            return GLT_ENOMEM;
    }
    return 0;
}

int dataset_set_parts(struct dataset *d, const char *const *categories, const int32_t *counts,
                      int32_t n)
{
    int64_t parts = 0;
    for (int32_t i = 0; i < n; i++) {
        if (counts[i] < 1)
            return error_set(GLT_EDATA, "%s: category '%s' has %d parts: give 1 or more", d->path,
                             categories[i], counts[i]);
        parts += counts[i];
    }
    if (n < 1 || parts > DATASET_CLASSES_MOST)
        return error_set(GLT_EDATA, "%s: %d categories with %lld parts: give 1 to %d", d->path, n,
                         (long long)parts, DATASET_CLASSES_MOST);
    char(*names)[64] = memory_alloc((size_t)parts, sizeof *names);
    const char **list = memory_alloc((size_t)parts, sizeof *list);
    int code = names && list ? dataset_set_categories(d, categories, NULL, counts, n) : GLT_ENOMEM;
    for (int32_t i = 0, at = 0; code == 0 && i < n; i++) {
        for (int32_t k = 0; k < counts[i]; k++, at++) {
            snprintf(names[at], sizeof names[at], "%.50s %d", categories[i], k + 1);
            list[at] = names[at];
        }
    }
    if (code == 0)
        code = dataset_set_classes(d, list, (int32_t)parts);
    memory_free(names);
    memory_free(list);
    return code;
}

int32_t dataset_category(const struct dataset *d, const char *name)
{
    for (int32_t i = 0; i < d->n_categories; i++)
        if (!strcasecmp(d->category_names[i], name))
            return i;
    return -1;
}

int32_t dataset_class(const struct dataset *d, const char *name)
{
    for (int32_t i = 0; i < d->n_classes; i++)
        if (!strcasecmp(d->class_names[i], name))
            return i;
    return -1;
}

void dataset_range(int32_t *first, int32_t *count, const struct dataset *d, int32_t category)
{
    bool parts = d->n_categories > 0 && category >= 0 && category < d->n_categories;
    *first = parts ? d->part_first[category] : 0;
    *count = parts ? d->part_count[category] : d->n_classes;
}

static int open_as(struct dataset *d, const struct dataset_type *type)
{
    d->type = type;
    TRY(type->open(d));
    TRY(dataset_check_names(d));
    TRY(splits_settle(d));
    return pool_create(d);
}

/* *out is NULL where no type takes the path. */
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
    return file_exists(path) ? 0 : error_set(GLT_EIO, "%s: there is no such file or folder", path);
}

int dataset_is_cloud(bool *out, const char *path)
{
    const struct dataset_type *type;
    TRY(find_type(&type, path));
    *out = (!type || type == &dataset_rooms) && file_exists(path) && !file_is_folder(path);
    return 0;
}

int dataset_open(struct dataset **out, const char *path, const struct config *config)
{
    const struct dataset_type *type;
    TRY(find_type(&type, path));
    if (!type)
        return dataset_refuse(path);
    struct dataset *d = memory_alloc(1, sizeof *d);
    if (!d)
        return GLT_ENOMEM;
    d->config = *config;
    d->up = 2;
    int code = inputs_parse(&d->inputs, config->data.inputs);
    if (code == 0 && !(d->path = memory_string(path)))
        code = GLT_ENOMEM;
    if (code == 0 && file_is_folder(path) && !(d->folder = memory_string(path)))
        code = GLT_ENOMEM;
    if (code == 0)
        code = open_as(d, type);
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
    pool_destroy(d);
    if (d->type && d->type->close)
        d->type->close(d);
    for (int s = 0; s < SPLITS; s++)
        entries_free(&d->split[s]);
    entries_free(&d->missing);
    for (int32_t i = 0; i < d->n_map; i++)
        memory_free(d->map[i].from);
    memory_free(d->map);
    memory_free(d->map_order);
    free_texts(d->class_names, d->n_classes);
    free_texts(d->category_names, d->n_categories);
    memory_free(d->class_colours);
    memory_free(d->part_first);
    memory_free(d->part_count);
    memory_free(d->path);
    memory_free(d->folder);
    memory_free(d->columns);
    memory_free(d);
}
