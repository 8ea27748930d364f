/* ModelNet40 as packed by numpy: train_*.npz and test*.npz of shapes with equal numbers of points,
 * `xyz` (shapes, points, 3) with its `scale`, `label` (shapes), `class_name`, `name`.
 *
 * Several training files hold every so many-th row of the official list in turn, so row r is shape
 * r / files of file r mod files. Row 0, 10, 20, .. of each class is a validation item. */
#include "datasets/types.h"

#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PACKS_MAX = 16, PATH_SIZE = 4096 };

struct pack {
    char path[PATH_SIZE];
    struct arrays arrays;
    const struct array *xyz, *label, *name;
    double scale;
};

struct packs {
    struct pack list[PACKS_MAX];
    int n;
};

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool is_pack(const char *name, const char *split)
{
    size_t len = strlen(name);
    return starts(name, split) && len > 4 && !strcmp(name + len - 4, ".npz");
}

/* Whether it is a packing is decided by its first file: the names of the arrays in it. */
static int holds_shapes(const char *path)
{
    struct arrays a = {0};
    int code = arrays_read(&a, path);
    if (code < 0)
        return probe_failed(code);
    const struct array *xyz = arrays_find(&a, "xyz");
    int yes = xyz && xyz->n_dims == 3 && xyz->shape[2] == 3 && arrays_find(&a, "label") &&
              arrays_find(&a, "class_name");
    arrays_free(&a);
    return yes;
}

static int probe(const char *path)
{
    char **names, file[PATH_SIZE];
    size_t n;
    if (!file_is_folder(path))
        return 0;
    int code = file_list(&names, &n, path), yes = 0;
    if (code < 0)
        return probe_failed(code);
    for (size_t i = 0; i < n; i++) {
        if (is_pack(names[i], "t") && file_join(file, sizeof file, path, names[i]) == 0) {
            yes = holds_shapes(file);
            break;
        }
    }
    file_free_names(names, n);
    return yes;
}

static int read_pack(struct pack *p)
{
    TRY(arrays_read(&p->arrays, p->path));
    p->xyz = arrays_find(&p->arrays, "xyz");
    p->label = arrays_find(&p->arrays, "label");
    p->name = arrays_find(&p->arrays, "name");
    const struct array *scale = arrays_find(&p->arrays, "scale");
    const struct array *classes = arrays_find(&p->arrays, "class_name");
    if (!p->xyz || p->xyz->n_dims != 3 || p->xyz->shape[2] != 3 || p->xyz->shape[1] < 1)
        return error_set(GLT_EDATA, "%s: no array 'xyz' of shape (shapes, points, 3)", p->path);
    int64_t shapes = p->xyz->shape[0];
    if (!p->label || p->label->count != shapes || !classes || classes->count < 1)
        return error_set(GLT_EDATA,
                         "%s: needs an array 'label' of %" PRId64 " numbers and 'class_name'",
                         p->path, shapes);
    if (p->name && p->name->count != shapes)
        p->name = NULL;
    p->scale = 1;
    return scale ? arrays_values(&p->scale, GLT_F64, scale, 0, 1) : 0;
}

static int take_classes(struct dataset *d, const struct pack *p)
{
    const struct array *a = arrays_find(&p->arrays, "class_name");
    if (a->count > DATASET_CLASSES_MAX)
        return error_set(GLT_EDATA, "%s: %" PRId64 " classes", p->path, a->count);
    char(*names)[64] = memory_alloc((size_t)a->count, sizeof *names);
    const char **list = memory_alloc((size_t)a->count, sizeof *list);
    int code = names && list ? 0 : GLT_ENOMEM;
    for (int64_t i = 0; code == 0 && i < a->count; i++) {
        code = arrays_text(names[i], sizeof names[i], a, i);
        list[i] = names[i];
    }
    if (code == 0)
        code = dataset_set_classes(d, list, (int32_t)a->count);
    memory_free(names);
    memory_free(list);
    return code;
}

