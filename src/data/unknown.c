/* What is said of a path that no data set knows: for a folder of clouds, the YAML that would make
 * it one. */
#include "core/error.h"
#include "core/file.h"
#include "data/types.h"
#include "io/format.h"

#include <stdio.h>
#include <string.h>

struct first {
    const char *folder;
    char pattern[64]; /* of clouds like the first one; "" while there is none */
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
    return GLT_EINTERRUPTED; /* seen enough */
}

int dataset_refuse(const char *path)
{
    struct first x = {.folder = path};
    if (!file_is_folder(path))
        return error_set(GLT_EDATA,
                         "%s: no known data set: expected a cloud, a folder or a YAML file that "
                         "describes one (docs/data.md)",
                         path);
    int code = file_walk(path, look_at, &x);
    if (!x.pattern[0] && code < 0)
        return code;
    if (!x.pattern[0])
        return error_set(GLT_EDATA, "%s: there is no cloud of a known format (docs/formats.md)",
                         path);
    return error_set(GLT_EDATA,
                     "%s: a folder of no known layout (S3DIS, ShapeNetPart, ModelNet, ScanNet); "
                     "give a YAML file that describes it, with all keys of docs/data.md it needs:\n"
                     "    path: \"%s\"\n"
                     "    train: \"%s\"\n"
                     "    names: {0: ground, 1: tree}  # numbers of the labels and what they are",
                     path, path, x.pattern);
}
