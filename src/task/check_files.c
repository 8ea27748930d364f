/* Files that are listed but missing, and files that are present but unused. */
#include "task/check_files.h"

#include "config/settings.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_labels.h"
#include "datasets/rooms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORTED_MAX = 20 };

static void report_missing(struct check *c)
{
    const struct entries *m = &c->data->missing;
    for (int32_t i = 0; i < m->n && i < REPORTED_MAX; i++)
        check_say(c, "missing", CHECK_ERROR, m->list[i].path,
                  "listed, but missing; restore it or remove it from the list");
    if (m->n > REPORTED_MAX)
        check_say(c, "missing", CHECK_ERROR, c->data->path, "listed files that are missing too: %d",
                  m->n - REPORTED_MAX);
}

/* Paths of all entries and label files, with links and ".." resolved as in a walk, sorted. */
struct known {
    char **list;
    size_t n;
    size_t root; /* length of the folder's path */
    int32_t unused;
    struct check *check;
};

static const char *resolve(char real[PATH_MAX], const char *path)
{
    return realpath(path, real) ? real : path;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The file itself, or the annotated room around it. */
static bool is_known(const struct known *k, const char *path)
{
    if (bsearch(&path, k->list, k->n, sizeof *k->list, by_text))
        return true;
    size_t low = 0, high = k->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(k->list[middle], path) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; back < 2 && back < low; back++) {
        const char *before = k->list[low - 1 - back];
        size_t len = strlen(before);
        if (!strncmp(before, path, len) && path[len] == '/')
            return true;
    }
    return false;
}

/* Files that people keep beside data without harm. */
static bool is_harmless(const char *relative)
{
    static const char *const endings[] = {".md",   ".yaml", ".yml", ".json", ".tsv",
                                          ".html", ".pdf",  ".png", ".jpg",  ".item"};
    const char *slash = strrchr(relative, '/'), *name = slash ? slash + 1 : relative;
    if (relative[0] == '.' || strstr(relative, "/.") || string_begins_nocase(name, "readme") ||
        string_begins_nocase(name, "licen") || rooms_is_angle(name))
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t len = strlen(name), end = strlen(endings[i]);
        if (len > end && !string_compare_nocase(name + len - end, endings[i]))
            return true;
    }
    size_t len = strlen(name);
    bool top = !slash; /* lists of names are at the top */
    return top && len > 4 && !strcmp(name + len - 4, ".txt");
}

/* Shapes of a class that the dataset ignores are rightly in no split. */
static bool is_ignored(const struct dataset *d, const char *path)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (d->task != TASK_CLASSIFY || !slash)
        return false;
    *slash = 0;
    slash = strrchr(folder, '/');
    int32_t class;
    return dataset_map_name(&class, d, slash ? slash + 1 : folder, path) == 0 && class < 0;
}

static int look_at(void *user, const char *path)
{
    struct known *k = user;
    const char *relative = path + k->root;
    while (*relative == '/')
        relative++;
    char real[PATH_MAX];
    if (is_known(k, resolve(real, path)) || is_harmless(relative) ||
        is_ignored(k->check->data, path))
        return 0;
    if (k->unused++ < REPORTED_MAX)
        check_say(k->check, "unused file", CHECK_NOTE, path,
                  "not used: no cloud of train, val or test, and no labels of one");
    return 0;
}

static int add_known(struct known *k, const char *path)
{
    char real[PATH_MAX];
    if (!(k->list[k->n] = call_string(&k->check->call, resolve(real, path))))
        return GLT_ENOMEM;
    k->n++;
    return 0;
}

static int find_known(struct known *k, const struct dataset *d)
{
    for (int s = 0; s < SPLITS; s++) {
        for (int32_t i = 0; i < d->split[s].n; i++) {
            const struct entry *e = &d->split[s].list[i];
            TRY(add_known(k, e->path));
            if (e->labels)
                TRY(add_known(k, e->labels));
        }
    }
    qsort(k->list, k->n, sizeof *k->list, by_text);
    return 0;
}

int check_files(struct check *c)
{
    const struct dataset *d = c->data;
    struct known k = {.check = c};
    report_missing(c);
    if (!d->folder || !d->type->cached)
        return 0; /* packings hold all clouds in a few files */
    if (d->settings.subset > 1 || d->settings.category[0]) {
        check_say(c, "unused file", CHECK_NOTE, "",
                  "not looked for: subset and category leave clouds out on purpose");
        return 0;
    }
    k.root = strlen(d->folder);
    k.list = call_alloc(&c->call, 2 * (size_t)c->n + 1, sizeof *k.list);
    if (!k.list)
        return GLT_ENOMEM;
    TRY(find_known(&k, d));
    TRY(file_walk(d->folder, look_at, &k));
    if (k.unused > REPORTED_MAX)
        check_say(c, "unused file", CHECK_NOTE, d->folder, "further files that are not used: %d",
                  k.unused - REPORTED_MAX);
    return 0;
}
