/* ShapeNetPart packed by numpy: train.npz, val.npz, test.npz with all points of all shapes one
 * after the other: `xyz` (points, 3) with its `scale`, `part` (points), `offset` (shapes + 1),
 * `category` (shapes), `category_name`, `part_count`. */
#include "datasets/types.h"

#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, CATEGORIES_MAX = 256 };

struct pack {
    char path[PATH_SIZE];
    struct arrays arrays;
    const struct array *xyz, *part, *offset, *category, *name;
    double scale;
};

struct packs {
    struct pack list[SPLITS];
};

static int probe(const char *path)
{
    char file[PATH_SIZE];
    struct arrays a = {0};
    if (!file_is_folder(path) || file_join(file, sizeof file, path, "test.npz") < 0 ||
        !file_exists(file))
        return 0;
    int code = arrays_read(&a, file);
    if (code < 0)
        return probe_failed(code);
    int yes = arrays_find(&a, "part") && arrays_find(&a, "offset") && arrays_find(&a, "category");
    arrays_free(&a);
    return yes;
}

static int want(const struct array **out, const struct pack *p, const char *name, int64_t count)
{
    *out = arrays_find(&p->arrays, name);
    if (!*out || (count >= 0 && (*out)->count != count))
        return error_set(GLT_EDATA, "%s: expected an array '%s' of %" PRId64 " values; it has %s",
                         p->path, name, count, *out ? "another number" : "none");
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
        return error_set(GLT_EDATA, "%s: %" PRId64 " categories", p->path, names->count);
    for (int64_t i = 0; i < names->count; i++) {
        char name[64];
        int32_t parts;
        TRY(arrays_text(name, sizeof name, names, i));
        TRY(arrays_values(&parts, GLT_I32, counts, i, 1));
        TRY(dataset_add_parts(d, name, parts));
    }
    return 0;
}

static int add_shapes(struct dataset *d, enum split s, struct pack *p)
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
            return error_set(GLT_EDATA,
                             "%s: shape %" PRId64 " has points %" PRId64 " to %" PRId64
                             " of %" PRId64 ", category %d of %d",
                             p->path, i, range[0], range[1], p->part->count, e.category,
                             d->classes.n_categories);
        e.first = range[0];
        e.n = range[1] - range[0];
        TRY(dataset_add(d, s, &e));
    }
    return 0;
}

static int open_set(struct dataset *d)
{
    struct packs *packs = memory_alloc(1, sizeof *packs);
    if (!packs)
        return GLT_ENOMEM;
    d->inside = packs;
    d->task = TASK_PARTS;
    d->up = 1;
    for (int s = 0; s < SPLITS; s++) {
        struct pack *p = &packs->list[s];
        char name[16];
        snprintf(name, sizeof name, "%s.npz", split_name((enum split)s));
        TRY(file_join(p->path, sizeof p->path, d->path, name));
        if (!file_exists(p->path))
            continue;
        TRY(read_pack(p));
        if (d->classes.n == 0)
            TRY(take_categories(d, p));
        TRY(add_shapes(d, (enum split)s, p));
    }
    return 0;
}

static int fill(struct item *x, const struct dataset *d, const struct pack *p,
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
            return error_set(GLT_EDATA, "%s: %s: part %d is none of its category's (%d to %d)",
                             p->path, e->name, x->labels[i], first, first + count - 1);
    return 0;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct packs *packs = d->inside;
    if (d->inputs.extra)
        return error_set(GLT_EDATA, "%s: the packed shapes have coordinates only; set inputs=xyz",
                         e->path);
    TRY(item_new(x, e->n, 0, true));
    x->category = e->category;
    int code = fill(x, d, &packs->list[e->pack], e);
    if (code == 0)
        code = item_keep_finite(x, e->name);
    return code;
}

static void close_set(struct dataset *d)
{
    struct packs *packs = d->inside;
    for (int s = 0; packs && s < SPLITS; s++)
        arrays_free(&packs->list[s].arrays);
    memory_free(packs);
}

const struct dataset_type dataset_shapenet_npz = {"shapenetpart-npz",
                                                  "shapes with part labels packed by numpy",
                                                  probe,
                                                  open_set,
                                                  load,
                                                  close_set,
                                                  false};
