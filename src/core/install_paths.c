/* Finding the share folder: see install_paths.h. */
#include "core/install_paths.h"

#include "version.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder, with its slash, of the file that contains this code: the program, or the shared
 * library. */
static bool find_own(char path[PATH_MAX], bool library)
{
    Dl_info info;
    path[0] = 0;
    if (!library) {
        ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
        path[len > 0 ? len : 0] = 0;
    } else if (dladdr((void *)(uintptr_t)install_paths_folder, &info) && info.dli_fname) {
        snprintf(path, PATH_MAX, "%s", info.dli_fname);
    }
    char *slash = strrchr(path, '/');
    if (slash)
        slash[1] = 0;
    return slash;
}

bool install_paths_folder(char *dst, size_t size, int i, const char *kind)
{
    static const struct {
        const char *place; /* from the folder of the program or the library */
        bool library;
    } beside[] = {{"share/gelatto", false}, /* build tree */
                  {"share/gelatto", true},
                  {GELATTO_SHARE_FROM_BIN, false},
                  {GELATTO_SHARE_FROM_LIB, true}};
    enum { BESIDE = sizeof beside / sizeof *beside };
    _Static_assert(INSTALL_PATHS == BESIDE + 1, "and the configured one");
    char own[PATH_MAX] = "";
    int len = -1;
    if (i < BESIDE && find_own(own, beside[i].library))
        len = snprintf(dst, size, "%s%s/%s", own, beside[i].place, kind);
    else if (i == BESIDE)
        len = snprintf(dst, size, "%s/%s", GELATTO_SHARE, kind);
    if (len < 0 || (size_t)len >= size)
        dst[0] = 0; /* none, or too long to be opened */
    return i < INSTALL_PATHS;
}
