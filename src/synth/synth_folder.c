/* The folder of a synthetic set: see synth_folder.h. */
#include "synth/synth_folder.h"

#include "core/error.h"
#include "core/file_folder.h"

#include <string.h>

enum { PATH_SIZE = 4096 };

int synth_folder_check(const char *folder, const char *first, bool replace)
{
    char path[PATH_SIZE];
    TRY(file_join(path, sizeof path, folder, first));
    if (file_exists(path) && !replace)
        return error_topic(
            error_file(error_set(GLT_EEXISTS,
                                 "%s already exists: choose another folder, or replace it", path),
                       path),
            GLT_TOPIC_EXISTS, "replace");
    return 0;
}

/* <stem>_<number>.ply, .las or .laz */
static bool is_numbered(const char *name, const char *stem)
{
    size_t len = strlen(stem);
    if (strncmp(name, stem, len) || name[len] != '_')
        return false;
    size_t digits = strspn(name + len + 1, "0123456789");
    const char *end = name + len + 1 + digits;
    return digits > 0 && (!strcmp(end, ".ply") || !strcmp(end, ".las") || !strcmp(end, ".laz"));
}

int synth_folder_clear(const char *folder, const char *stem)
{
    char path[PATH_SIZE], **names = NULL;
    size_t n = 0;
    if (!file_is_folder(folder))
        return 0;
    TRY(file_list(&names, &n, folder));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (!is_numbered(names[i], stem))
            continue;
        code = file_join(path, sizeof path, folder, names[i]);
        if (code == 0)
            code = file_remove(path);
    }
    file_free_names(names, n);
    return code;
}
