/* Finding the share folder: see share.h. */
#include "core/install_paths.h"

#include "version.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folder of the file this code came from, with its slash: the program, or the shared library.
 */
static bool find_own(char path[PATH_MAX], bool library)
{
    Dl_info info;
    path[0] = 0;
    if (!library) {
        ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
        path[len > 0 ? len : 0] = 0;
    } else if (dladdr((void *)(uintptr_t)share_folder, &info) && info.dli_fname) {
        snprintf(path, PATH_MAX, "%s", info.dli_fname);
    }
    char *slash = strrchr(path, '/');
    if (slash)
        slash[1] = 0;
    return slash;
}

/* What was installed is complete: a source tree that is still there, or that somebody else has put
 * there, has no say in it. */
static bool is_in_build_tree(void)
{
    static const char tree[] = GELATTO_BUILD_TREE "/";
    char path[PATH_MAX];
    return (find_own(path, false) && !strncmp(path, tree, sizeof tree - 1)) ||
           (find_own(path, true) && !strncmp(path, tree, sizeof tree - 1));
}

static bool find_beside(char *dst, size_t size, bool library)
{
    char path[PATH_MAX];
    if (!find_own(path, library))
        return false;
    int len = snprintf(dst, size, "%s%s", path,
                       library ? GELATTO_SHARE_FROM_LIB : GELATTO_SHARE_FROM_BIN);
    return len > 0 && (size_t)len < size;
}

bool share_folder(char *dst, size_t size, int i, const char *kind)
{
    char root[PATH_MAX] = "";
    if (i == 0 && is_in_build_tree())
        snprintf(root, sizeof root, "%s", GELATTO_SOURCE_TREE);
    if ((i == 1 || i == 2) && !find_beside(root, sizeof root, i == 2))
        root[0] = 0;
    if (i == 3)
        snprintf(root, sizeof root, "%s", GELATTO_SHARE);
    dst[0] = 0;
    if (root[0]) {
        int len = snprintf(dst, size, "%s/%s", root, kind);
        if (len < 0 || (size_t)len >= size)
            dst[0] = 0; /* too long to be opened */
    }
    return i < SHARE_FOLDERS;
}
