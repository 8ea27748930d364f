/* Memory: see memory.h. The 64 bytes before each block hold its size, the number of its owners and
 * the pointer for free(). Large blocks ask the kernel for huge pages: otherwise page faults
 * dominate the time to fill fresh memory. */
#include "core/memory.h"

#include "core/context.h"
#include "core/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LARGE = 4 << 20 };
enum { PROGRAM = 48 << 20 }; /* bytes not counted here: code, libraries, stacks, buffers of files */

static struct glt_allocator allocator; /* malloc and free while its functions are NULL */
static _Atomic int64_t blocks;         /* alive */
static _Atomic int64_t requests, bytes_now, bytes_peak;
static _Atomic int64_t fail_countdown;
static _Atomic bool fail_forever;

static bool must_fail(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) <= 0)
        return false;
    int64_t left = atomic_fetch_sub(&fail_countdown, 1) - 1;
    if (left > 0)
        return false;
    if (atomic_load(&fail_forever))
        atomic_store(&fail_countdown, 1);
    return left == 0;
}

static void account(int64_t bytes)
{
    int64_t now = atomic_fetch_add(&bytes_now, bytes) + bytes;
    int64_t peak = atomic_load(&bytes_peak);
    while (now > peak && !atomic_compare_exchange_weak(&bytes_peak, &peak, now)) {
    }
}

struct header {
    void *raw; /* what malloc gave */
    size_t bytes;
    _Atomic int32_t owners;
};

static struct header *header(void *block)
{
    return (struct header *)((unsigned char *)block - MEMORY_ALIGNMENT);
}

/* Only advice: a kernel without huge pages says no, and nothing changes. */
static void advise_huge(unsigned char *raw, size_t total)
{
    uintptr_t begin = ((uintptr_t)raw + PAGE - 1) / PAGE * PAGE;
    uintptr_t end = ((uintptr_t)raw + total) / PAGE * PAGE;
#ifdef MADV_HUGEPAGE
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
}

/* Whether the memory limit of the current context allows this many more bytes; an error if not. */
static bool within_limit(size_t bytes)
{
    int64_t limit = atomic_load_explicit(&context_current()->memory_limit, memory_order_relaxed);
    int64_t held = atomic_load(&bytes_now);
    if (limit == 0)
        return true;
    if (bytes <= (size_t)limit && held <= limit - (int64_t)bytes)
        return true;
    error_topic(
        error_set(GLT_ENOMEM, "%lld MB and more are needed, the memory limit is %lld MB: raise it",
                  (long long)((held >> 20) + (int64_t)(bytes >> 20) + 1), (long long)(limit >> 20)),
        GLT_TOPIC_MEMORY, NULL);
    return false;
}

static void *take(size_t bytes, bool zero)
{
    if (!allocator.allocate)
        return zero ? calloc(1, bytes) : malloc(bytes);
    void *raw = allocator.allocate(allocator.user, bytes);
    if (raw && zero)
        memset(raw, 0, bytes);
    return raw;
}

/* calloc knows when memory is fresh from the kernel and need not be zeroed again. */
static void *allocate(size_t count, size_t size, bool zero)
{
    atomic_fetch_add(&requests, 1);
    size_t bytes, total;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, 2 * MEMORY_ALIGNMENT, &total)) {
        error_topic(error_set(GLT_ENOMEM, "%zu x %zu bytes are more than an address can count",
                              count, size),
                    GLT_TOPIC_MEMORY, NULL);
        return NULL;
    }
    if (!within_limit(bytes))
        return NULL;
    unsigned char *raw = NULL;
    if (!must_fail())
        raw = take(total, zero);
    if (!raw) {
        error_topic(error_set(GLT_ENOMEM, "out of memory: %zu bytes were requested", bytes),
                    GLT_TOPIC_MEMORY, NULL);
        return NULL;
    }
    if (bytes >= LARGE)
        advise_huge(raw, total);
    unsigned char *block = raw + 2 * MEMORY_ALIGNMENT - (uintptr_t)raw % MEMORY_ALIGNMENT;
    struct header *h = header(block);
    h->raw = raw;
    h->bytes = bytes;
    atomic_init(&h->owners, 1);
    account((int64_t)bytes);
    atomic_fetch_add(&blocks, 1);
    return block;
}

