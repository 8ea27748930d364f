/* The error for a path that is no known dataset. For a folder of clouds it has the YAML that would
 * make it one, with the labels of the first cloud. */
#include "datasets/suggest_yaml.h"

#include "cloud/cloud.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "core/string.h"
#include "formats/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 32 }; /* a column with more is hardly one of classes */

struct first {
    const char *folder;
    char *path;       /* of the first cloud; NULL until it is found */
    char pattern[64]; /* of clouds like it */
};

static int look_at(void *user, const char *path)
{
    struct first *x = user;
    const struct format *format;
    const char *under = path + strlen(x->folder), *dot = strrchr(path, '.');
    under += strspn(under, "/");
    if (under[0] == '.' || strstr(under, "/.") || format_by_extension(&format, path) < 0)
        return 0;
    snprintf(x->pattern, sizeof x->pattern, "%s*%s", strchr(under, '/') ? "**/" : "", dot);
    x->path = memory_string(path);
    return x->path ? GLT_EINTERRUPTED : GLT_ENOMEM; /* one is enough */
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The labels of a cloud, ascending; 0 if there are none or too many to be classes. */
static int list_labels(int32_t list[LABELS_MAX], const struct glt_cloud *c)
{
    const struct column *x = labels_given(c);
    int n = 0;
    for (int64_t i = 0; x && i < c->n; i++) {
        double value = column_value(x, i);
        if (!(value >= 0 && value <= INT32_MAX && value == floor(value)))
            continue;
        int at = 0;
        while (at < n && list[at] != (int32_t)value)
            at++;
        if (at == LABELS_MAX)
            return 0;
        list[at] = (int32_t)value;
        n += at == n;
    }
    qsort(list, (size_t)n, sizeof *list, by_value);
    return n;
}

/* names: {2: "ground", 70: class_70}, if the cloud or the ASPRS names them. */
static int add_names(struct string *out, const struct glt_cloud *c)
{
    int32_t list[LABELS_MAX];
    int n = list_labels(list, c);
    if (n == 0)
        return 0;
    for (int i = 0; i < n; i++) {
        const char *name = labels_name(c, labels_given(c), list[i]);
        string_add(out, "%s%d: ", i ? ", " : "{", list[i]);
        if (name && !strpbrk(name, "\"\\"))
            string_add(out, "\"%s\"", name);
        else
            string_add(out, "class_%d", list[i]);
    }
    string_add(out, "}");
    return 0;
}

/* A guess if the first cloud has no usable labels. */
static int propose(const char *folder, const struct first *x, const struct string *names)
{
    return error_topic(
        error_in(
            GLT_EDATA, folder,
            "a folder of no known layout (S3DIS, ShapeNetPart, ModelNet, ScanNet); give a YAML "
            "file that describes it, with all keys of docs/reference/datasets.md it needs:\n"
            "    path: \"%s\"\n"
            "    train: \"%s\"\n"
            "    names: %s  # %s",
            folder, x->pattern, names->len ? names->bytes : "{0: ground, 1: tree}",
            names->len ? "the labels of the first cloud; name them"
                       : "numbers of the labels and their names"),
        GLT_TOPIC_FORMAT, NULL);
}

int suggest_yaml(const char *path)
{
    struct first x = {.folder = path};
    struct glt_cloud *c = NULL;
    struct string names = {0};
    if (!file_is_folder(path))
        return error_topic(
            error_in(GLT_EDATA, path,
                     "no known dataset: expected a cloud, a folder or a YAML file that "
                     "describes one (docs/reference/datasets.md)"),
            GLT_TOPIC_FORMAT, NULL);
    int code = file_walk(path, look_at, &x);
    if (!x.path && code < 0)
        return code;
    if (!x.path)
        return error_topic(
            error_in(GLT_EDATA, path,
                     "it has no cloud of a known format (docs/reference/formats.md)"),
            GLT_TOPIC_MISSING, NULL);
    if (format_read(&c, x.path, NULL) == 0 && add_names(&names, c) < 0)
        names.len = 0;
    code = propose(path, &x, &names);
    cloud_free(c);
    string_free(&names);
    memory_free(x.path);
    return code;
}
