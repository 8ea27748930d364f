/* The log: warnings and remarks of the library while it works. They go to the callback of the
 * current context, one call at a time, and nowhere without one. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include "gelatto.h"

/* One line without its end. */
void log_message(enum glt_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
