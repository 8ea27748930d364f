/* Any folder of clouds, described by a small YAML file:
 *
 *   path: scans              # where the clouds are, from the YAML's folder; default: that folder
 *   train: [a, "b/x*.ply"]   # folders, patterns (** crosses folders), files, or lists of them;
 *                            # see folder_files.c
 *   val: held_out            # without it a seeded tenth of train
 *   test: test
 *   task: segment            # or classify (class = the file's folder), parts
 *   names: [ground, tree]    # or {2: ground, 5: tree}: numbers of the files
 *   colors: ["#808080", [0, 160, 0]]
 *   ignore: [noise, 255]     # names or numbers of the files; rest: all others
 *   map: {shrub: tree, 9: ground} # or rest: tree
 *   labels: .labels          # a file beside each cloud; or "../labels/{name}.npy",
 *                            # or ends of names: {_points.npy: _labels.npy}
 *   label_attribute: gt      # the attribute that holds the labels; by default label
 *   columns: x,y,z,label,-   # of text and raw files, where a guess is wrong; - skips one
 *   parts: {chair: 4, mug: 2} # task parts: categories (= the file's folder) and their parts,
 *                            # which names may name; without it names are like chair.seat
 *   files: {"b*.las": {ignore: [1], weight: 0.5}} # rules of some files, before those of all:
 *                            # ignore and map as above, weight of their samples in an epoch
 *
 *   truth: reviewed          # learn from points whose attribute `reviewed` is set, and no others
 *   replay: synth:rooms      # old data to mix in; or none, or {data: PATH, share: 0.5}
 *
 * Classes are mapped by name where the files name theirs. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/yaml.h"
#include "datasets/dataset.h"
#include "datasets/dataset_labels.h"
#include "datasets/folder_files.h"
#include "datasets/folder_yaml.h"
#include "formats/format.h"
#include "sampling/item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = FOLDER_FILES_PATH };

struct folder {
    struct yaml *yaml;
    char root[PATH_SIZE];
    const struct yaml *labels; /* the label files; NULL: labels are in the clouds */
};

static int probe(const char *path)
{
    bool yaml = folder_files_ends(path, ".yaml") || folder_files_ends(path, ".yml");
    return yaml && !file_is_folder(path) && file_exists(path); /* errors are reported later */
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

static int add_file(struct dataset *d, enum split s, const char *path)
{
    const struct folder *f = d->state;
    size_t root = strlen(f->root);
    bool under = !strncmp(path, f->root, root) && (path[root] == '/' || f->root[root - 1] == '/');
    const char *name = under ? path + root : path;
    char parent[256], labels[PATH_SIZE];
    struct entry e = {
        .name = (char *)name + (under && *name == '/'), .path = (char *)path, .category = -1};
    parent_name(parent, path);
    if (!file_exists(path))
        return dataset_add_missing(d, path, e.name);
    if (d->task == TASK_CLASSIFY) {
        TRY(dataset_map_name(&e.category, d, parent, path));
        if (e.category < 0)
            return 0; /* shapes have nothing else to learn */
    }
    if (d->task == TASK_PARTS && (e.category = classes_category(&d->classes, parent)) < 0)
        return error_topic(
            error_in(GLT_EDATA, path, "its folder '%s' is not a category of `parts`", parent),
            GLT_TOPIC_CATEGORY, parent);
    if (d->task != TASK_CLASSIFY && f->labels) {
        TRY(folder_files_label_path(labels, f->labels, path));
        e.labels = labels;
        if (!file_exists(labels))
            return dataset_add_missing(d, labels, e.name);
    }
    while (e.rules < d->n_rules && !folder_files_matches(d->rules[e.rules].pattern, e.name))
        e.rules++;
    e.rules = e.rules < d->n_rules ? e.rules + 1 : 0;
    return dataset_add(d, s, &e);
}

/* One folder, pattern or file of a split. */
static int add_place(struct dataset *d, enum split s, const struct yaml *node)
{
    const struct folder *f = d->state;
    char **paths = NULL;
    size_t n = 0;
    TRY(folder_files_find(&paths, &n, f->root, f->labels, node));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++)
        code = add_file(d, s, paths[i]);
    file_free_names(paths, n);
    return code;
}

