/* Log and progress: the library's only ways to speak while it works. Both go to the callbacks of
 * the current context, one call at a time, and nowhere without them. */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include "gelatto.h"

/* One line without its end. */
void log_message(enum glt_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* 0, or GLT_EINTERRUPTED when the callback asks to stop or the context was cancelled: the caller
 * leaves with that code. */
int progress_report(const char *activity, int64_t done, int64_t total);

#endif
