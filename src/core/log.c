/* Log and progress: see log.h. One recursive mutex serialises both callbacks: a callback that calls
 * back into the library from its own thread must not block itself. */
#include "core/log.h"

#include "core/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static glt_log_fn *log_fn;
static void *log_user;
static glt_progress_fn *progress_fn;
static void *progress_user;

void glt_log_set(glt_log_fn *fn, void *user)
{
    pthread_mutex_lock(&mutex);
    log_fn = fn;
    log_user = user;
    pthread_mutex_unlock(&mutex);
}

void glt_progress_set(glt_progress_fn *fn, void *user)
{
    pthread_mutex_lock(&mutex);
    progress_fn = fn;
    progress_user = user;
    pthread_mutex_unlock(&mutex);
}

void log_message(enum glt_log_level level, const char *format, ...)
{
    pthread_mutex_lock(&mutex);
    if (log_fn) {
        char text[1024];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        log_fn(log_user, level, text);
    }
    pthread_mutex_unlock(&mutex);
}

int progress_report(const char *activity, int64_t done, int64_t total)
{
    pthread_mutex_lock(&mutex);
    int stop = progress_fn ? progress_fn(progress_user, activity, done, total) : 0;
    pthread_mutex_unlock(&mutex);
    if (stop)
        return error_set(GLT_EINTERRUPTED, "%s was stopped after %lld of %lld", activity,
                         (long long)done, (long long)total);
    return 0;
}
