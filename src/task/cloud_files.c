/* Operands of a command line as files: one file, standard input, all clouds under a folder, or the
 * matches of a pattern. */
#include "core/error.h"
#include "core/file_folder.h"
#include "formats/format.h"
#include "gelatto_tool.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    glt_file_fn *fn;
    void *user;
    const char *pattern; /* NULL: any cloud */
    size_t base;         /* bytes of the path before the part under the folder */
    int64_t found;
};

/* In a folder, only files whose extension always means a cloud are taken. */
static bool is_cloud(const char *path)
{
    const struct format *f;
    return format_by_extension(&f, path) == 0;
}

/* The path as the user would write it. */
static const char *show(const struct search *s, const char *path)
{
    bool dot = s->pattern && strncmp(s->pattern, "./", 2) && !strncmp(path, "./", 2);
    return dot ? path + 2 : path;
}

static bool matches(const char *pattern, const char *path)
{
    return fnmatch(pattern, path, FNM_PATHNAME | FNM_PERIOD) == 0;
}

/* Whether a folder may hold matches: the pattern has more parts, and as many as the folder's match
 * it. */
static bool enter(void *user, const char *folder)
{
    const struct search *s = user;
    char first[PATH_MAX];
    if (!s->pattern)
        return true;
    const char *shown = show(s, folder), *end = strchr(s->pattern, '/');
    for (const char *p = shown; end && (p = strchr(p, '/')); p++)
        end = strchr(end + 1, '/');
    if (!end)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(end - s->pattern), s->pattern);
    return matches(first, shown);
}

static int visit(void *user, const char *path)
{
    struct search *s = user;
    const char *shown = show(s, path);
    if (s->pattern ? !matches(s->pattern, shown) : !is_cloud(path))
        return 0;
    s->found++;
    return s->fn(s->user, shown, path + s->base);
}

/* The folder before the first part with a wildcard. */
static int pattern_folder(char *dst, size_t size, const char *pattern)
{
    const char *wild = strpbrk(pattern, "*?[");
    size_t len = (size_t)(wild - pattern);
    while (len > 0 && pattern[len - 1] != '/')
        len--;
    if (len >= size)
        return error_topic(error_set(GLT_EARGUMENT, "%.40s...: the path is too long", pattern),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    snprintf(dst, size, "%.*s", (int)len, pattern);
    if (len == 0)
        snprintf(dst, size, "%s", ".");
    else if (len > 1)
        dst[len - 1] = 0;
    return 0;
}

int glt_cloud_files(const char *word, glt_file_fn *fn, void *user)
{
    REQUIRE(word, fn);
    char folder[PATH_MAX];
    struct search s = {.fn = fn, .user = user};
    if (!strcmp(word, "-"))
        return fn(user, word, "stdin");
    if (file_exists(word) && !file_is_folder(word)) {
        const char *slash = strrchr(word, '/');
        return fn(user, word, slash ? slash + 1 : word);
    }
    if (file_is_folder(word)) {
        if ((size_t)snprintf(folder, sizeof folder, "%s", word) >= sizeof folder)
            return error_topic(error_set(GLT_EARGUMENT, "%.40s...: the path is too long", word),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
    } else if (strpbrk(word, "*?[")) {
        s.pattern = word;
        TRY(pattern_folder(folder, sizeof folder, word));
    } else {
        return error_topic(error_in(GLT_EIO, word, "there is no such file or folder"),
                           GLT_TOPIC_NOT_FOUND, NULL);
    }
    for (size_t len = strlen(folder); len > 1 && folder[len - 1] == '/'; len--)
        folder[len - 1] = 0;
    s.base = strlen(folder) + (strcmp(folder, "/") != 0);
    TRY(file_walk_some(folder, enter, visit, &s));
    if (s.found == 0)
        return error_topic(error_in(GLT_EDATA, word, "it has no clouds"), GLT_TOPIC_MISSING, NULL);
    return 0;
}

int glt_same_file(const char *a, const char *b)
{
    char x[PATH_MAX], y[PATH_MAX];
    return a && b && realpath(a, x) && realpath(b, y) && !strcmp(x, y);
}
