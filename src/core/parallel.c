/* Parallel loops: see parallel.h.
 *
 * A pool of helpers, shared by all callers. A loop is posted in a team; its caller works on it at
 * once, and helpers that are free join. The caller never waits for a helper that has not joined,
 * only for chunks still running when there are no more to take. So on a busy machine a loop costs
 * little more than its caller's own work. A thread that waits spins for SPIN seconds, which covers
 * the gap between two loops of a network, and then sleeps.
 *
 * A team is claimed by a bit of `claimed`, and helpers look for it while its bit is in `posted`.
 * Its `state` counts the places left for helpers and the helpers inside. Joining takes a place,
 * closing takes all that are left. A helper reads a loop only while it is inside, and the caller
 * reuses the team only once all have left. */
#include "core/parallel.h"

#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/number.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1024, TEAMS = 64 };
static const double SPIN = 50e-6, RETRY = 1;

#define PLACES 0xffffu /* of a state: places left for helpers */
#define INSIDE 0x10000u

struct team {
    _Alignas(128) _Atomic uint32_t state;
    _Alignas(128) _Atomic int64_t next; /* the next chunk to take */
    parallel_fn *fn;
    void *user;
    int64_t n, grain, chunks;
    struct context *context;
    bool reserved; /* chunk p is kept for place p */

    _Atomic bool asleep; /* the caller waits for `left` */
    pthread_mutex_t lock;
    pthread_cond_t left;
};

static struct team teams[TEAMS];
static _Atomic uint64_t claimed, posted;

static _Thread_local bool serial_here, in_loop;
static _Atomic bool witnessing;    /* for tests: see parallel_witnesses */
static _Atomic uint64_t witnesses; /* bit p: place p of a team ran a chunk */

/* Helpers live until the process ends. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static _Atomic int sleepers, helpers;
static _Atomic int helpers_allowed = THREADS_MAX; /* lowered by tests */
static double retry;                              /* no new helper before; under the lock */

/* A forked child has the counters but not the helpers: it works without. */
static _Atomic bool forked;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void note_fork(void)
{
    atomic_store(&forked, true);
}

static void prepare(void)
{
    (void)pthread_atfork(NULL, NULL, note_fork);
    for (int i = 0; i < TEAMS; i++) {
        pthread_mutex_init(&teams[i].lock, NULL);
        pthread_cond_init(&teams[i].left, NULL);
    }
}

/* --- how many threads --- */

/* From the environment: 0 (all cores) if not set, -1 if it is not a valid number. */
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

/* The cores this process may run on. */
static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
#endif
    return n < 1 ? 1 : n < THREADS_MAX ? (int)n : THREADS_MAX;
}

int parallel_check(int threads)
{
    if (threads < 0 || threads > THREADS_MAX)
        return error_topic(error_set(GLT_EARGUMENT, "threads = %d: give 0 (all cores) to %d",
                                     threads, THREADS_MAX),
                           GLT_TOPIC_OPTION, "threads");
    const char *text = getenv("GELATTO_THREADS");
    if (threads == 0 && threads_wanted(text) < 0)
        return error_topic(error_set(GLT_EARGUMENT, "GELATTO_THREADS=%s: give 0 (all cores) to %d",
                                     text, THREADS_MAX),
                           GLT_TOPIC_OPTION, "threads");
    return 0;
}

int glt_threads_set(int threads)
{
    TRY(parallel_check(threads));
    atomic_store(&context_default()->threads, threads);
    return 0;
}

int parallel_threads(void)
{
    static _Atomic int found;
    int set = atomic_load(&context_current()->threads);
    if (atomic_load(&forked))
        return 1;
    if (set > 0)
        return set;
    int wanted = threads_wanted(getenv("GELATTO_THREADS"));
    if (wanted <= 0 && atomic_load(&found) == 0)
        atomic_store(&found, cores());
    return wanted > 0 ? wanted : atomic_load(&found);
}

void parallel_serial(bool serial)
{
    serial_here = serial;
}

/* --- a loop --- */

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void run_chunk(parallel_fn *fn, void *user, int64_t chunk, int64_t grain, int64_t n)
{
    int64_t begin = chunk * grain;
    fn(user, begin, begin + grain < n ? begin + grain : n);
}

static int64_t next_chunk(struct team *t)
{
    return atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
}

/* place: 0 for the caller */
static void run_chunks(struct team *t, uint32_t place)
{
    int64_t chunk = t->reserved ? place : next_chunk(t);
    if (chunk < t->chunks)
        atomic_fetch_or_explicit(&witnesses, 1ull << (place & 63), memory_order_relaxed);
    for (; chunk < t->chunks; chunk = next_chunk(t))
        run_chunk(t->fn, t->user, chunk, t->grain, t->n);
}

/* --- helpers --- */

/* Takes a place in a team that has one left; NULL if none has. */
static struct team *join(uint32_t *place)
{
    for (uint64_t open = atomic_load(&posted); open; open &= open - 1) {
        struct team *t = &teams[__builtin_ctzll(open)];
        uint32_t state = atomic_load(&t->state);
        while ((*place = state & PLACES) > 0)
            if (atomic_compare_exchange_weak(&t->state, &state, state - 1 + INSIDE))
                return t;
    }
    return NULL;
}

