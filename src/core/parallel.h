/* Parallel loops whose results never depend on the number of threads: the partition into chunks of
 * `grain` items depends on the problem alone, unlike the thread that runs a chunk and the time.
 * Sums over chunks are kept per chunk and added in chunk order by the caller.
 *
 * Any number of threads may run loops at a time; they share the helpers. A nested loop runs in its
 * own thread alone. Chunks must not wait for each other: if the system refuses threads, one thread
 * runs them all. */
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
/* Loops of this thread use no helpers: for loader threads, which are parallel already. */
void parallel_serial(bool serial);
/* Tests: how many different threads ran a chunk since the last call. From the first call on, every
 * thread of a team gets a chunk of its own, however late it joins. */
int parallel_witnesses(void);
/* Tests: from now on the system refuses more helpers than this; running ones stay. */
void parallel_refuse(int more_than);

#endif
