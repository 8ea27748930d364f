/* A library for LD_PRELOAD that writes down what a program asks the disk for, in order, with the
 * bytes: tests/kill/writers replays it. RECORD_TO names the file. A record is a line, then bytes:
 *   open FD FLAGS LENGTH      the path         write FD OFFSET LENGTH    the bytes; offset -1:
 * appended rename 0 0 LENGTH         from, 0, to      remove 0 0 LENGTH         the path folder 0 0
 * LENGTH         the path         sync FD 0 0, close FD 0 0 Calls that failed are left out. The
 * program itself has no such hook. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the order of calls is that of records */
static int to = -1;

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("RECORD_TO");
    if (path)
        to = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                          0666);
}

/* The function of this name behind ours; ISO C has no cast from object to function. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol)
        abort();
    memcpy(function, &symbol, sizeof symbol);
}

static void note(const char *what, int fd, long number, const void *bytes, size_t len)
{
    char head[96];
    int n = snprintf(head, sizeof head, "%s %d %ld %zu\n", what, fd, number, len);
    struct iovec parts[] = {{head, (size_t)n}, {(void *)(size_t)bytes, len}};
    if (to >= 0 && writev(to, parts, 2) != (ssize_t)((size_t)n + len))
        abort();
}

static int open_by(const char *name, const char *path, int flags, int mode)
{
    int (*next)(const char *, int, ...);
    find(&next, name);
    pthread_mutex_lock(&lock);
    int fd = next(path, flags, mode);
    if (fd >= 0)
        note("open", fd, flags, path, strlen(path));
    pthread_mutex_unlock(&lock);
    return fd;
}

#define MODE_OF(flags, mode)                                                                       \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    int mode = (flags)&O_CREAT ? va_arg(list, int) : 0;                                            \
    va_end(list)

int open(const char *path, int flags, ...)
{
    MODE_OF(flags, mode);
    return open_by("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, mode);
    return open_by("open64", path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    ssize_t (*next)(int, const void *, size_t);
    find(&next, "write");
    pthread_mutex_lock(&lock);
    ssize_t put = next(fd, bytes, len);
    if (put > 0)
        note("write", fd, -1, bytes, (size_t)put);
    pthread_mutex_unlock(&lock);
    return put;
}

static ssize_t pwrite_by(const char *name, int fd, const void *bytes, size_t len, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t);
    find(&next, name);
    pthread_mutex_lock(&lock);
    ssize_t put = next(fd, bytes, len, offset);
    if (put > 0)
        note("write", fd, (long)offset, bytes, (size_t)put);
    pthread_mutex_unlock(&lock);
    return put;
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    return pwrite_by("pwrite", fd, bytes, len, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t len, off_t offset)
{
    return pwrite_by("pwrite64", fd, bytes, len, offset);
}

static int call_fd(const char *name, const char *what, int fd)
{
    int (*next)(int);
    find(&next, name);
    pthread_mutex_lock(&lock);
    int code = next(fd);
    if (code == 0)
        note(what, fd, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    return code;
}

int fsync(int fd)
{
    return call_fd("fsync", "sync", fd);
}

int close(int fd)
{
    return call_fd("close", "close", fd);
}

int rename(const char *from, const char *to_path)
{
    char both[2 * 4096];
    int (*next)(const char *, const char *);
    find(&next, "rename");
    pthread_mutex_lock(&lock);
    int code = next(from, to_path);
    if (code == 0) {
        int n = snprintf(both, sizeof both, "%s%c%s", from, 0, to_path);
        note("rename", 0, 0, both, (size_t)n);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int call_path(const char *name, const char *what, const char *path)
{
    int (*next)(const char *);
    find(&next, name);
    pthread_mutex_lock(&lock);
    int code = next(path);
    if (code == 0)
        note(what, 0, 0, path, strlen(path));
    pthread_mutex_unlock(&lock);
    return code;
}

int unlink(const char *path)
{
    return call_path("unlink", "remove", path);
}

int remove(const char *path)
{
    return call_path("remove", "remove", path);
}

int mkdir(const char *path, mode_t mode)
{
    int (*next)(const char *, mode_t);
    find(&next, "mkdir");
    pthread_mutex_lock(&lock);
    int code = next(path, mode);
    if (code == 0)
        note("folder", 0, 0, path, strlen(path));
    pthread_mutex_unlock(&lock);
    return code;
}