void *memory_alloc(size_t count, size_t size)
{
    return allocate(count, size, true);
}

void *memory_alloc_raw(size_t count, size_t size)
{
    return allocate(count, size, false);
}

void *memory_resize(void *block, size_t count, size_t size)
{
    void *bigger = allocate(count, size, false);
    if (!bigger)
        return NULL;
    size_t now = header(bigger)->bytes, old = memory_size(block);
    size_t kept = old < now ? old : now;
    if (block)
        memcpy(bigger, block, kept);
    memset((unsigned char *)bigger + kept, 0, now - kept);
    memory_free(block);
    return bigger;
}

char *memory_string(const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = allocate(len, 1, false);
    if (copy)
        memcpy(copy, text, len);
    return copy;
}

void *memory_share(void *block)
{
    if (block)
        atomic_fetch_add(&header(block)->owners, 1);
    return block;
}

bool memory_is_shared(const void *block)
{
    return block && atomic_load(&header((void *)block)->owners) > 1;
}

void memory_free(void *block)
{
    if (!block || atomic_fetch_sub(&header(block)->owners, 1) > 1)
        return;
    void *raw = header(block)->raw;
    account(-(int64_t)header(block)->bytes);
    atomic_fetch_sub(&blocks, 1);
    if (allocator.release)
        allocator.release(allocator.user, raw);
    else
        free(raw);
}

size_t memory_size(const void *block)
{
    return block ? header((void *)block)->bytes : 0;
}

void glt_free(void *block)
{
    memory_free(block);
}

struct memory_stats memory_stats(void)
{
    return (struct memory_stats){atomic_load(&requests), atomic_load(&bytes_now),
                                 atomic_load(&bytes_peak)};
}

void memory_peak_reset(void)
{
    atomic_store(&bytes_peak, atomic_load(&bytes_now));
}

double memory_machine(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

int memory_afford(int64_t more, int64_t later, const char *advice)
{
    struct context *c = context_current();
    int64_t need = atomic_load(&bytes_now) + more, limit = atomic_load(&c->memory_limit);
    if (limit == 0 || need <= limit) {
        limit = atomic_load(&c->memory_budget);
        need += PROGRAM;
    }
    if (limit == 0 || need <= limit)
        return 0;
    return error_topic(
        error_set(GLT_ELIMIT, "about %lld MB are needed, the memory limit is %lld MB: raise it%s%s",
                  (long long)((need + later) >> 20) + 1, (long long)(limit >> 20),
                  advice ? ", or " : "", advice ? advice : ""),
        GLT_TOPIC_MEMORY, NULL);
}

int glt_allocator_set(const struct glt_allocator *a)
{
    if (a)
        TRY(error_size("glt_allocator", a->size, sizeof *a));
    if (a && (!a->allocate || !a->release))
        return error_topic(error_set(GLT_EARGUMENT, "an allocator needs allocate and release"),
                           GLT_TOPIC_ARGUMENT, "allocator");
    if (atomic_load(&blocks) > 0)
        return error_topic(
            error_set(GLT_EEXISTS,
                      "the library holds memory of the previous allocator: set it first of all, or "
                      "free everything"),
            GLT_TOPIC_MEMORY, NULL);
    allocator = a ? *a : (struct glt_allocator){0};
    return 0;
}

int memory_check_limit(int64_t bytes)
{
    if (bytes < 0)
        return error_topic(error_set(GLT_EARGUMENT, "a limit of %lld bytes: give 0 (none) or more",
                                     (long long)bytes),
                           GLT_TOPIC_ARGUMENT, "bytes");
    return 0;
}

int glt_memory_limit(int64_t bytes)
{
    TRY(memory_check_limit(bytes));
    atomic_store(&context_default()->memory_limit, bytes);
    return 0;
}

void memory_fail(int64_t nth, bool forever)
{
    atomic_store(&fail_forever, forever);
    atomic_store(&fail_countdown, nth);
}
