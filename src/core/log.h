/* The log: warnings and remarks of the library while it works. They go to the callback of the
 * current context, one call at a time, and nowhere without one. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include "gelatto.h"

/* One line without its end: progress and remarks. */
void log_message(enum glt_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A warning, with a topic and a name (NULL: none) for programs, as errors have. */
void log_warning(enum glt_topic topic, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
