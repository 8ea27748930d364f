/* System calls on files: see file_syscall.h. The injected fault is one record under a mutex;
 * without one a call costs an atomic addition. */
#include "core/file_syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t calls, bytes_read;
static _Atomic bool armed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    enum file_call call;
    int64_t left; /* calls until it takes effect */
    bool forever;
    enum file_fault fault;
    int milliseconds;
} order;

void file_fault(enum file_call call, int64_t nth, bool forever, enum file_fault fault,
                int milliseconds)
{
    pthread_mutex_lock(&mutex);
    order.call = call;
    order.left = nth;
    order.forever = forever;
    order.fault = fault;
    order.milliseconds = milliseconds;
    atomic_store(&armed, fault != FILE_FAULT_NONE && nth > 0);
    pthread_mutex_unlock(&mutex);
}

int64_t file_calls(void)
{
    return atomic_load(&calls);
}

int64_t file_bytes_read(void)
{
    return atomic_load(&bytes_read);
}

static void pause_here(int milliseconds)
{
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left) && errno == EINTR) {
    }
}

/* Counts the call and returns whether it must fail (errno is set) or be short. */
static enum file_fault pass(enum file_call call)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&armed, memory_order_relaxed))
        return FILE_FAULT_NONE;
    enum file_fault fault = FILE_FAULT_NONE;
    pthread_mutex_lock(&mutex);
    int milliseconds = order.milliseconds;
    if (order.left > 0 && (order.call == FILE_CALLS || order.call == call) && --order.left == 0) {
        fault = order.fault;
        order.left = order.forever;
    }
    pthread_mutex_unlock(&mutex);
    if (fault == FILE_FAULT_PAUSE)
        pause_here(milliseconds);
    if (fault == FILE_FAULT_ERROR)
        errno = call == FILE_CALL_WRITE ? ENOSPC : EIO;
    if (fault == FILE_FAULT_UNSUPPORTED)
        errno = EOPNOTSUPP;
    return fault;
}

static bool fails(enum file_call call)
{
    enum file_fault fault = pass(call);
    return fault == FILE_FAULT_ERROR || fault == FILE_FAULT_UNSUPPORTED;
}

int file_syscall_open(const char *path, int flags, int mode)
{
    return fails(FILE_CALL_OPEN) ? -1 : open(path, flags | O_CLOEXEC, mode);
}

int file_syscall_duplicate(int fd)
{
    return fails(FILE_CALL_OPEN) ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int64_t file_syscall_read(int fd, void *dst, size_t len, int64_t offset)
{
    enum file_fault fault = pass(FILE_CALL_READ);
    if (fault == FILE_FAULT_ERROR)
        return -1;
    if (fault == FILE_FAULT_SHORT)
        len -= len / 2;
    int64_t got = offset < 0 ? read(fd, dst, len) : pread(fd, dst, len, offset);
    if (got > 0)
        atomic_fetch_add_explicit(&bytes_read, got, memory_order_relaxed);
    return got;
}

int64_t file_syscall_write(int fd, const void *src, size_t len, int64_t offset)
{
    enum file_fault fault = pass(FILE_CALL_WRITE);
    if (fault == FILE_FAULT_ERROR)
        return -1;
    if (fault == FILE_FAULT_SHORT)
        len -= len / 2;
    return offset < 0 ? write(fd, src, len) : pwrite(fd, src, len, offset);
}

int file_syscall_sync(int fd)
{
    int code;
    if (fails(FILE_CALL_SYNC))
        return -1;
    do
        code = fsync(fd);
    while (code && errno == EINTR);
    return code;
}

int file_syscall_rename(const char *from, const char *to)
{
    return fails(FILE_CALL_RENAME) ? -1 : rename(from, to);
}

int file_syscall_remove(const char *path)
{
    return fails(FILE_CALL_RENAME) ? -1 : remove(path);
}

int file_syscall_discard(const char *path)
{
    bool failed = fails(FILE_CALL_RENAME);
    return unlink(path) || failed ? -1 : 0;
}

int file_syscall_close(int fd)
{
    bool failed = fails(FILE_CALL_CLOSE);
    int code = close(fd);
    if (failed)
        errno = EIO;
    return failed ? -1 : code;
}

int file_syscall_stat(struct stat *out, const char *path, bool follow)
{
    if (fails(FILE_CALL_STAT))
        return -1;
    return follow ? stat(path, out) : lstat(path, out);
}

int file_syscall_stat_open(struct stat *out, int fd)
{
    return fails(FILE_CALL_STAT) ? -1 : fstat(fd, out);
}

int file_syscall_writable(const char *path)
{
    return fails(FILE_CALL_STAT) ? -1 : faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

int file_syscall_resolve(char *out, const char *path)
{
    return fails(FILE_CALL_STAT) || !realpath(path, out) ? -1 : 0;
}

int file_syscall_make_folder(const char *path, int mode)
{
    return fails(FILE_CALL_FOLDER) ? -1 : mkdir(path, (mode_t)mode);
}

DIR *file_syscall_open_folder(const char *path)
{
    return fails(FILE_CALL_FOLDER) ? NULL : opendir(path);
}

struct dirent *file_syscall_read_folder(DIR *folder)
{
    if (fails(FILE_CALL_FOLDER))
        return NULL;
    errno = 0;
    return readdir(folder);
}

void file_syscall_close_folder(DIR *folder)
{
    closedir(folder);
}

int file_syscall_lock(int fd)
{
    return fails(FILE_CALL_OPEN) ? -1 : flock(fd, LOCK_EX | LOCK_NB);
}

int file_syscall_unlock(int fd)
{
    return flock(fd, LOCK_UN);
}
