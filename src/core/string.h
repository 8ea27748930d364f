/* The string builder: a text that grows piece by piece (tables, cards, reports, messages). The
 * first failure is kept in `code` and turns all later calls into no-ops, so callers check it once,
 * at the end. A builder starts as {0}. */
#ifndef CORE_STRING_H
#define CORE_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct string {
    char *bytes; /* NUL-terminated; NULL while nothing was added */
    int64_t len;
    int code; /* 0 or GLT_ENOMEM */
};

void string_add(struct string *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void string_add_bytes(struct string *s, const char *bytes, size_t len);
void string_free(struct string *s);
/* Hands the text over, to be released with memory_free, or releases it and returns the code. An
 * empty text is "". */
int string_take(char **out, struct string *s);

/* "" for 1, else "s": "%d cloud%s". */
const char *string_plural(int64_t n);

/* Letters without regard to case. Those of C depend on the locale of the calling program, in which
 * "I" may not be the capital of "i"; here only the letters of ASCII count. */
char string_lower(char c);
char string_upper(char c);
bool string_is_alnum(char c);
int string_compare_nocase(const char *a, const char *b);
bool string_begins_nocase(const char *text, const char *start);

/* The first byte of the first control character in a UTF-8 text (C0, delete, C1: ISO/IEC 6429),
 * which a terminal would obey instead of showing it; -1: none. */
int string_control(const char *text);

#endif
