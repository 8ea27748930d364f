/* ModelNet40 and ModelNet10, in two layouts. Rows 0, 10, 20, .. of each class in the training list
 * are for validation.
 *
 * As PointNet++ distributes them (modelnet40_normal_resampled): modelnetNN_shape_names.txt,
 * modelnetNN_train.txt, modelnetNN_test.txt, and <class>/<class>_0001.txt of "x,y,z,nx,ny,nz"
 * lines. A folder with both lists is ModelNet40; its modelnet10_shape_names.txt opens ModelNet10.
 *
 * Packed by numpy: train_*.npz and test*.npz of shapes with equal numbers of points, `xyz` (shapes,
 * points, 3) with its `scale`, `label` (shapes), `class_name`, `name`. Several training files are
 * dealt out row by row: row r of the official list is shape r / files of file r mod files. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "config/inputs.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "datasets/dataset.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/format.h"
#include "sampling/item.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, LINE_MAX = 256, PACKS_MAX = 16, VALIDATION_EVERY = 10 };

/* --- text --- */

static const char *const editions[] = {"modelnet40", "modelnet10"};

/* The folder and edition of a path; false if it is not ModelNet. */
static bool find_edition(char folder[PATH_SIZE], const char **edition, const char *path)
{
    char list[PATH_SIZE];
    for (int i = 0; i < 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_shape_names.txt", editions[i]);
        size_t len = strlen(path), end = strlen(name);
        *edition = editions[i];
        if (len >= PATH_SIZE)
            return false;
        if (file_is_folder(path)) {
            strcpy(folder, path);
            if (file_join(list, sizeof list, path, name) == 0 && file_exists(list))
                return true;
        } else if (len >= end && !strcmp(path + len - end, name) && file_exists(path) &&
                   (len == end || path[len - end - 1] == '/')) {
            snprintf(folder, PATH_SIZE, "%.*s", (int)(len - end), path);
            if (len == end)
                strcpy(folder, ".");
            return true;
        }
    }
    return false;
}

static int probe_text(const char *path)
{
    char folder[PATH_SIZE];
    const char *edition;
    return find_edition(folder, &edition, path);
}

typedef int line_fn(void *user, const char *line);

/* Calls back with every line that is not empty. */
static int each_line(const char *path, line_fn *fn, void *user)
{
    struct file *f;
    char *line;
    size_t len;
    TRY(file_open(&f, path));
    int code = 0;
    while (code == 0 && (code = file_line(f, &line, &len, LINE_MAX)) == 0 && line) {
        while (len > 0 && (unsigned char)line[len - 1] <= ' ')
            line[--len] = 0;
        if (len > 0)
            code = fn(user, line);
    }
    file_close(f);
    return code;
}

struct opening {
    struct dataset *d;
    char folder[PATH_SIZE];
    const char *edition;
    enum split split;
    char names[DATASET_CLASSES_MAX][LINE_MAX];
    int32_t n;
    int64_t seen[DATASET_CLASSES_MAX];
};

