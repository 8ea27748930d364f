/* ModelNet40 and ModelNet10 as PointNet++ distributes them (modelnet40_normal_resampled):
 * modelnetNN_shape_names.txt, modelnetNN_train.txt, modelnetNN_test.txt, and
 * <class>/<class>_0001.txt of "x,y,z,nx,ny,nz" lines. A folder with both lists is ModelNet40; its
 * modelnet10_shape_names.txt opens ModelNet10. */
#include "datasets/types.h"

#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "formats/format.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, LINE_MAX = 256 };

static const char *const editions[] = {"modelnet40", "modelnet10"};

/* Folder and edition a path means; false if it is no ModelNet. */
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

static int probe(const char *path)
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
        return error_set(GLT_ELIMIT, "%s: more than %d classes", o->d->path, DATASET_CLASSES_MAX);
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
        return error_set(GLT_EDATA,
                         "%s/%s_%s.txt: '%s' is of no class in %s_shape_names.txt; expected names "
                         "like chair_0001",
                         o->folder, o->edition, split_name(o->split), line, o->edition);
    int len = snprintf(path, sizeof path, "%s/%s/%s.txt", o->folder, class, line);
    if (len < 0 || (size_t)len >= sizeof path)
        return error_set(GLT_EARGUMENT, "%s: the path is too long", o->folder);
    bool val = o->split == SPLIT_TRAIN && o->seen[e.category]++ % MODELNET_VALIDATION_EVERY == 0;
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
        snprintf(path, sizeof path, "%s/%s_%s.txt", o->folder, o->edition, split_name(o->split));
        TRY(each_line(path, add_shape, o));
    }
    return 0;
}

static int open_set(struct dataset *d)
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

static int load(struct item *x, const struct dataset *d, const struct entry *e)
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
    "modelnet", "ModelNet40 or 10 as text, 10,000 points with normals", probe, open_set, load, NULL,
    true};
