/* Any folder of clouds, described by a small YAML file:
 *
 *   path: scans              # where the clouds are, from the YAML's folder; default: that folder
 *   train: [a, "b/x*.ply"]   # folders, patterns (** crosses folders), files, or lists of them
 *   val: held_out            # without it a seeded tenth of train
 *   test: test
 *   task: segment            # or classify (class = the file's folder), parts
 *   names: [ground, tree]    # or {0: ground, 1: tree}
 *   colors: ["#808080", [0, 160, 0]]
 *   ignore: [noise, 255]     # names or numbers of the files
 *   map: {shrub: tree, 9: ground}
 *   labels: .labels          # a file beside each cloud; "../labels/{name}.npy" is fine too
 *   parts: {chair: 4, mug: 2} # task parts: categories (= the file's folder) and their parts, which
 *                             # names may name; without it names are like chair.seat, chair.leg
 *
 * Classes are mapped by name where the files name theirs. */
#include "data/types.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/yaml.h"
#include "data/folder_yaml.h"
#include "data/label_file.h"
#include "io/format.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

struct folder {
    struct yaml *yaml;
    char root[PATH_SIZE];
    char labels[256]; /* pattern of label files; "" without */
};

static bool has_suffix(const char *text, const char *suffix)
{
    size_t len = strlen(text), end = strlen(suffix);
    return len >= end && !strcmp(text + len - end, suffix);
}

static int probe(const char *path)
{
    struct yaml *y;
    if (!has_suffix(path, ".yaml") && !has_suffix(path, ".yml"))
        return 0;
    if (file_is_folder(path) || !file_exists(path))
        return 0;
    int code = yaml_read(&y, path);
    if (code < 0)
        return code == GLT_ENOMEM ? code : 1; /* opening it says what is wrong */
    int yes = yaml_find(y, "train") || yaml_find(y, "test") || yaml_find(y, "val");
    yaml_release(y);
    return yes;
}

/* The name of the folder a file is in. */
static void parent_name(char dst[256], const char *path)
{
    char copy[PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    char *slash = strrchr(copy, '/');
    if (slash)
        *slash = 0;
    slash = strrchr(copy, '/');
    snprintf(dst, 256, "%.255s", slash ? slash + 1 : copy);
}

/* The label file of a cloud: its pattern with {name} filled in, or its suffix for the extension. */
static int label_path(char dst[PATH_SIZE], const struct folder *f, const char *path)
{
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "%s", path);
    char *slash = strrchr(stem, '/'), *dot = strrchr(slash ? slash : stem, '.');
    if (dot)
        *dot = 0;
    const char *hole = strstr(f->labels, "{name}");
    int len;
    if (!hole) {
        len = snprintf(dst, PATH_SIZE, "%s%s", stem, f->labels);
    } else {
        const char *name = slash ? slash + 1 : stem;
        int folder = slash ? (int)(slash - stem) + 1 : 0;
        len = snprintf(dst, PATH_SIZE, "%.*s%.*s%s%s", folder, stem, (int)(hole - f->labels),
                       f->labels, name, hole + 6);
    }
    if (len < 0 || len >= PATH_SIZE)
        return error_set(GLT_EARGUMENT, "%s: the path of its labels is too long", path);
    return 0;
}

static int add_file(struct dataset *d, enum split s, const char *path)
{
    const struct folder *f = d->inside;
    size_t root = strlen(f->root);
    const char *name = strncmp(path, f->root, root) ? path : path + root;
    char parent[256], labels[PATH_SIZE];
    struct entry e = {.name = (char *)name + (*name == '/'), .path = (char *)path, .category = -1};
    parent_name(parent, path);
    if (!file_exists(path))
        return dataset_add_missing(d, path, e.name);
    if (d->task == TASK_CLASSIFY)
        TRY(dataset_map_label(&e.category, d, 0, parent, path));
    if (d->task == TASK_PARTS && (e.category = dataset_category(d, parent)) < 0)
        return error_set(GLT_EDATA, "%s: its folder '%s' is no category of `parts`", path, parent);
    if (d->task != TASK_CLASSIFY && f->labels[0]) {
        TRY(label_path(labels, f, path));
        e.labels = labels;
        if (!file_exists(labels))
            return dataset_add_missing(d, labels, e.name);
    }
    return dataset_add(d, s, &e);
}

struct search {
    struct dataset *d;
    enum split split;
    const char *pattern; /* NULL: every cloud */
    int32_t found;
};

static int try_file(void *user, const char *path)
{
    struct search *x = user;
    const struct folder *f = x->d->inside;
    const struct format *format;
    if (x->pattern) {
        const char *name = path + strlen(f->root);
        int flags = strstr(x->pattern, "**") ? 0 : FNM_PATHNAME;
        if (fnmatch(x->pattern, name + (*name == '/'), flags))
            return 0;
    }
    if (format_by_extension(&format, path) < 0)
        return 0;
    bool suffix = f->labels[0] && !strstr(f->labels, "{name}");
    if (suffix && has_suffix(path, f->labels))
        return 0;
    x->found++;
    return add_file(x->d, x->split, path);
}