static int class_of(int32_t *class, const struct dataset *d, const struct pack *p, int64_t shape)
{
    int32_t label;
    char name[64];
    const struct array *names = arrays_find(&p->arrays, "class_name");
    TRY(arrays_values(&label, GLT_I32, p->label, shape, 1));
    if (label < 0 || label >= names->count)
        return error_set(GLT_EDATA, "%s: shape %" PRId64 " has label %d; there are classes 0..%d",
                         p->path, shape, label, (int)names->count - 1);
    TRY(arrays_text(name, sizeof name, names, label));
    *class = classes_find(&d->classes, name);
    if (*class < 0)
        return error_set(GLT_EDATA, "%s: class '%s' is not in the other files", p->path, name);
    return 0;
}

static int add_shape(struct dataset *d, enum split s, int pack, int64_t shape, int64_t *seen)
{
    struct packs *packs = d->inside;
    struct pack *p = &packs->list[pack];
    char name[64];
    snprintf(name, sizeof name, "shape %" PRId64, shape);
    if (p->name)
        TRY(arrays_text(name, sizeof name, p->name, shape));
    struct entry e = {.name = name, .path = p->path, .pack = pack, .first = shape};
    e.n = p->xyz->shape[1];
    TRY(class_of(&e.category, d, p, shape));
    if (s == SPLIT_TRAIN && seen[e.category]++ % MODELNET_VALIDATION_EVERY == 0)
        s = SPLIT_VAL;
    return dataset_add(d, s, &e);
}

/* All files of a split, dealt row by row. */
static int add_split(struct dataset *d, enum split s, char **names, size_t n)
{
    struct packs *packs = d->inside;
    int first = packs->n;
    int64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_pack(names[i], split_name(s)))
            continue;
        if (packs->n == PACKS_MAX)
            return error_set(GLT_ELIMIT, "%s: more than %d npz files", d->path, PACKS_MAX);
        struct pack *p = &packs->list[packs->n++];
        TRY(file_join(p->path, sizeof p->path, d->path, names[i]));
        TRY(read_pack(p));
        if (d->classes.n == 0)
            TRY(take_classes(d, p));
        most = p->xyz->shape[0] > most ? p->xyz->shape[0] : most;
    }
    int64_t seen[DATASET_CLASSES_MAX] = {0};
    for (int64_t shape = 0; shape < most; shape++)
        for (int k = first; k < packs->n; k++)
            if (shape < packs->list[k].xyz->shape[0])
                TRY(add_shape(d, s, k, shape, seen));
    return 0;
}

static int open_set(struct dataset *d)
{
    char **names;
    size_t n;
    d->task = TASK_CLASSIFY;
    d->up = 1;
    d->inside = memory_alloc(1, sizeof(struct packs));
    if (!d->inside)
        return GLT_ENOMEM;
    TRY(file_list(&names, &n, d->path));
    int code = add_split(d, SPLIT_TRAIN, names, n);
    if (code == 0)
        code = add_split(d, SPLIT_TEST, names, n);
    file_free_names(names, n);
    return code;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct packs *packs = d->inside;
    const struct pack *p = &packs->list[e->pack];
    int64_t n = p->xyz->shape[1];
    if (d->inputs.extra)
        return error_set(GLT_EDATA, "%s: the packed shapes have coordinates only; set inputs=xyz",
                         p->path);
    TRY(item_new(x, n, 0, false));
    x->category = e->category;
    int code = arrays_values(x->xyz, GLT_F32, p->xyz, e->first * n * 3, n * 3);
    for (int64_t i = 0; i < 3 * n; i++)
        x->xyz[i] = (float)((double)x->xyz[i] * p->scale);
    if (code == 0)
        code = item_keep_finite(x, e->name);
    return code;
}

static void close_set(struct dataset *d)
{
    struct packs *packs = d->inside;
    for (int i = 0; packs && i < packs->n; i++)
        arrays_free(&packs->list[i].arrays);
    memory_free(packs);
}

const struct dataset_type dataset_modelnet_npz = {
    "modelnet-npz", "shapes of equal size packed by numpy, one class each",
    probe,          open_set,
    load,           close_set,
    false};
