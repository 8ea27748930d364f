/* Progress: see progress.h. As in log.c, the context's lock is held during a callback. */
#include "core/progress.h"

#include "core/context.h"
#include "core/error.h"

void glt_progress_set(glt_progress_fn *fn, void *user)
{
    struct context *c = context_default();
    pthread_mutex_lock(c->lock);
    c->progress = fn;
    c->progress_user = user;
    pthread_mutex_unlock(c->lock);
}

int progress_report(const char *activity, int64_t done, int64_t total)
{
    struct context *c = context_current();
    int stop = atomic_load(c->cancelled);
    pthread_mutex_lock(c->lock);
    if (!stop && c->progress)
        stop = c->progress(c->progress_user, activity, done, total);
    pthread_mutex_unlock(c->lock);
    if (stop)
        return error_topic(error_set(GLT_EINTERRUPTED, "%s was stopped after %lld of %lld",
                                     activity, (long long)done, (long long)total),
                           GLT_TOPIC_STOPPED, activity);
    return 0;
}
