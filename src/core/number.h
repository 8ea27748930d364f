/* Numbers as text: correctly rounded (to nearest, ties to even), the same for every locale and
 * platform, never reading outside [text, end).
 *
 * The parsers read the longest number that begins exactly at `text` (no blanks are skipped) and
 * return the position after it, or NULL with *out untouched if none begins there. A decimal is [+-]
 * digits [. digits] [e [+-] digits] with at least one digit before the exponent; also inf,
 * infinity, nan, nan(...) in any case, and the 1.#INF, 1.#QNAN, 1.#IND of old Windows programs. Too
 * large numbers give infinity, too small ones zero. Hexadecimal is not read. */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *number_parse_double(double *out, const char *text, const char *end);
const char *number_parse_float(float *out, const char *text, const char *end); /* rounded once */
/* [+-] digits; NULL also for a value outside the type. */
const char *number_parse_int(int64_t *out, const char *text, const char *end);
const char *number_parse_unsigned(uint64_t *out, const char *text, const char *end);

/* The whole NUL-terminated text is one number: for options and settings. */
bool number_is_double(double *out, const char *text);
bool number_is_int(int64_t *out, const char *text);

#endif
