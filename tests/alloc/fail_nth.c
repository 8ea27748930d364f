/* A library for LD_PRELOAD: fails one memory request of a program, whoever makes it, and reports
 * what the program left behind. tests/alloc/run drives it. core/memory.c can fail our own requests
 * from inside a test; this one sees those of libyaml, zlib and libc too, and the whole
 * program.
 *
 *   ALLOC_NTH      which request fails, 1 is the first after main began; 0 or unset: none
 *   ALLOC_FOREVER  all requests after it fail too
 *   ALLOC_STOP     SIGTRAP at the request, for a debugger
 *   ALLOC_REPORT   the file that gets the report when the program exits
 *
 * A thread that the system refuses counts as a request too: its stack is memory. What the loader
 * and the start of libc ask for before main is only counted.
 *
 * Every block lies between a header and guard bytes, which are checked when it is freed and at
 * exit. Fresh memory and freed memory are filled with patterns, and a resized block always moves,
 * so that reading what must not be read changes the result. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libc's own, under the names that it exports for libraries like this one */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *block);

enum { HEADER = 64, GUARD = 32, FILLED = 4096, SITES = 256 };
enum { FRESH = 0xcd, FREED = 0xdd, GUARD_BYTE = 0xab };
static const uint64_t ALIVE = 0x6b636f6c62657661;

struct block { /* lies right before what the program sees */
    uint64_t mark;
    void *raw; /* what libc gave */
    size_t bytes;
    void *caller;
    struct block *next, *previous;
};
_Static_assert(sizeof(struct block) <= HEADER, "the header of a block");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block alive = {.next = &alive, .previous = &alive};
static _Atomic long requests, before_main, damaged;
static _Atomic bool counting;
static void *_Atomic failed_caller;
static long nth;
static bool forever, stop;

static bool must_fail(void *caller)
{
    if (!atomic_load(&counting)) {
        atomic_fetch_add(&before_main, 1);
        return false;
    }
    long request = atomic_fetch_add(&requests, 1) + 1;
    if (nth == 0 || request < nth || (request > nth && !forever))
        return false;
    if (request == nth) {
        atomic_store(&failed_caller, caller);
        if (stop)
            raise(SIGTRAP);
    }
    errno = ENOMEM;
    return true;
}

/* --- blocks --- */

static struct block *block_of(void *user)
{
    return (struct block *)((unsigned char *)user - sizeof(struct block));
}

static bool is_damaged(const struct block *b)
{
    const unsigned char *guard = (const unsigned char *)(b + 1) + b->bytes;
    for (int i = 0; b->mark == ALIVE && i < GUARD; i++)
        if (guard[i] != GUARD_BYTE)
            return true;
    return b->mark != ALIVE;
}

