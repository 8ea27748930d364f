/* Finding the share folder: see share.h. */
#include "core/share.h"

#include "version.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The share folder beside the file this code came from: the program, or the shared library. */
static bool find_beside(char *dst, size_t size, bool library)
{
    char path[PATH_MAX] = "";
    Dl_info info;
    if (!library) {
        ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
        path[len > 0 ? len : 0] = 0;
    } else if (dladdr((void *)(uintptr_t)share_folder, &info) && info.dli_fname) {
        snprintf(path, sizeof path, "%s", info.dli_fname);
    }
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    slash[1] = 0;
    int len = snprintf(dst, size, "%s%s", path,
                       library ? GELATTO_SHARE_FROM_LIB : GELATTO_SHARE_FROM_BIN);
    return len > 0 && (size_t)len < size;
}

bool share_folder(char *dst, size_t size, int i, const char *kind)
{
    char root[PATH_MAX] = "";
    if (i == 0)
        snprintf(root, sizeof root, "%s", GELATTO_SOURCE_TREE);
    if (i == 1)
        snprintf(root, sizeof root, "%s", GELATTO_SHARE);
    if ((i == 2 || i == 3) && !find_beside(root, sizeof root, i == 3))
        root[0] = 0;
    dst[0] = 0;
    if (root[0]) {
        int len = snprintf(dst, size, "%s/%s", root, kind);
        if (len < 0 || (size_t)len >= size)
            dst[0] = 0; /* too long to be opened */
    }
    return i < SHARE_FOLDERS;
}
