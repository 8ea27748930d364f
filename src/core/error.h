/* Errors: the failing place stores a message for this thread and returns the code; TRY forwards. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "gelatto.h"

#include <stdbool.h>
#include <stdlib.h>

/* Stores the message and returns code, so that a failing place reads `return error_set(...)`. */
int error_set(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts context ("scan.ply: ") before the stored message; returns code unchanged. */
int error_prefix(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define TRY(expression)                                                                            \
    do {                                                                                           \
        int try_code = (expression);                                                               \
        if (try_code < 0)                                                                          \
            return try_code;                                                                       \
    } while (0)

/* What opens a public function: those of its pointers that must not be NULL. */
#define REQUIRE(...) TRY(error_given(#__VA_ARGS__, (const bool[]){__VA_ARGS__}))
/* GLT_EARGUMENT for the first of names, separated by ", ", that was not given. */
int error_given(const char *names, const bool *given);

/* For our own mistakes only: never reachable from a file, an option or an API argument. */
#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#endif