/* One folder, pattern or file of a split. */
static int add_place(struct dataset *d, enum split s, const struct yaml *node)
{
    const struct folder *f = d->inside;
    const char *text;
    char path[PATH_SIZE];
    TRY(yaml_string(&text, node));
    struct search x = {.d = d, .split = s};
    if (strpbrk(text, "*?[")) {
        x.pattern = text;
        TRY(file_walk(f->root, try_file, &x));
    } else {
        if (text[0] == '/')
            snprintf(path, sizeof path, "%s", text);
        else
            TRY(file_join(path, sizeof path, f->root, text));
        if (!file_is_folder(path))
            return add_file(d, s, path);
        TRY(file_walk(path, try_file, &x));
    }
    if (x.found == 0)
        return error_set(GLT_EDATA, "%s:%d: %s: no cloud is there", node->name, node->line, text);
    return 0;
}

static int add_split(struct dataset *d, enum split s)
{
    const struct folder *f = d->inside;
    const struct yaml *node = yaml_find(f->yaml, split_name(s));
    if (!node)
        return 0;
    if (node->kind == YAML_SCALAR)
        return add_place(d, s, node);
    for (size_t i = 0; node->kind == YAML_LIST && i < node->n; i++)
        TRY(add_place(d, s, node->item[i]));
    return node->kind == YAML_LIST
               ? 0
               : error_set(GLT_EFORMAT, "%s:%d: %s: give a folder, a pattern or a list of them",
                           node->name, node->line, split_name(s));
}

static int find_root(struct folder *f, const char *path)
{
    char folder[PATH_SIZE] = ".";
    const char *slash = strrchr(path, '/'), *given = NULL;
    const struct yaml *node = yaml_find(f->yaml, "path");
    if (strlen(path) >= sizeof folder)
        return error_set(GLT_EARGUMENT, "%s: the path is too long", path);
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (node)
        TRY(yaml_string(&given, node));
    if (given && given[0] == '/')
        snprintf(f->root, sizeof f->root, "%s", given);
    else if (given)
        TRY(file_join(f->root, sizeof f->root, folder, given));
    else
        memcpy(f->root, folder, sizeof folder);
    if (!file_is_folder(f->root))
        return error_set(GLT_EIO, "%s: %s: there is no such folder; correct `path`", path, f->root);
    return 0;
}

static int open_set(struct dataset *d)
{
    struct folder *f = memory_alloc(1, sizeof *f);
    const char *labels = "";
    if (!f)
        return GLT_ENOMEM;
    d->inside = f;
    TRY(yaml_read(&f->yaml, d->path));
    TRY(folder_check_keys(f->yaml));
    const struct yaml *node = yaml_find(f->yaml, "labels");
    if (node)
        TRY(yaml_string(&labels, node));
    if (strlen(labels) >= sizeof f->labels)
        return error_set(GLT_EARGUMENT, "%s: labels: longer than %zu bytes", d->path,
                         sizeof f->labels - 1);
    strcpy(f->labels, labels);
    TRY(find_root(f, d->path));
    if (!(d->folder = memory_string(f->root)))
        return GLT_ENOMEM;
    TRY(folder_classes(d, f->yaml));
    for (int s = 0; s < SPLITS; s++)
        TRY(add_split(d, (enum split)s));
    return 0;
}

static int read_labels(struct item *x, const struct dataset *d, int64_t n, const struct entry *e)
{
    int32_t *raw = memory_alloc((size_t)n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    int code = raw && x->labels ? label_file_read(raw, n, e->labels) : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < x->n; i++)
        code = dataset_map_label(&x->labels[i], d, raw[x->row[i]], NULL, e->labels);
    memory_free(raw);
    return code;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    struct glt_cloud *c;
    TRY(cloud_read(&c, e->path, NULL));
    int code = item_from_cloud(x, c, &d->inputs, e->path);
    if (code == 0 && d->task != TASK_CLASSIFY)
        code = e->labels ? read_labels(x, d, c->n, e) : dataset_label(x, d, c, e->path);
    if (code == 0 && d->task != TASK_CLASSIFY && !x->labels)
        code = error_set(GLT_EDATA,
                         "%s: no labels: give the points an attribute `label`, or say in the YAML "
                         "where they are (labels: .labels)",
                         e->path);
    cloud_free(c);
    x->category = e->category;
    return code;
}

static void close_set(struct dataset *d)
{
    struct folder *f = d->inside;
    if (f)
        yaml_release(f->yaml);
    memory_free(f);
}

const struct dataset_type dataset_folder = {
    "folder", "any folder of clouds, described by a YAML file", probe, open_set, load, close_set,
    true};
