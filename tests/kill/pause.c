/* A library for LD_PRELOAD that holds a file call of a program open, so that a test can kill the
 * program inside it: PAUSE_AT=write:20:60000 sleeps for 60000 ms before the 20th write; or fsync,
 * or rename. The program itself has no such hook. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum call { WRITE, SYNC, RENAME };

static _Atomic long calls[3];

static void count(enum call call)
{
    static const char *const names[] = {"write", "sync", "rename"};
    const char *text = getenv("PAUSE_AT");
    char name[16];
    long nth, milliseconds;
    if (!text || sscanf(text, "%15[a-z]:%ld:%ld", name, &nth, &milliseconds) != 3 ||
        strcmp(name, names[call]) || atomic_fetch_add(&calls[call], 1) + 1 != nth)
        return;
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* The function of this name behind ours; ISO C has no cast from object to function. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol)
        abort();
    memcpy(function, &symbol, sizeof symbol);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
    ssize_t (*next)(int, const void *, size_t);
    find(&next, "write");
    count(WRITE);
    return next(fd, bytes, len);
}

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t);
    find(&next, "pwrite");
    count(WRITE);
    return next(fd, bytes, len, offset);
}

int fsync(int fd)
{
    int (*next)(int);
    find(&next, "fsync");
    count(SYNC);
    return next(fd);
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    find(&next, "rename");
    count(RENAME);
    return next(from, to);
}
