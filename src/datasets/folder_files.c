/* Files of a folder dataset: see folder_files.h.
 *
 * If a file of exactly that name exists, brackets and all, it is meant; else a text with wildcards
 * is a pattern, matched under the folder before its first wildcard. A search skips hidden names,
 * files of unknown format, and the label files of other clouds. */
#include "datasets/folder_files.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "formats/format.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct paths {
    char **list;
    size_t n;
};

static int add_path(struct paths *x, const char *path)
{
    TRY(array_reserve(&x->list, (int64_t)x->n, 1, sizeof *x->list));
    if (!(x->list[x->n] = memory_string(path)))
        return GLT_ENOMEM;
    x->n++;
    return 0;
}

/* Removes "." and doubled slashes; with `parents` also "x/..". Links may change the meaning of
 * that, so it is for comparing only. */
static void tidy(char *path, bool parents)
{
    char *start = path + (path[0] == '/'), *w = start;
    for (const char *p = path; *p;) {
        p += strspn(p, "/");
        size_t len = strcspn(p, "/");
        bool dot = len == 0 || (len == 1 && p[0] == '.');
        bool up = parents && len == 2 && !strncmp(p, "..", 2) && w > start &&
                  !(w - start >= 2 && !strncmp(w - 2, "..", 2) && (w - start == 2 || w[-3] == '/'));
        if (up) {
            while (w > start && w[-1] != '/')
                w--;
            w -= w > start;
        } else if (!dot) {
            if (w > start)
                *w++ = '/';
            memmove(w, p, len);
            w += len;
        }
        p += len;
    }
    *w = 0;
}

/* --- label files --- */

int folder_files_check_labels(const struct yaml *labels)
{
    const char *text;
    if (!labels)
        return 0;
    bool fine = labels->kind == YAML_MAP || (labels->kind == YAML_SCALAR && labels->text[0]);
    for (size_t i = 0; fine && labels->kind == YAML_MAP && i < labels->n; i++) {
        TRY(yaml_string(&text, labels->item[i]));
        fine = text[0] && labels->key[i]->text[0] && strcmp(text, labels->key[i]->text);
    }
    return fine ? 0
                : error_topic(
                      error_at(GLT_EFORMAT, labels->name, GLT_PLACE_LINE, labels->line,
                               "labels: give a suffix (.labels), a name (../labels/{name}.npy) "
                               "or {end of a cloud's name: end of its label file's}"),
                      GLT_TOPIC_VALUE, "labels");
}

bool folder_files_ends(const char *text, const char *suffix)
{
    size_t len = strlen(text), end = strlen(suffix);
    return len >= end && !strcmp(text + len - end, suffix);
}

/* The entry of a map of labels whose suffix the path has; n if none. */
static size_t find_end(const struct yaml *labels, const char *path)
{
    size_t i = 0;
    while (i < labels->n && !folder_files_ends(path, labels->key[i]->text))
        i++;
    return i;
}

static int replaced_end(char dst[FOLDER_FILES_PATH], const struct yaml *labels, const char *path)
{
    size_t i = find_end(labels, path);
    if (i == labels->n)
        return error_topic(error_in(GLT_EDATA, path, "matches no cloud ending of `labels`"),
                           GLT_TOPIC_LABELS, NULL);
    int stem = (int)(strlen(path) - strlen(labels->key[i]->text));
    return snprintf(dst, FOLDER_FILES_PATH, "%.*s%s", stem, path, labels->item[i]->text);
}

static int filled_name(char dst[FOLDER_FILES_PATH], const char *labels, const char *path)
{
    char stem[FOLDER_FILES_PATH];
    snprintf(stem, sizeof stem, "%s", path);
    char *slash = strrchr(stem, '/'), *dot = strrchr(slash ? slash : stem, '.');
    if (dot)
        *dot = 0;
    const char *hole = strstr(labels, "{name}"), *name = slash ? slash + 1 : stem;
    if (!hole)
        return snprintf(dst, FOLDER_FILES_PATH, "%s%s", stem, labels);
    int folder = slash ? (int)(slash - stem) + 1 : 0;
    return snprintf(dst, FOLDER_FILES_PATH, "%.*s%.*s%s%s", folder, stem, (int)(hole - labels),
                    labels, name, hole + 6);
}