static void *give(size_t alignment, size_t bytes, bool zero, void *caller)
{
    if (must_fail(caller))
        return NULL;
    size_t before = alignment > HEADER ? alignment : HEADER, total;
    if (__builtin_add_overflow(before + GUARD, bytes, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    unsigned char *raw = alignment > 16 ? __libc_memalign(alignment, total)
                         : zero         ? __libc_calloc(1, total)
                                        : __libc_malloc(total);
    if (!raw)
        return NULL;
    unsigned char *user = raw + before;
    struct block *b = block_of(user);
    if (!zero)
        memset(user, FRESH, bytes < FILLED ? bytes : FILLED);
    memset(user + bytes, GUARD_BYTE, GUARD);
    pthread_mutex_lock(&lock);
    *b = (struct block){ALIVE, raw, bytes, caller, alive.next, &alive};
    b->next->previous = b;
    alive.next = b;
    pthread_mutex_unlock(&lock);
    return user;
}

static void take_back(void *user)
{
    if (!user)
        return;
    struct block *b = block_of(user);
    pthread_mutex_lock(&lock);
    bool bad = is_damaged(b);
    if (!bad) {
        b->next->previous = b->previous;
        b->previous->next = b->next;
        b->mark = 0;
    }
    pthread_mutex_unlock(&lock);
    if (bad) { /* freed twice, never given, or overrun: it stays, lest libc dies of it */
        atomic_fetch_add(&damaged, 1);
        return;
    }
    memset(user, FREED, b->bytes < FILLED ? b->bytes : FILLED);
    __libc_free(b->raw);
}

/* --- what programs call --- */

#define CALLER __builtin_return_address(0)
#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t bytes)
{
    return give(1, bytes, false, CALLER);
}

EXPORT void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return give(1, bytes, true, CALLER);
}

EXPORT void free(void *user)
{
    int before = errno; /* POSIX: free does not change it */
    take_back(user);
    errno = before;
}

EXPORT void *realloc(void *user, size_t bytes)
{
    void *moved = give(1, bytes, false, CALLER);
    if (moved && user) {
        size_t old = block_of(user)->bytes;
        memcpy(moved, user, old < bytes ? old : bytes);
        take_back(user);
    }
    return moved;
}

EXPORT void *reallocarray(void *user, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(user, bytes);
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
    return give(alignment, bytes, false, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return give(alignment, bytes, false, CALLER);
}

EXPORT void *valloc(size_t bytes)
{
    return give(4096, bytes, false, CALLER);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    int before = errno;
    void *user = give(alignment, bytes, false, CALLER);
    errno = before;
    if (user)
        *out = user;
    return user ? 0 : ENOMEM;
}

EXPORT char *strndup(const char *text, size_t len)
{
    len = strnlen(text, len);
    char *copy = give(1, len + 1, false, CALLER);
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = 0;
    }
    return copy;
}

EXPORT char *strdup(const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = give(1, len, false, CALLER);
    return copy ? memcpy(copy, text, len) : NULL;
}

EXPORT size_t malloc_usable_size(void *user)
{
    return user ? block_of(user)->bytes : 0;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *user)
{
    static int (*_Atomic real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return must_fail(CALLER) ? EAGAIN : real(thread, attributes, start, user);
}

/* --- the report --- */

static int report = -1;

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    int len = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (write(report, text, (size_t)len) != len)
        abort();
}

/* File and offset of code, the same in every run. */
static void line_of_site(const char *what, long count, size_t bytes, void *caller)
{
    Dl_info info;
    const char *slash;
    if (!caller || !dladdr(caller, &info) || !info.dli_fname) {
        line("%s %ld %zu ?\n", what, count, bytes);
        return;
    }
    slash = strrchr(info.dli_fname, '/');
    line("%s %ld %zu %s+%#zx\n", what, count, bytes, slash ? slash + 1 : info.dli_fname,
         (size_t)((char *)caller - (char *)info.dli_fbase));
}

static void report_live_blocks(void)
{
    static struct site {
        void *caller;
        long count;
        size_t bytes;
    } sites[SITES];
    int n = 0;
    for (struct block *b = alive.next; b != &alive; b = b->next) {
        if (is_damaged(b))
            atomic_fetch_add(&damaged, 1);
        int i = 0;
        while (i < n && sites[i].caller != b->caller)
            i++;
        if (i == SITES)
            abort();
        n = i == n ? n + 1 : n;
        sites[i].caller = b->caller;
        sites[i].count++;
        sites[i].bytes += b->bytes;
    }
    for (int i = 0; i < n; i++)
        line_of_site("live", sites[i].count, sites[i].bytes, sites[i].caller);
}

__attribute__((destructor)) static void finish(void)
{
    atomic_store(&counting, false);
    long before = atomic_load(&before_main);
    if (report < 0)
        return;
    pthread_mutex_lock(&lock);
    report_live_blocks();
    pthread_mutex_unlock(&lock);
    line("requests %ld\nbefore %ld\ndamaged %ld\n", requests, before, damaged);
    if (failed_caller)
        line_of_site("failed", 1, 0, failed_caller);
    line("end\n");
}

/* --- the beginning --- */

typedef int main_fn(int, char **, char **);
int __libc_start_main(main_fn *start, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end);
static main_fn *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
    atomic_store(&counting, true);
    return real_main(argc, argv, environment);
}

static long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

EXPORT int __libc_start_main(main_fn *start, int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    int (*real)(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    nth = number_of("ALLOC_NTH");
    forever = number_of("ALLOC_FOREVER");
    stop = number_of("ALLOC_STOP");
    const char *path = getenv("ALLOC_REPORT");
    if (path)
        report = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (report >= 0 && report < 100) /* out of the way of what the program opens */
        report = fcntl(report, F_DUPFD_CLOEXEC, 100);
    real_main = start;
    return real(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}
