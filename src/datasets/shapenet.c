/* ShapeNetPart, in two layouts.
 *
 * As published: shapenetcore_partanno_segmentation_benchmark_v0 (<synset>/points/ID.pts,
 * points_label/ID.seg with labels from 1) and ..._v0_normal (<synset>/ID.txt of "x y z nx ny nz
 * part"). Splits are the lists in train_test_split/, beside or above the synsets; shapes in none of
 * them are left out; without lists, all are for training.
 *
 * Packed by numpy: train.npz, val.npz, test.npz with all points of all shapes one after the other:
 * `xyz` (points, 3) with its `scale`, `part` (points), `offset` (shapes + 1), `category` (shapes),
 * `category_name`, `part_count`. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/labels.h"
#include "cloud/part_names.h"
#include "config/inputs.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "datasets/dataset.h"
#include "datasets/label_file.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/format.h"
#include "sampling/item.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, CATEGORIES = 16, CATEGORIES_MAX = 256 };

/* --- as published --- */

static const struct {
    const char *name, *synset;
    int32_t parts;
} categories[CATEGORIES] = {
    {"Airplane", "02691156", 4}, {"Bag", "02773838", 2},       {"Cap", "02954340", 2},
    {"Car", "02958343", 4},      {"Chair", "03001627", 4},     {"Earphone", "03261776", 3},
    {"Guitar", "03467517", 3},   {"Knife", "03624134", 2},     {"Lamp", "03636649", 4},
    {"Laptop", "03642806", 2},   {"Motorbike", "03790512", 6}, {"Mug", "03797390", 2},
    {"Pistol", "03948459", 3},   {"Rocket", "04099429", 3},    {"Skateboard", "04225987", 3},
    {"Table", "04379243", 3},
};

static bool join(char dst[PATH_SIZE], const char *a, const char *b)
{
    return file_join(dst, PATH_SIZE, a, b) == 0;
}

/* Whether a folder of a synset holds text shapes of one of the editions. */
static int holds_shapes(const char *folder)
{
    char path[PATH_SIZE], **names;
    size_t n;
    if (join(path, folder, "points_label") && file_is_folder(path))
        return 1;
    int code = file_list(&names, &n, folder), yes = 0;
    if (code < 0)
        return dataset_probe_failed(code);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(names[i]);
        yes |= len > 4 && !strcmp(names[i] + len - 4, ".txt");
    }
    file_free_names(names, n);
    return yes;
}

static int probe_text(const char *path)
{
    char folder[PATH_SIZE];
    for (int i = 0; i < CATEGORIES; i++)
        if (join(folder, path, categories[i].synset) && file_is_folder(folder)) {
            int yes = holds_shapes(folder);
            if (yes)
                return yes;
        }
    return 0;
}

/* Adds shape `id` of a category if it exists in either edition. */
static int add_shape(struct dataset *d, enum split s, int32_t category, const char *id)
{
    char relative[512], path[PATH_SIZE], labels[PATH_SIZE];
    const char *synset = categories[category].synset;
    struct entry e = {.name = (char *)id, .path = path, .category = category};
    snprintf(relative, sizeof relative, "%s/%.200s.txt", synset, id);
    if (join(path, d->path, relative) && file_exists(path))
        return dataset_add(d, s, &e);
    snprintf(relative, sizeof relative, "%s/points/%.200s.pts", synset, id);
    if (!join(path, d->path, relative) || !file_exists(path))
        return dataset_add_missing(d, path, id);
    snprintf(relative, sizeof relative, "%s/points_label/%.200s.seg", synset, id);
    if (!join(labels, d->path, relative) || !file_exists(labels))
        return dataset_add_missing(d, labels, id);
    e.labels = labels;
    return dataset_add(d, s, &e);
}

