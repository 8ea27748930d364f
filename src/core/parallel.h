/* Parallel loops whose results never depend on the number of threads: the partition into chunks of
 * `grain` items is a function of the problem alone; who runs a chunk, and when, is not. Sums over
 * chunks are kept per chunk and added in chunk order by the caller.
 *
 * Any number of threads may run loops at a time; they share the helpers. A loop within a loop runs
 * in its thread alone. Chunks must not wait for each other: where the system refuses a thread, one
 * thread runs them all. */
#ifndef CORE_PARALLEL_H
#define CORE_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

/* items [begin, end) of one chunk; chunk = begin / grain */
typedef void parallel_fn(void *user, int64_t begin, int64_t end);

void parallel_for(int64_t n, int64_t grain, parallel_fn *fn, void *user);

static inline int64_t parallel_chunks(int64_t n, int64_t grain)
{
    return (n + grain - 1) / grain;
}

int parallel_check(int threads); /* GLT_EARGUMENT if that is too many */
int parallel_threads(void);      /* of the current context */
/* This thread's loops run on itself alone: for loader threads, which are parallel already. */
void parallel_serial(bool serial);
/* Tests: how many different threads ran a chunk since the last call. From the first call on, every
 * thread of a team gets a chunk of its own, however late it comes. */
int parallel_witnesses(void);
/* Tests: from now on the system refuses more helpers than these; those that run stay. */
void parallel_refuse(int more_than);

#endif