int folder_files_label_path(char dst[FOLDER_FILES_PATH], const struct yaml *labels,
                            const char *path)
{
    int len = labels->kind == YAML_MAP ? replaced_end(dst, labels, path)
                                       : filled_name(dst, labels->text, path);
    TRY(len);
    if (len >= FOLDER_FILES_PATH)
        return error_topic(error_in(GLT_EARGUMENT, path, "the path of its labels is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

/* --- searching --- */

struct search {
    struct paths found;
    size_t base;         /* length of the folder's path */
    const char *pattern; /* NULL: every cloud */
    const struct yaml *labels;
};

/* By its name alone; label files of other clouds are removed at the end. */
static bool may_be_cloud(const struct yaml *labels, const char *path)
{
    if (labels && labels->kind == YAML_MAP)
        return find_end(labels, path) < labels->n;
    return !labels || strstr(labels->text, "{name}") || !folder_files_ends(path, labels->text);
}

static bool part_matches(const char *pattern, size_t wide, const char *name, size_t len)
{
    char a[FOLDER_FILES_PATH], b[FOLDER_FILES_PATH];
    snprintf(a, sizeof a, "%.*s", (int)wide, pattern);
    snprintf(b, sizeof b, "%.*s", (int)len, name);
    return !fnmatch(a, b, 0);
}

/* Folder by folder: "**" stands for any number of folders, including none ("**.ply" is "**" and
 * then "*.ply"), everything else for one. Only the last "**" is tried again: what is before it
 * matched at the first possible place. */
bool folder_files_matches(const char *pattern, const char *name)
{
    const char *again = NULL, *from = NULL; /* after the last "**", and the end of its match */
    for (;;) {
        size_t wide = strcspn(pattern, "/"), len = strcspn(name, "/");
        if (!strncmp(pattern, "**", 2)) {
            if (!pattern[2])
                return true; /* at the end: everything below */
            again = pattern += wide == 2 ? 3 : 1;
            from = name;
            continue;
        }
        if (wide && len && part_matches(pattern, wide, name, len)) {
            pattern += wide + (pattern[wide] == '/');
            name += len + (name[len] == '/');
            if (!*pattern && !*name)
                return true;
            if (*pattern && *name)
                continue;
        }
        if (!again || !*(from += strcspn(from, "/")))
            return false;
        name = ++from;
        pattern = again;
    }
}

static int try_file(void *user, const char *path)
{
    struct search *x = user;
    const struct format *format;
    const char *name = path + x->base;
    name += *name == '/';
    if (name[0] == '.' || strstr(name, "/.") ||
        (x->pattern && !folder_files_matches(x->pattern, name)))
        return 0;
    if (format_by_extension(&format, path) < 0 || !may_be_cloud(x->labels, path))
        return 0;
    return add_path(&x->found, path);
}

static int search_folder(struct search *x, const char *folder)
{
    x->base = strlen(folder);
    return file_is_folder(folder) ? file_walk(folder, try_file, x) : 0;
}

static int search_pattern(struct search *x, const char *root, const char *text)
{
    char folder[FOLDER_FILES_PATH], before[FOLDER_FILES_PATH];
    size_t len = strcspn(text, "*?[\\");
    while (len > 0 && text[len - 1] != '/')
        len--;
    snprintf(before, sizeof before, "%.*s", (int)len, text);
    TRY(file_join(folder, sizeof folder, before[0] == '/' ? "" : root, before));
    x->pattern = text + len;
    return search_folder(x, folder);
}

/* --- label files among the clouds --- */

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_label_files(struct paths *out, const struct paths *clouds,
                            const struct yaml *labels)
{
    char path[FOLDER_FILES_PATH], label[FOLDER_FILES_PATH];
    for (size_t i = 0; i < clouds->n; i++) {
        snprintf(path, sizeof path, "%s", clouds->list[i]);
        TRY(folder_files_label_path(label, labels, path));
        tidy(path, true);
        tidy(label, true);
        if (strcmp(path, label))
            TRY(add_path(out, label));
    }
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, compare_paths);
    return 0;
}

static void leave_out(struct paths *clouds, const struct paths *others)
{
    size_t kept = 0;
    for (size_t i = 0; i < clouds->n; i++) {
        char path[FOLDER_FILES_PATH], *key = path;
        snprintf(path, sizeof path, "%s", clouds->list[i]);
        tidy(path, true);
        if (others->n && bsearch(&key, others->list, others->n, sizeof key, compare_paths))
            memory_free(clouds->list[i]);
        else
            clouds->list[kept++] = clouds->list[i];
    }
    clouds->n = kept;
}

static int drop_label_files(struct paths *clouds, const struct yaml *labels)
{
    struct paths others = {0};
    if (!labels)
        return 0;
    int code = find_label_files(&others, clouds, labels);
    if (code == 0)
        leave_out(clouds, &others);
    file_free_names(others.list, others.n);
    return code;
}

/* --- one place --- */

static int find(struct search *x, const char *root, const struct yaml *place)
{
    char path[FOLDER_FILES_PATH], text[FOLDER_FILES_PATH];
    const char *given;
    TRY(yaml_string(&given, place));
    if (!given[0] || strlen(given) >= sizeof text)
        return error_topic(error_at(GLT_EFORMAT, place->name, GLT_PLACE_LINE, place->line,
                                    "give the name of a folder, a pattern or a file"),
                           GLT_TOPIC_VALUE, NULL);
    strcpy(text, given);
    tidy(text, false);
    TRY(file_join(path, sizeof path, text[0] == '/' ? "" : root, text));
    bool there = file_exists(path);
    const struct format *format;
    bool pattern = strpbrk(text, "*?[");
    if (!there && !pattern && format_by_extension(&format, text) < 0) /* a folder, then */
        return error_topic(error_at(GLT_EDATA, place->name, GLT_PLACE_LINE, place->line,
                                    "%s: there is no such folder or file", given),
                           GLT_TOPIC_NOT_FOUND, given);
    if (there ? !file_is_folder(path) : !pattern)
        return add_path(&x->found, path);
    TRY(there ? search_folder(x, path) : search_pattern(x, root, text));
    TRY(drop_label_files(&x->found, x->labels));
    return x->found.n ? 0
                      : error_topic(error_at(GLT_EDATA, place->name, GLT_PLACE_LINE, place->line,
                                             "%s: no cloud found", given),
                                    GLT_TOPIC_NOT_FOUND, given);
}

int folder_files_find(char ***paths, size_t *n, const char *root, const struct yaml *labels,
                      const struct yaml *place)
{
    struct search x = {.labels = labels};
    int code = find(&x, root, place);
    if (code < 0) {
        file_free_names(x.found.list, x.found.n);
        return code;
    }
    *paths = x.found.list;
    *n = x.found.n;
    return 0;
}
