/* The context of a call: its threads, its memory limit, where it reports and whether to stop.
 *
 * Every thread has a current context. Outside any call that is the default one, which the setters
 * of gelatto.h fill: glt_threads_set, glt_memory_limit, glt_log_set, glt_progress_set. parallel_for
 * passes the caller's context to the threads of its team; a thread that the library starts itself
 * enters the context of its creator. */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "gelatto.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct context {
    _Atomic int threads;           /* 0: GELATTO_THREADS or all cores */
    _Atomic int64_t memory_limit;  /* bytes that the library may hold: the allocator refuses more */
    _Atomic int64_t memory_budget; /* bytes of the process that work is planned for; 0: no limit */

    /* callbacks; the recursive lock serialises them and lets them call back into the library */
    pthread_mutex_t *lock;
    glt_log_fn *log;
    void *log_user;
    glt_progress_fn *progress;
    void *progress_user;

    struct ranks *ranks; /* that calls share their work with (ranks.h); NULL: none */

    _Atomic bool *cancelled; /* set by any thread: work ends with GLT_EINTERRUPTED */
};

/* The context of this thread, never NULL. */
struct context *context_current(void);
struct context *context_default(void);
/* Makes a context the current one and returns the previous one, to enter when the call is over.
 * NULL stands for the default context. */
struct context *context_enter(struct context *c);
/* A copy reports to the same callbacks under the same lock, and is cancelled with its original. */
void context_copy(struct context *out, struct context *from);
bool context_cancelled(void); /* the current one */

#endif
