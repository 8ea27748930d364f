/* Folders: see file_folder.h. */
#include "core/file_folder.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file_internal.h"
#include "core/file_syscall.h"
#include "core/log.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool file_exists(const char *path)
{
    struct stat info;
    return file_syscall_stat(&info, path, true) == 0;
}

#ifdef __APPLE__
#define ST_MTIM st_mtimespec
#else
#define ST_MTIM st_mtim
#endif

int file_stamp(int64_t *bytes, int64_t *modified, const char *path)
{
    struct stat info;
    if (file_syscall_stat(&info, path, true))
        return file_fail(path, "look at");
    *bytes = info.st_size;
    *modified = (int64_t)info.ST_MTIM.tv_sec * 1000000000 + info.ST_MTIM.tv_nsec;
    return 0;
}

bool file_is_regular(const char *path)
{
    struct stat info;
    return file_syscall_stat(&info, path, true) == 0 && S_ISREG(info.st_mode);
}

bool file_is_folder(const char *path)
{
    struct stat info;
    return file_syscall_stat(&info, path, true) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_own_folder(const char *path)
{
    struct stat info;
    return file_syscall_stat(&info, path, false) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_plain(const char *path)
{
    struct stat info;
    return file_syscall_stat(&info, path, false) ? errno == ENOENT : S_ISREG(info.st_mode);
}

int file_sync_name(const char *path)
{
    char folder[PATH_MAX + 2];
    const char *slash = strrchr(path, '/');
    int fd, length = slash ? (int)(slash - path) + 1 : 0;
    snprintf(folder, sizeof folder, "%.*s.", length, path);
    do
        fd = file_syscall_open(folder, O_RDONLY | O_DIRECTORY, 0);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno == EACCES ? 0 : -1;
    int code = file_syscall_sync(fd), reason = errno;
    if (code && reason == EINVAL) /* some file systems cannot */
        code = 0;
    if (file_syscall_close(fd) && code == 0)
        return -1;
    errno = reason;
    return code;
}

/* Makes one folder and syncs its name: files synced in it later must not be lost with it. */
static int make_one(const char *path, int mode)
{
    return file_syscall_make_folder(path, mode) || file_sync_name(path) ? -1 : 0;
}

static int make_folder(const char *path, int mode)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    if (len == 0 || len >= sizeof part)
        return error_topic(error_in(GLT_EIO, path, "a folder name has 1 to %d bytes", PATH_MAX - 1),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    memcpy(part, path, len + 1);
    int reason = 0; /* why the first missing part could not be made */
    for (size_t i = 1; i <= len; i++) {
        if (part[i] != '/' && part[i] != 0)
            continue;
        char end = part[i];
        part[i] = 0;
        if (make_one(part, end ? 0777 : mode) == 0 || errno == EEXIST)
            reason = 0; /* a parent on a read-only disk may exist all the same */
        else if (reason == 0)
            reason = errno;
        part[i] = end;
    }
    errno = reason;
    if (reason)
        return file_fail(path, "create the folder");
    if (!file_is_folder(path))
        return error_topic(
            error_file(error_set(GLT_EEXISTS, "%s already exists and is not a folder", path), path),
            GLT_TOPIC_KIND, NULL);
    return 0;
}

int file_make_folder(const char *path)
{
    return make_folder(path, 0777);
}

int file_make_private_folder(const char *path)
{
    return make_folder(path, 0700);
}

bool file_is_private_folder(const char *path)
{
    struct stat info;
    return file_syscall_stat(&info, path, true) == 0 && S_ISDIR(info.st_mode) &&
           info.st_uid == geteuid() && !(info.st_mode & 022);
}

int file_remove(const char *path)
{
    return file_syscall_remove(path) ? file_fail(path, "remove") : 0;
}

int file_join(char *dst, size_t size, const char *folder, const char *name)
{
    size_t len = strlen(folder);
    const char *slash = len == 0 || folder[len - 1] == '/' ? "" : "/";
    int need = snprintf(dst, size, "%s%s%s", folder, slash, name);
    if (need < 0 || (size_t)need >= size)
        return error_topic(error_set(GLT_ELIMIT, "%s%s%s: the path is longer than %zu bytes",
                                     folder, slash, name, size - 1),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

bool file_exists_in(const char *folder, const char *name)
{
    char path[4096];
    return file_join(path, sizeof path, folder, name) == 0 && file_exists(path);
}

struct names {
    char **name;
    size_t n;
};

static int add_name(struct names *list, const char *name)
{
    TRY(array_reserve(&list->name, (int64_t)list->n, 1, sizeof *list->name));
    char *copy = memory_string(name);
    if (!copy)
        return GLT_ENOMEM;
    list->name[list->n++] = copy;
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_names(struct names *list, DIR *stream, const char *folder)
{
    for (;;) {
        const struct dirent *entry = file_syscall_read_folder(stream);
        if (!entry)
            return errno ? file_fail(folder, "list the folder") : 0;
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            TRY(add_name(list, entry->d_name));
    }
}

int file_list(char ***names, size_t *n, const char *folder)
{
    DIR *stream = file_syscall_open_folder(folder);
    if (!stream)
        return file_fail(folder, "list the folder");
    struct names list = {0};
    int code = read_names(&list, stream, folder);
    file_syscall_close_folder(stream);
    if (code < 0) {
        file_free_names(list.name, list.n);
        return code;
    }
    if (list.n)
        qsort(list.name, list.n, sizeof *list.name, compare_names);
    *names = list.name;
    *n = list.n;
    return 0;
}

void file_free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memory_free(names[i]);
    memory_free(names);
}

static int visit(const char *path, file_enter_fn *enter, file_visit_fn *fn, void *user)
{
    struct stat info;
    if (file_syscall_stat(&info, path, false))
        return file_fail(path, "look at it");
    if (S_ISDIR(info.st_mode))
        return !enter || enter(user, path) ? file_walk_some(path, enter, fn, user) : 0;
    if (S_ISLNK(info.st_mode) && file_syscall_stat(&info, path, true))
        return errno == ENOENT ? 0 : file_fail(path, "look at it"); /* a dangling link */
    return S_ISREG(info.st_mode) ? fn(user, path) : 0;
}

int file_walk(const char *folder, file_visit_fn *fn, void *user)
{
    return file_walk_some(folder, NULL, fn, user);
}

int file_walk_some(const char *folder, file_enter_fn *enter, file_visit_fn *fn, void *user)
{
    char **names;
    size_t n;
    TRY(file_list(&names, &n, folder));
    int code = 0;
    char *path = memory_alloc(PATH_MAX, 1); /* not on the stack: folders may be nested deeply */
    if (!path)
        code = GLT_ENOMEM;
    for (size_t i = 0; i < n && code >= 0; i++) {
        code = file_join(path, PATH_MAX, folder, names[i]);
        if (code >= 0)
            code = visit(path, enter, fn, user);
    }
    memory_free(path);
    file_free_names(names, n);
    return code < 0 ? code : 0;
}

struct file_lock {
    int fd;
};

static int lock_open(const char *path, int fd)
{
    switch (file_try_lock(fd)) {
    case FILE_LOCKED_BY_OTHERS:
        return error_topic(
            error_file(error_set(GLT_EEXISTS,
                                 "%s is locked by another process: wait until it ends, or give "
                                 "another folder",
                                 path),
                       path),
            GLT_TOPIC_LOCKED, NULL);
    case FILE_LOCK_FAILED:
        return file_fail(path, "lock");
    case FILE_NO_LOCKS:
        log_warning(GLT_TOPIC_LOCKED, path,
                    "%s: this disk has no locks: start only one process for each run", path);
        break;
    case FILE_LOCKED:
        break;
    }
    return 0;
}

int file_lock(struct file_lock **out, const char *path)
{
    struct file_lock *lock = memory_alloc(1, sizeof *lock);
    if (!lock)
        return GLT_ENOMEM;
    lock->fd = file_syscall_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    int code = lock->fd < 0 ? file_fail(path, "open") : lock_open(path, lock->fd);
    if (code < 0) {
        if (lock->fd >= 0)
            file_syscall_close(lock->fd);
        memory_free(lock);
        return code;
    }
    *out = lock;
    return 0;
}

void file_unlock(struct file_lock *lock)
{
    if (!lock)
        return;
    file_syscall_unlock(lock->fd); /* a child process may have the file open too */
    file_syscall_close(lock->fd);
    memory_free(lock);
}
