/* A text that grows piece by piece: tables, cards, reports. The first failure is kept in `code` and
 * makes all that follows do nothing, so callers look at it once, at the end. */
#ifndef CORE_LINES_H
#define CORE_LINES_H

#include <stddef.h>

struct lines {
    char *bytes; /* NUL-terminated; NULL while nothing was added */
    size_t len, room;
    int code; /* 0 or GLT_ENOMEM */
};

void lines_add(struct lines *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lines_free(struct lines *t);
/* Hands the text over, to be released with memory_free, or releases it and returns the code. An
 * empty text is "". */
int lines_take(char **out, struct lines *t);

#endif
