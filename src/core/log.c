/* The log: see log.h. The context's lock is held during a callback, and is recursive: a
 * callback that calls back into the library from its own thread must not block itself. */
#include "core/log.h"

#include "core/context.h"
#include "core/print.h"

#include <stdarg.h>

void glt_log_set(glt_log_fn *fn, void *user)
{
    struct context *c = context_default();
    pthread_mutex_lock(c->lock);
    c->log = fn;
    c->log_user = user;
    pthread_mutex_unlock(c->lock);
}

/* Topic and name of the line whose callback runs on this thread. */
static _Thread_local struct {
    enum glt_topic topic;
    const char *name;
} line;

enum glt_topic glt_log_topic(void)
{
    return line.topic;
}

const char *glt_log_name(void)
{
    return line.name ? line.name : "";
}

static void report(enum glt_log_level level, enum glt_topic topic, const char *name,
                   const char *format, va_list args)
{
    struct context *c = context_current();
    pthread_mutex_lock(c->lock);
    if (c->log) {
        char text[1024];
        __typeof__(line) outer = line; /* a callback may call the library, which may log */
        print_list(text, sizeof text, format, args);
        line.topic = topic;
        line.name = name;
        c->log(c->log_user, level, text);
        line = outer;
    }
    pthread_mutex_unlock(c->lock);
}

void log_message(enum glt_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(level, GLT_TOPIC_NONE, NULL, format, args);
    va_end(args);
}

void log_warning(enum glt_topic topic, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(GLT_LOG_WARNING, topic, name, format, args);
    va_end(args);
}
