/* Memory: the only module that calls malloc and free.
 *
 * Blocks are 64-byte aligned and zeroed, sizes are multiplied with an overflow check, and tests can
 * make the n-th request fail. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMORY_ALIGNMENT = 64 };

/* NULL with GLT_ENOMEM's message stored if there is no memory; count * size may be 0. */
void *memory_alloc(size_t count, size_t size);
void *memory_alloc_raw(size_t count, size_t size); /* not zeroed */
/* Keeps the content, zeroes the rest; on failure the old block stays valid. */
void *memory_resize(void *block, size_t count, size_t size);
char *memory_string(const char *text); /* a copy */
/* Gives the block, which nobody changes any more, one more owner. Any thread may do so. */
void *memory_share(void *block);
bool memory_is_shared(const void *block); /* it has several owners */
void memory_free(void *block);            /* the last owner's call frees it; accepts NULL */
size_t memory_size(const void *block);    /* its bytes; 0 for NULL */

struct memory_stats {
    int64_t requests; /* allocations and resizes so far */
    int64_t bytes;    /* alive now */
    int64_t peak;     /* the most that was alive since memory_peak_reset */
};
struct memory_stats memory_stats(void);
void memory_peak_reset(void);
int memory_check_limit(int64_t bytes); /* GLT_EARGUMENT if it is below 0 */
double memory_machine(void);           /* bytes this machine has */
/* GLT_ELIMIT if `more` bytes would exceed the limit or the budget of the current context. The size
 * in the message includes the bytes needed later, so that the next check does not name another.
 * advice: what helps besides a higher limit; NULL: nothing does. */
int memory_afford(int64_t more, int64_t later, const char *advice);

/* Tests: the request number `nth` from now (1 = the next) fails, and with `forever` all after it.
 * 0 switches it off. */
void memory_fail(int64_t nth, bool forever);

#endif
