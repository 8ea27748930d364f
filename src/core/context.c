/* Contexts: see context.h. */
#include "core/context.h"

#ifdef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define RECURSIVE PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#else
#define RECURSIVE PTHREAD_RECURSIVE_MUTEX_INITIALIZER /* macOS */
#endif

static pthread_mutex_t default_lock = RECURSIVE;
static _Atomic bool default_cancelled; /* never set */
static struct context default_context = {.lock = &default_lock, .cancelled = &default_cancelled};
static _Thread_local struct context *current;

struct context *context_default(void)
{
    return &default_context;
}

struct context *context_current(void)
{
    return current ? current : &default_context;
}

struct context *context_enter(struct context *c)
{
    struct context *before = current;
    current = c;
    return before;
}

bool context_cancelled(void)
{
    return atomic_load(context_current()->cancelled);
}

void context_copy(struct context *out, struct context *from)
{
    pthread_mutex_lock(from->lock);
    atomic_init(&out->threads, atomic_load(&from->threads));
    atomic_init(&out->memory_limit, atomic_load(&from->memory_limit));
    atomic_init(&out->memory_budget, atomic_load(&from->memory_budget));
    out->lock = from->lock;
    out->log = from->log;
    out->log_user = from->log_user;
    out->progress = from->progress;
    out->progress_user = from->progress_user;
    out->ranks = from->ranks;
    out->cancelled = from->cancelled;
    pthread_mutex_unlock(from->lock);
}
