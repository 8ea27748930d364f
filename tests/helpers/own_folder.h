/* A temporary folder of the test program: made in TMPDIR (default /tmp) on first use, removed with
 * its contents when the program ends. It does not use the library, which can be made to fail. */
#ifndef TESTS_OWN_FOLDER_H
#define TESTS_OWN_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char own_folder_path[128];
static pid_t own_folder_owner;

static inline int own_folder_entry(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return remove(path);
}

/* Removes a file, or a folder with its contents. */
static inline void own_folder_remove(const char *path)
{
    nftw(path, own_folder_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void own_folder_end(void)
{
    if (getpid() == own_folder_owner) /* not in a child that calls exit */
        own_folder_remove(own_folder_path);
}

static inline const char *own_folder(void)
{
    if (own_folder_path[0])
        return own_folder_path;
    const char *base = getenv("TMPDIR");
    int len = snprintf(own_folder_path, sizeof own_folder_path, "%s/gelatto-test-XXXXXX",
                       base && base[0] ? base : "/tmp");
    if (len >= (int)sizeof own_folder_path || !mkdtemp(own_folder_path) || atexit(own_folder_end)) {
        perror("a folder for the test");
        abort();
    }
    own_folder_owner = getpid();
    return own_folder_path;
}

#endif