static void leave(struct team *t)
{
    atomic_fetch_sub(&t->state, INSIDE);
    if (atomic_load(&t->asleep)) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_signal(&t->left);
        pthread_mutex_unlock(&t->lock);
    }
}

static struct team *wait_for_work(uint32_t *place)
{
    struct team *t;
    double until = clock_seconds() + SPIN;
    do {
        for (int i = 0; i < 16; i++) {
            if ((t = join(place)))
                return t;
            relax();
        }
    } while (clock_seconds() < until);
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&sleepers, 1);
    while (!(t = join(place)))
        pthread_cond_wait(&work, &lock);
    atomic_fetch_sub(&sleepers, 1);
    pthread_mutex_unlock(&lock);
    return t;
}

static void *help(void *unused)
{
    in_loop = true;
    for (;;) {
        uint32_t place;
        struct team *t = wait_for_work(&place);
        context_enter(t->context);
        run_chunks(t, place);
        context_enter(NULL);
        leave(t);
    }
    return unused;
}

/* Helpers block all signals: these are the program's business. */
static bool start_helper(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (atomic_load(&helpers) >= atomic_load(&helpers_allowed))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, help, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

/* How many of the wanted helpers exist. If the system refuses a thread, loops use fewer. */
static int have_helpers(int wanted)
{
    int n = atomic_load(&helpers);
    if (n >= wanted)
        return wanted;
    pthread_mutex_lock(&lock);
    while ((n = atomic_load(&helpers)) < wanted && clock_seconds() >= retry) {
        if (start_helper())
            atomic_fetch_add(&helpers, 1);
        else
            retry = clock_seconds() + RETRY;
    }
    pthread_mutex_unlock(&lock);
    return n < wanted ? n : wanted;
}

void parallel_refuse(int more_than)
{
    pthread_mutex_lock(&lock);
    atomic_store(&helpers_allowed, more_than);
    retry = 0;
    pthread_mutex_unlock(&lock);
}

/* --- the caller --- */

static struct team *claim(void)
{
    uint64_t taken = atomic_load(&claimed);
    while (~taken) {
        int free = __builtin_ctzll(~taken);
        if (atomic_compare_exchange_weak(&claimed, &taken, taken | 1ull << free))
            return &teams[free];
    }
    return NULL;
}

static void post(struct team *t, int places)
{
    atomic_store(&t->state, (uint32_t)places);
    atomic_fetch_or(&posted, 1ull << (t - teams));
    if (atomic_load(&sleepers) == 0)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < places; i++)
        pthread_cond_signal(&work);
    pthread_mutex_unlock(&lock);
}

/* Closes the team to helpers and waits for those inside. */
static void finish(struct team *t)
{
    while (t->reserved && (atomic_load(&t->state) & PLACES))
        sched_yield();
    atomic_fetch_and(&posted, ~(1ull << (t - teams)));
    if ((atomic_fetch_and(&t->state, ~PLACES) & ~PLACES) == 0)
        return;
    double until = clock_seconds() + SPIN;
    do {
        for (int i = 0; i < 16; i++) {
            if (atomic_load(&t->state) == 0)
                return;
            relax();
        }
    } while (clock_seconds() < until);
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->asleep, true);
    while (atomic_load(&t->state) != 0)
        pthread_cond_wait(&t->left, &t->lock);
    atomic_store(&t->asleep, false);
    pthread_mutex_unlock(&t->lock);
}

/* How many helpers a loop may have: a loop within a loop has none. */
static int places_for(int64_t chunks)
{
    int threads = serial_here || in_loop || chunks < 2 ? 1 : parallel_threads();
    int wanted = threads <= chunks ? threads - 1 : (int)chunks - 1;
    if (wanted < 1)
        return 0;
    pthread_once(&prepared, prepare);
    return have_helpers(wanted);
}

void parallel_for(int64_t n, int64_t grain, parallel_fn *fn, void *user)
{
    ASSERT(grain > 0);
    int64_t chunks = parallel_chunks(n, grain);
    int places = places_for(chunks);
    struct team *t = places > 0 ? claim() : NULL;
    if (!t) {
        for (int64_t chunk = 0; chunk < chunks; chunk++)
            run_chunk(fn, user, chunk, grain, n);
        return;
    }
    t->fn = fn;
    t->user = user;
    t->n = n;
    t->grain = grain;
    t->chunks = chunks;
    t->context = context_current();
    t->reserved = atomic_load(&witnessing);
    atomic_store_explicit(&t->next, t->reserved ? places + 1 : 0, memory_order_relaxed);
    in_loop = true;
    post(t, places);
    run_chunks(t, 0);
    finish(t);
    in_loop = false;
    atomic_fetch_and(&claimed, ~(1ull << (t - teams)));
}

int parallel_witnesses(void)
{
    atomic_store(&witnessing, true);
    return __builtin_popcountll(atomic_exchange(&witnesses, 0));
}