/* A key whose value is not written yet. */
static bool is_blank(const struct yaml *node)
{
    static const char *const blanks[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        if (node->kind == YAML_SCALAR && node->plain && !strcmp(node->text, blanks[i]))
            return true;
    return false;
}

static int add_split(struct dataset *d, enum split s)
{
    const struct folder *f = d->state;
    const struct yaml *node = yaml_find(f->yaml, dataset_split_name(s));
    if (!node || is_blank(node))
        return 0;
    if (node->kind == YAML_SCALAR)
        return add_place(d, s, node);
    for (size_t i = 0; node->kind == YAML_LIST && i < node->n; i++)
        TRY(add_place(d, s, node->item[i]));
    return node->kind == YAML_LIST
               ? 0
               : error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                      "%s: give a folder, a pattern or a list of them",
                                      dataset_split_name(s)),
                             GLT_TOPIC_VALUE, dataset_split_name(s));
}

/* --- files that the patterns name more than once ---
 *
 * A cloud counts once in a split. One that is in two splits stays in both, in case that is
 * intended, but with a warning: a score on training data means nothing. */

struct place {
    struct entry *entry;
    enum split split;
};

/* By path, then by split, then in the order they were added. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->entry->path, y->entry->path);
    if (order == 0)
        order = (int)x->split - (int)y->split;
    return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static int list_places(struct place **out, size_t *n, const struct dataset *d)
{
    size_t all = 0, at = 0;
    for (int s = 0; s < SPLITS; s++)
        all += (size_t)d->split[s].n;
    struct place *list = memory_alloc(all + 1, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < d->split[s].n; i++)
            list[at++] = (struct place){&d->split[s].list[i], (enum split)s};
    qsort(list, all, sizeof *list, compare_places);
    *out = list;
    *n = all;
    return 0;
}

static void close_gaps(struct entries *e)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < e->n; i++)
        if (e->list[i].path)
            e->list[kept++] = e->list[i];
    e->n = kept;
}

static int drop_repeats(struct dataset *d)
{
    struct place *list, *last = NULL, *shared = NULL;
    size_t n;
    int32_t both = 0;
    TRY(list_places(&list, &n, d));
    for (size_t i = 0; i < n; i++) {
        bool again = last && !strcmp(last->entry->path, list[i].entry->path);
        if (again && last->split == list[i].split) {
            dataset_clear_entry(list[i].entry);
            continue;
        }
        if (again && both++ == 0)
            shared = &list[i];
        last = &list[i];
    }
    if (shared)
        log_warning(
            GLT_TOPIC_DUPLICATE, dataset_split_name(shared->split),
            "%s: files that are in two splits: %d, the first is %s in %s: a score on training "
            "data means nothing",
            d->path, both, shared->entry->path, dataset_split_name(shared->split));
    for (int s = 0; s < SPLITS; s++)
        close_gaps(&d->split[s]);
    memory_free(list);
    return 0;
}

/* --- opening and loading --- */

