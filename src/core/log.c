/* The log: see log.h. The context's lock is held during a callback, and is recursive: a
 * callback that calls back into the library from its own thread must not block itself. */
#include "core/log.h"

#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>

void glt_log_set(glt_log_fn *fn, void *user)
{
    struct context *c = context_default();
    pthread_mutex_lock(c->lock);
    c->log = fn;
    c->log_user = user;
    pthread_mutex_unlock(c->lock);
}

void log_message(enum glt_log_level level, const char *format, ...)
{
    struct context *c = context_current();
    pthread_mutex_lock(c->lock);
    if (c->log) {
        char text[1024];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        c->log(c->log_user, level, text);
    }
    pthread_mutex_unlock(c->lock);
}
