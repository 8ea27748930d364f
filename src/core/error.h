/* Errors: the failing function stores what went wrong for this thread and returns the code; TRY
 * forwards it.
 *
 *     return error_set(GLT_EARGUMENT, "no class %d: the model has %d", i, n);
 *     return error_in(GLT_EFORMAT, path, "the header has no size");
 *     return error_at(GLT_EFORMAT, path, GLT_PLACE_LINE, 7, "found \"%s\", expected a number",
 * text);
 *
 * Code reacts to the topic, never to the wording:
 *
 *     return error_topic(error_set(GLT_EDATA, "no colours"), GLT_TOPIC_ATTRIBUTE, "red"); */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "gelatto.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ERROR_MESSAGE = 1024, ERROR_NAME = 512, ERROR_FILE = 4096 };

struct error {
    int code;
    enum glt_topic topic;
    int64_t place[GLT_PLACES]; /* -1: the error has no place of this kind */
    char name[ERROR_NAME], file[ERROR_FILE], message[ERROR_MESSAGE];
};

/* Each stores a new error without topic or place, and returns its code. */
int error_set(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "file: message" */
int error_in(int code, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "file: line 7: message" */
int error_at(int code, const char *file, enum glt_place kind, int64_t value, const char *format,
             ...) __attribute__((format(printf, 5, 6)));

/* Each adds to the stored error and returns the code. */
int error_topic(int code, enum glt_topic topic, const char *name); /* name: may be NULL */
int error_file(int code, const char *file);
int error_place(int code, enum glt_place kind, int64_t value);
/* Adds text before or after the stored message, where a caller knows more. */
int error_prefix(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int error_suffix(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "file: " before the message. The error keeps a file that it already names. */
int error_prefix_file(int code, const char *file);
int error_prefix_line(int code, const char *file, int64_t line);

/* Carries an error from the thread that failed to the one that waits for it, or across calls that
 * may store errors of their own. */
void error_save(struct error *out);
int error_restore(const struct error *e); /* its code */

#define TRY(expression)                                                                            \
    do {                                                                                           \
        int try_code = (expression);                                                               \
        if (try_code < 0)                                                                          \
            return try_code;                                                                       \
    } while (0)

/* Opens a public function: lists its pointers that must not be NULL. */
#define REQUIRE(...) TRY(error_given(#__VA_ARGS__, (const bool[]){__VA_ARGS__}))
/* GLT_EARGUMENT for a struct of the caller whose size field is below the size of its first version.
 */
int error_size(const char *name, size_t size, size_t min);
/* GLT_EARGUMENT for the first of the names (separated by ", ") that was not given. */
int error_given(const char *names, const bool *given);

/* For bugs of our own only: never reachable from a file, an option or an API argument. */
#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

#endif