/* "shape_data/02691156/ID" */
static int add_listed(struct dataset *d, enum split s, const char *text, const char *list)
{
    const char *id = strrchr(text, '/');
    for (int32_t i = 0; id && i < CATEGORIES; i++)
        if (id - text >= 8 && !strncmp(id - 8, categories[i].synset, 8))
            return add_shape(d, s, i, id + 1);
    return error_topic(error_in(GLT_EDATA, list,
                                "'%s': expected shape_data/<synset>/<id> of a known synset", text),
                       GLT_TOPIC_VALUE, NULL);
}

static int read_list(struct dataset *d, enum split s, const char *folder)
{
    char name[64], path[PATH_SIZE];
    struct json *root;
    snprintf(name, sizeof name, "shuffled_%s_file_list.json", dataset_split_name(s));
    TRY(file_join(path, sizeof path, folder, name));
    TRY(json_parse_file(&root, path, JSON_ARRAY));
    int code = 0;
    for (size_t i = 0; code == 0 && i < json_size(root); i++) {
        const char *item = json_string_value(json_at(root, i));
        code = item ? add_listed(d, s, item, path)
                    : error_topic(error_in(GLT_EFORMAT, path, "item %zu is not text", i),
                                  GLT_TOPIC_VALUE, NULL);
    }
    json_free(root);
    return code;
}

/* Without lists: every shape of a synset. */
static int add_all(struct dataset *d, int32_t category)
{
    char synset[PATH_SIZE], points[PATH_SIZE], **names;
    size_t n;
    TRY(file_join(synset, sizeof synset, d->path, categories[category].synset));
    if (!file_is_folder(synset))
        return 0;
    TRY(file_join(points, sizeof points, synset, "points"));
    TRY(file_list(&names, &n, file_is_folder(points) ? points : synset));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        char *dot = strrchr(names[i], '.');
        if (!dot || (strcmp(dot, ".pts") && strcmp(dot, ".txt")))
            continue;
        *dot = 0;
        code = add_shape(d, SPLIT_TRAIN, category, names[i]);
    }
    file_free_names(names, n);
    return code;
}

static int open_text(struct dataset *d)
{
    static const char *const places[] = {"train_test_split", "../train_test_split"};
    char folder[PATH_SIZE];
    d->task = TASK_PARTS;
    d->up = 1;
    for (int i = 0; i < CATEGORIES; i++)
        TRY(dataset_add_parts(d, categories[i].name, categories[i].parts));
    TRY(part_names_apply(&d->classes));
    for (int k = 0; k < 2; k++) {
        if (!join(folder, d->path, places[k]) || !file_is_folder(folder))
            continue;
        for (int s = 0; s < SPLITS; s++)
            TRY(read_list(d, (enum split)s, folder));
        return 0;
    }
    for (int32_t i = 0; i < CATEGORIES; i++)
        TRY(add_all(d, i));
    return 0;
}

/* Labels of the shape as global parts; `base` is the number of the first part in the file. */
static int number_parts(struct item *x, const struct dataset *d, const struct entry *e,
                        const int32_t *raw, int32_t base)
{
    const struct category *k = &d->classes.categories[e->category];
    for (int32_t i = 0; i < x->n; i++) {
        int32_t part = raw[x->row[i]];
        if (part < base || part >= base + k->count)
            return error_topic(
                error_place(error_in(GLT_EDATA, e->labels ? e->labels : e->path,
                                     "point %d has part %d; a %s has %d to %d", x->row[i], part,
                                     k->name, base, base + k->count - 1),
                            GLT_PLACE_POINT, x->row[i]),
                GLT_TOPIC_LABELS, NULL);
        x->labels[i] = part - base + k->first;
    }
    return 0;
}

static int read_parts(int32_t *raw, const struct glt_cloud *c, const struct entry *e)
{
    const struct column *label = NULL;
    if (e->labels)
        return label_file_read(raw, c->n, e->labels);
    TRY(cloud_single(&label, c, "label"));
    return labels_numbers(raw, label, c->n, e->path);
}