static int find_root(struct folder *f, const char *path)
{
    char folder[PATH_SIZE] = ".";
    const char *slash = strrchr(path, '/'), *given = NULL;
    const struct yaml *node = yaml_find(f->yaml, "path");
    if (strlen(path) >= sizeof folder)
        return error_topic(error_in(GLT_EARGUMENT, path, "the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
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
        return error_topic(
            error_in(GLT_EIO, path, "%s: there is no such folder; correct `path`", f->root),
            GLT_TOPIC_NOT_FOUND, NULL);
    return 0;
}

/* Old data is named like `path`: relative to the folder of the YAML file. */
static int place_replay(struct dataset *d)
{
    char path[PATH_SIZE], folder[PATH_SIZE];
    const char *slash = strrchr(d->path, '/');
    if (!d->replay || !slash || d->replay[0] == '/' || !strcmp(d->replay, "none") ||
        !strncmp(d->replay, "synth:", 6))
        return 0;
    snprintf(folder, sizeof folder, "%.*s", slash == d->path ? 1 : (int)(slash - d->path), d->path);
    TRY(file_join(path, sizeof path, folder, d->replay));
    memory_free(d->replay);
    return (d->replay = memory_string(path)) ? 0 : GLT_ENOMEM;
}

static bool is_used(const struct dataset *d, int32_t rule)
{
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < d->split[s].n; i++)
            if (d->split[s].list[i].rules == rule + 1)
                return true;
    return false;
}

/* A misspelt pattern would lose its rules without a word. */
static void warn_of_rules(const struct dataset *d)
{
    const char *first = NULL;
    int32_t unused = 0;
    for (int32_t i = 0; i < d->n_rules; i++) {
        if (is_used(d, i))
            continue;
        first = first ? first : d->rules[i].pattern;
        unused++;
    }
    if (unused == 1)
        log_warning(GLT_TOPIC_VALUE, "files",
                    "%s: files: %s matches no cloud that has no earlier rule", d->path, first);
    else if (unused)
        log_warning(
            GLT_TOPIC_VALUE, "files",
            "%s: files: %d patterns match no cloud that has no earlier rule, the first is %s",
            d->path, unused, first);
}

static int open_set(struct dataset *d)
{
    struct folder *f = memory_alloc(1, sizeof *f);
    const char *columns = NULL, *attribute = NULL;
    if (!f)
        return GLT_ENOMEM;
    d->state = f;
    TRY(yaml_read(&f->yaml, d->path));
    TRY(folder_yaml_check_keys(f->yaml));
    if (!yaml_find(f->yaml, "train") && !yaml_find(f->yaml, "val") && !yaml_find(f->yaml, "test"))
        return error_topic(error_in(GLT_EFORMAT, d->path,
                                    "no `train`: say which clouds it has, as in train: \"*.ply\" "
                                    "(docs/reference/datasets.md)"),
                           GLT_TOPIC_SPLIT, "train");
    const struct yaml *node = yaml_find(f->yaml, "labels");
    f->labels = node && is_blank(node) ? NULL : node;
    TRY(folder_files_check_labels(f->labels));
    if ((node = yaml_find(f->yaml, "columns")) && !is_blank(node))
        TRY(yaml_string(&columns, node));
    if (columns && !(d->columns = memory_string(columns)))
        return GLT_ENOMEM;
    if ((node = yaml_find(f->yaml, "label_attribute")) && !is_blank(node))
        TRY(yaml_string(&attribute, node));
    if (attribute && !(d->label_attribute = memory_string(attribute)))
        return GLT_ENOMEM;
    TRY(find_root(f, d->path));
    if (!(d->folder = memory_string(f->root)))
        return GLT_ENOMEM;
    TRY(folder_yaml_classes(d, f->yaml));
    TRY(folder_yaml_files(d, f->yaml));
    TRY(folder_yaml_truth(d, f->yaml));
    TRY(place_replay(d));
    for (int s = 0; s < SPLITS; s++)
        TRY(add_split(d, (enum split)s));
    warn_of_rules(d);
    return drop_repeats(d);
}

/* A shape may have only parts of its own category, or ignored ones. */
static int check_parts(const struct item *x, const struct dataset *d, const struct entry *e)
{
    int32_t first, count;
    classes_range(&first, &count, &d->classes, e->category);
    for (int32_t i = 0; i < x->n; i++)
        if (x->labels[i] >= 0 && (x->labels[i] < first || x->labels[i] >= first + count))
            return error_topic(
                error_place(error_in(GLT_EDATA, e->labels ? e->labels : e->path,
                                     "point %d has part %d ('%s'); a %s has %d to %d: parts are "
                                     "counted through all categories",
                                     x->row[i], x->labels[i], d->classes.names[x->labels[i]],
                                     d->classes.categories[e->category].name, first,
                                     first + count - 1),
                            GLT_PLACE_POINT, x->row[i]),
                GLT_TOPIC_LABELS, NULL);
    return 0;
}

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct folder *f = d->state;
    struct format_options how = {.columns = d->columns};
    if (d->task != TASK_CLASSIFY && !f->labels)
        how.label_attribute = dataset_label_attribute(d);
    struct glt_cloud *c;
    TRY(format_read(&c, e->path, &how));
    int code = item_from_cloud(x, c, &d->inputs, e->path);
    if (code == 0 && d->task != TASK_CLASSIFY)
        code = f->labels ? dataset_label_file(x, d, e, c->n) : dataset_label(x, d, e, c, e->path);
    if (code == 0 && d->task != TASK_CLASSIFY && !x->labels)
        code = error_topic(
            error_in(GLT_EDATA, e->path,
                     "no labels: give the points an attribute `label`, or name them in the "
                     "YAML (labels: .labels, label_attribute: NAME)"),
            GLT_TOPIC_LABELS, NULL);
    if (code == 0 && d->task == TASK_PARTS)
        code = check_parts(x, d, e);
    cloud_free(c);
    x->category = e->category;
    return code;
}

static void close_set(struct dataset *d)
{
    struct folder *f = d->state;
    if (f)
        yaml_release(f->yaml);
    memory_free(f);
}

const struct dataset_type dataset_folder = {
    .name = "folder",
    .about = "any folder of clouds, described by a YAML file",
    .probe = probe,
    .open = open_set,
    .load = load,
    .close = close_set,
    .cached = true,
    .described = true,
};