static int add_class(void *user, const char *line)
{
    struct opening *o = user;
    if (o->n == DATASET_CLASSES_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, o->d->path, "more than %d classes", DATASET_CLASSES_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    snprintf(o->names[o->n++], LINE_MAX, "%s", line);
    return 0;
}

/* "night_stand_0012" is shape 12 of night_stand. */
static int add_shape(void *user, const char *line)
{
    struct opening *o = user;
    char class[LINE_MAX], path[PATH_SIZE];
    snprintf(class, sizeof class, "%s", line);
    char *number = strrchr(class, '_');
    if (number)
        *number = 0;
    struct entry e = {.name = (char *)line, .path = path};
    e.category = classes_find(&o->d->classes, class);
    if (e.category < 0)
        return error_topic(error_set(GLT_EDATA,
                                     "%s/%s_%s.txt: '%s' does not belong to a class in "
                                     "%s_shape_names.txt; expected names "
                                     "like chair_0001",
                                     o->folder, o->edition, dataset_split_name(o->split), line,
                                     o->edition),
                           GLT_TOPIC_CLASSES, NULL);
    int len = snprintf(path, sizeof path, "%s/%s/%s.txt", o->folder, class, line);
    if (len < 0 || (size_t)len >= sizeof path)
        return error_topic(error_in(GLT_EARGUMENT, o->folder, "the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    bool val = o->split == SPLIT_TRAIN && o->seen[e.category]++ % VALIDATION_EVERY == 0;
    if (!file_exists(path))
        return dataset_add_missing(o->d, path, line);
    return dataset_add(o->d, val ? SPLIT_VAL : o->split, &e);
}

static int read_lists(struct opening *o)
{
    char path[PATH_SIZE + 64];
    const char *names[DATASET_CLASSES_MAX];
    snprintf(path, sizeof path, "%s/%s_shape_names.txt", o->folder, o->edition);
    TRY(each_line(path, add_class, o));
    for (int32_t i = 0; i < o->n; i++)
        names[i] = o->names[i];
    TRY(dataset_set_classes(o->d, names, o->n));
    for (int k = 0; k < 2; k++) {
        o->split = k ? SPLIT_TEST : SPLIT_TRAIN;
        snprintf(path, sizeof path, "%s/%s_%s.txt", o->folder, o->edition,
                 dataset_split_name(o->split));
        TRY(each_line(path, add_shape, o));
    }
    return 0;
}

static int open_text(struct dataset *d)
{
    struct opening *o = memory_alloc(1, sizeof *o);
    if (!o)
        return GLT_ENOMEM;
    d->task = TASK_CLASSIFY;
    d->up = 1;
    o->d = d;
    find_edition(o->folder, &o->edition, d->path);
    int code = read_lists(o);
    memory_free(o);
    return code;
}

static int load_text(struct item *x, const struct dataset *d, const struct entry *e)
{
    static const struct format_options how = {.format = "text", .columns = "x,y,z,nx,ny,nz"};
    struct glt_cloud *c;
    TRY(format_read(&c, e->path, &how));
    int code = item_from_cloud(x, c, &d->inputs, e->path);
    cloud_free(c);
    x->category = e->category;
    return code;
}

const struct dataset_type dataset_modelnet = {
    .name = "modelnet",
    .about = "ModelNet40 or 10 as text, 10,000 points with normals",
    .probe = probe_text,
    .open = open_text,
    .load = load_text,
    .cached = true,
};

/* --- packed by numpy --- */

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

/* Whether it is a packing, by the names of the arrays in its first file. */
static int holds_shapes(const char *path)
{
    struct arrays a = {0};
    int code = arrays_read(&a, path);
    if (code < 0)
        return dataset_probe_failed(code);
    const struct array *xyz = arrays_find(&a, "xyz");
    int yes = xyz && xyz->n_dims == 3 && xyz->shape[2] == 3 && arrays_find(&a, "label") &&
              arrays_find(&a, "class_name");
    arrays_free(&a);
    return yes;
}

static int probe_packs(const char *path)
{
    char **names, file[PATH_SIZE];
    size_t n;
    if (!file_is_folder(path))
        return 0;
    int code = file_list(&names, &n, path), yes = 0;
    if (code < 0)
        return dataset_probe_failed(code);
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
        return error_topic(
            error_in(GLT_EDATA, p->path, "no array 'xyz' of shape (shapes, points, 3)"),
            GLT_TOPIC_MISSING, NULL);
    int64_t shapes = p->xyz->shape[0];
    if (!p->label || p->label->count != shapes || !classes || classes->count < 1)
        return error_topic(
            error_in(GLT_EDATA, p->path,
                     "needs an array 'label' of %" PRId64 " numbers and 'class_name'", shapes),
            GLT_TOPIC_CLASSES, NULL);
    if (p->name && p->name->count != shapes)
        p->name = NULL;
    p->scale = 1;
    return scale ? arrays_values(&p->scale, GLT_F64, scale, 0, 1) : 0;
}

static int take_classes(struct dataset *d, const struct pack *p)
{
    const struct array *a = arrays_find(&p->arrays, "class_name");
    if (a->count > DATASET_CLASSES_MAX)
        return error_topic(error_in(GLT_EDATA, p->path, "%" PRId64 " classes", a->count),
                           GLT_TOPIC_CLASSES, NULL);
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
        return error_topic(error_in(GLT_EDATA, p->path,
                                    "shape %" PRId64 " has label %d; there are classes 0..%d",
                                    shape, label, (int)names->count - 1),
                           GLT_TOPIC_LABELS, NULL);
    TRY(arrays_text(name, sizeof name, names, label));
    *class = classes_find(&d->classes, name);
    if (*class < 0)
        return error_topic(
            error_in(GLT_EDATA, p->path, "class '%s' is not in the other files", name),
            GLT_TOPIC_CLASSES, NULL);
    return 0;
}

static int add_packed(struct dataset *d, enum split s, int pack, int64_t shape, int64_t *seen)
{
    struct packs *packs = d->state;
    struct pack *p = &packs->list[pack];
    char name[64];
    snprintf(name, sizeof name, "shape %" PRId64, shape);
    if (p->name)
        TRY(arrays_text(name, sizeof name, p->name, shape));
    struct entry e = {.name = name, .path = p->path, .pack = pack, .first = shape};
    e.n = p->xyz->shape[1];
    TRY(class_of(&e.category, d, p, shape));
    if (s == SPLIT_TRAIN && seen[e.category]++ % VALIDATION_EVERY == 0)
        s = SPLIT_VAL;
    return dataset_add(d, s, &e);
}

/* All files of a split, dealt row by row. */
static int add_split(struct dataset *d, enum split s, char **names, size_t n)
{
    struct packs *packs = d->state;
    int first = packs->n;
    int64_t max = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_pack(names[i], dataset_split_name(s)))
            continue;
        if (packs->n == PACKS_MAX)
            return error_topic(error_in(GLT_ELIMIT, d->path, "more than %d npz files", PACKS_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        struct pack *p = &packs->list[packs->n++];
        TRY(file_join(p->path, sizeof p->path, d->path, names[i]));
        TRY(read_pack(p));
        if (d->classes.n == 0)
            TRY(take_classes(d, p));
        max = p->xyz->shape[0] > max ? p->xyz->shape[0] : max;
    }
    int64_t seen[DATASET_CLASSES_MAX] = {0};
    for (int64_t shape = 0; shape < max; shape++)
        for (int k = first; k < packs->n; k++)
            if (shape < packs->list[k].xyz->shape[0])
                TRY(add_packed(d, s, k, shape, seen));
    return 0;
}

static int open_packs(struct dataset *d)
{
    char **names;
    size_t n;
    d->task = TASK_CLASSIFY;
    d->up = 1;
    d->state = memory_alloc(1, sizeof(struct packs));
    if (!d->state)
        return GLT_ENOMEM;
    TRY(file_list(&names, &n, d->path));
    int code = add_split(d, SPLIT_TRAIN, names, n);
    if (code == 0)
        code = add_split(d, SPLIT_TEST, names, n);
    file_free_names(names, n);
    return code;
}

static int load_packed(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct packs *packs = d->state;
    const struct pack *p = &packs->list[e->pack];
    int64_t n = p->xyz->shape[1];
    if (d->inputs.extra)
        return error_topic(
            error_in(GLT_EDATA, p->path, "the packed shapes have coordinates only; set inputs=xyz"),
            GLT_TOPIC_INPUTS, "inputs");
    TRY(item_new(x, n, 0, false));
    x->category = e->category;
    int code = arrays_values(x->xyz, GLT_F32, p->xyz, e->first * n * 3, n * 3);
    for (int64_t i = 0; i < 3 * n; i++)
        x->xyz[i] = (float)((double)x->xyz[i] * p->scale);
    if (code == 0)
        code = item_keep_finite(x, e->name);
    return code;
}

static void close_packs(struct dataset *d)
{
    struct packs *packs = d->state;
    for (int i = 0; packs && i < packs->n; i++)
        arrays_free(&packs->list[i].arrays);
    memory_free(packs);
}

const struct dataset_type dataset_modelnet_npz = {
    .name = "modelnet-npz",
    .about = "shapes of equal size packed by numpy, one class each",
    .probe = probe_packs,
    .open = open_packs,
    .load = load_packed,
    .close = close_packs,
};
