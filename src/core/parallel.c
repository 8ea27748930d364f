/* Parallel loops over OpenMP: see parallel.h. */
#include "core/parallel.h"

#include "core/context.h"
#include "core/error.h"
#include "core/number.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS_MAX = 1024 };

static _Thread_local bool serial_here;
static _Atomic uint64_t witnesses; /* bit t: thread t of a team ran a chunk */

/* OpenMP keeps its threads for the next team. A forked child has its book-keeping without them, and
 * would wait for ever: once a team has run, children do without one. */
static _Atomic bool forked;
static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void note_fork(void)
{
    atomic_store(&forked, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
}

/* Of the environment: 0 (all cores) without it, -1 if it is no such number. */
static int threads_wanted(const char *text)
{
    int64_t value = 0;
    if (!text || !*text)
        return 0;
    const char *end = text + strlen(text);
    return number_parse_int(&value, text, end) == end && value >= 0 && value <= THREADS_MAX
               ? (int)value
               : -1;
}

int glt_threads_set(int threads)
{
    if (threads < 0 || threads > THREADS_MAX)
        return error_set(GLT_EARGUMENT, "threads = %d: give 0 (all cores) to %d", threads,
                         THREADS_MAX);
    const char *text = getenv("GELATTO_THREADS");
    if (threads == 0 && threads_wanted(text) < 0)
        return error_set(GLT_EARGUMENT, "GELATTO_THREADS=%s: give 0 (all cores) to %d", text,
                         THREADS_MAX);
    atomic_store(&context_default()->threads, threads);
    return 0;
}

int parallel_threads(void)
{
    int set = atomic_load(&context_current()->threads);
    if (atomic_load(&forked))
        return 1;
    if (set > 0)
        return set;
    int wanted = threads_wanted(getenv("GELATTO_THREADS"));
    return wanted > 0 ? wanted : omp_get_num_procs();
}

void parallel_serial(bool serial)
{
    serial_here = serial;
}

static void run_chunk(parallel_fn *fn, void *user, int64_t chunk, int64_t grain, int64_t n)
{
    int64_t begin = chunk * grain;
    fn(user, begin, begin + grain < n ? begin + grain : n);
}

void parallel_for(int64_t n, int64_t grain, parallel_fn *fn, void *user)
{
    ASSERT(grain > 0);
    int64_t chunks = parallel_chunks(n, grain);
    int threads = serial_here || omp_in_parallel() ? 1 : parallel_threads();
    if (threads > chunks)
        threads = (int)chunks;
    if (threads <= 1) {
        for (int64_t chunk = 0; chunk < chunks; chunk++)
            run_chunk(fn, user, chunk, grain, n);
        return;
    }
    pthread_once(&watched, watch_forks);
    /* Everybody starts with the chunk of his own number and takes the next free one after it: a
     * thread that comes late still has work, so tests can ask that all of them did some. */
    _Atomic int64_t taken = 0;
    struct context *context = context_current();
#pragma omp parallel num_threads(threads)
    {
        struct context *before = context_enter(context);
        int64_t team = omp_get_num_threads(), chunk = omp_get_thread_num();
        while (chunk < chunks) {
            run_chunk(fn, user, chunk, grain, n);
            chunk = team + atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
        }
        atomic_fetch_or_explicit(&witnesses, 1ull << (omp_get_thread_num() & 63),
                                 memory_order_relaxed);
        context_enter(before);
    }
}

int parallel_witnesses(void)
{
    return __builtin_popcountll(atomic_exchange(&witnesses, 0));
}
