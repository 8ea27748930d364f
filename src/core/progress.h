/* Progress: how far the work has come, and whether to stop it. Reports go to the callback of the
 * current context, one call at a time. */
#ifndef CORE_PROGRESS_H
#define CORE_PROGRESS_H

#include <stdint.h>

/* 0, or GLT_EINTERRUPTED when the callback asks to stop or the context was cancelled: the caller
 * leaves with that code. */
int progress_report(const char *activity, int64_t done, int64_t total);

#endif