static int fill_labels(struct item *x, const struct dataset *d, const struct glt_cloud *c,
                       const struct entry *e)
{
    int32_t *raw = memory_alloc((size_t)c->n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    int code = raw && x->labels ? read_parts(raw, c, e) : GLT_ENOMEM;
    if (code == 0)
        code = number_parts(x, d, e, raw, e->labels ? 1 : d->classes.categories[e->category].first);
    memory_free(raw);
    return code;
}

static int load_text(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct format_options how = {.format = "text",
                                       .columns = e->labels ? "x,y,z" : "x,y,z,nx,ny,nz,label"};
    struct glt_cloud *c;
    TRY(format_read(&c, e->path, &how));
    int code = item_from_cloud(x, c, &d->inputs, e->path);
    if (code == 0)
        code = fill_labels(x, d, c, e);
    cloud_free(c);
    x->category = e->category;
    return code;
}

const struct dataset_type dataset_shapenet = {
    .name = "shapenetpart",
    .about = "ShapeNetPart as text, both editions",
    .probe = probe_text,
    .open = open_text,
    .load = load_text,
    .cached = true,
};

/* --- packed by numpy --- */

struct pack {
    char path[PATH_SIZE];
    struct arrays arrays;
    const struct array *xyz, *part, *offset, *category, *name;
    double scale;
};

struct packs {
    struct pack list[SPLITS];
};

static int probe_packs(const char *path)
{
    char file[PATH_SIZE];
    struct arrays a = {0};
    if (!file_is_folder(path) || file_join(file, sizeof file, path, "test.npz") < 0 ||
        !file_exists(file))
        return 0;
    int code = arrays_read(&a, file);
    if (code < 0)
        return dataset_probe_failed(code);
    int yes = arrays_find(&a, "part") && arrays_find(&a, "offset") && arrays_find(&a, "category");
    arrays_free(&a);
    return yes;
}

static int want(const struct array **out, const struct pack *p, const char *name, int64_t count)
{
    *out = arrays_find(&p->arrays, name);
    if (!*out || (count >= 0 && (*out)->count != count))
        return error_topic(error_in(GLT_EDATA, p->path,
                                    "expected an array '%s' of %" PRId64 " values; it has %s", name,
                                    count, *out ? "another number" : "none"),
                           GLT_TOPIC_MISSING, name);
    return 0;
}

static int read_pack(struct pack *p)
{
    const struct array *scale;
    TRY(arrays_read(&p->arrays, p->path));
    TRY(want(&p->category, p, "category", -1));
    TRY(want(&p->offset, p, "offset", p->category->count + 1));
    TRY(want(&p->part, p, "part", -1));
    TRY(want(&p->xyz, p, "xyz", 3 * p->part->count));
    TRY(want(&scale, p, "scale", 1));
    p->name = arrays_find(&p->arrays, "name");
    if (p->name && p->name->count != p->category->count)
        p->name = NULL;
    return arrays_values(&p->scale, GLT_F64, scale, 0, 1);
}

static int take_categories(struct dataset *d, const struct pack *p)
{
    const struct array *names, *counts;
    TRY(want(&names, p, "category_name", -1));
    TRY(want(&counts, p, "part_count", names->count));
    if (names->count < 1 || names->count > CATEGORIES_MAX)
        return error_topic(error_in(GLT_EDATA, p->path, "%" PRId64 " categories", names->count),
                           GLT_TOPIC_CATEGORY, NULL);
    for (int64_t i = 0; i < names->count; i++) {
        char name[64];
        int32_t parts;
        TRY(arrays_text(name, sizeof name, names, i));
        TRY(arrays_values(&parts, GLT_I32, counts, i, 1));
        TRY(dataset_add_parts(d, name, parts));
    }
    return part_names_apply(&d->classes);
}

static int add_packed(struct dataset *d, enum split s, struct pack *p)
{
    for (int64_t i = 0; i < p->category->count; i++) {
        char name[64];
        int64_t range[2];
        snprintf(name, sizeof name, "shape %" PRId64, i);
        if (p->name)
            TRY(arrays_text(name, sizeof name, p->name, i));
        struct entry e = {.name = name, .path = p->path, .pack = (int32_t)s};
        TRY(arrays_values(range, GLT_I64, p->offset, i, 2));
        TRY(arrays_values(&e.category, GLT_I32, p->category, i, 1));
        if (range[0] < 0 || range[1] <= range[0] || range[1] > p->part->count || e.category < 0 ||
            e.category >= d->classes.n_categories)
            return error_topic(error_in(GLT_EDATA, p->path,
                                        "shape %" PRId64 " has points %" PRId64 " to %" PRId64
                                        " of %" PRId64 ", category %d of %d",
                                        i, range[0], range[1], p->part->count, e.category,
                                        d->classes.n_categories),
                               GLT_TOPIC_CATEGORY, NULL);
        e.first = range[0];
        e.n = range[1] - range[0];
        TRY(dataset_add(d, s, &e));
    }
    return 0;
}

static int open_packs(struct dataset *d)
{
    struct packs *packs = memory_alloc(1, sizeof *packs);
    if (!packs)
        return GLT_ENOMEM;
    d->state = packs;
    d->task = TASK_PARTS;
    d->up = 1;
    for (int s = 0; s < SPLITS; s++) {
        struct pack *p = &packs->list[s];
        char name[16];
        snprintf(name, sizeof name, "%s.npz", dataset_split_name((enum split)s));
        TRY(file_join(p->path, sizeof p->path, d->path, name));
        if (!file_exists(p->path))
            continue;
        TRY(read_pack(p));
        if (d->classes.n == 0)
            TRY(take_categories(d, p));
        TRY(add_packed(d, (enum split)s, p));
    }
    return 0;
}

static int fill_packed(struct item *x, const struct dataset *d, const struct pack *p,
                       const struct entry *e)
{
    TRY(arrays_values(x->xyz, GLT_F32, p->xyz, 3 * e->first, 3 * e->n));
    TRY(arrays_values(x->labels, GLT_I32, p->part, e->first, e->n));
    int32_t first, count;
    classes_range(&first, &count, &d->classes, e->category);
    for (int64_t i = 0; i < 3 * e->n; i++)
        x->xyz[i] = (float)((double)x->xyz[i] * p->scale);
    for (int64_t i = 0; i < e->n; i++)
        if (x->labels[i] < first || x->labels[i] >= first + count)
            return error_topic(error_in(GLT_EDATA, p->path,
                                        "%s: part %d is not a part of its category (%d to %d)",
                                        e->name, x->labels[i], first, first + count - 1),
                               GLT_TOPIC_LABELS, NULL);
    return 0;
}

static int load_packed(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct packs *packs = d->state;
    if (d->inputs.extra)
        return error_topic(
            error_in(GLT_EDATA, e->path, "the packed shapes have coordinates only; set inputs=xyz"),
            GLT_TOPIC_INPUTS, "inputs");
    TRY(item_new(x, e->n, 0, true));
    x->category = e->category;
    int code = fill_packed(x, d, &packs->list[e->pack], e);
    if (code == 0)
        code = item_keep_finite(x, e->name);
    return code;
}

static void close_packs(struct dataset *d)
{
    struct packs *packs = d->state;
    for (int s = 0; packs && s < SPLITS; s++)
        arrays_free(&packs->list[s].arrays);
    memory_free(packs);
}

const struct dataset_type dataset_shapenet_npz = {
    .name = "shapenetpart-npz",
    .about = "shapes with part labels packed by numpy",
    .probe = probe_packs,
    .open = open_packs,
    .load = load_packed,
    .close = close_packs,
};
