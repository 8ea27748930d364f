/* Integers as text, and whole texts as numbers: see number.h. */
#include "core/number.h"

#include <string.h>

static const char *magnitude(uint64_t *out, const char *at, const char *end)
{
    if (at == end || *at < '0' || *at > '9')
        return NULL;
    uint64_t value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return NULL;
    }
    *out = value;
    return at;
}

const char *number_parse_unsigned(uint64_t *out, const char *text, const char *end)
{
    return magnitude(out, text < end && *text == '+' ? text + 1 : text, end);
}

const char *number_parse_int(int64_t *out, const char *text, const char *end)
{
    bool negative = text < end && *text == '-';
    uint64_t value;
    const char *after =
        negative ? magnitude(&value, text + 1, end) : number_parse_unsigned(&value, text, end);
    if (!after || value > (uint64_t)INT64_MAX + negative)
        return NULL;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return after;
}

bool number_is_double(double *out, const char *text)
{
    const char *end = text + strlen(text);
    double value;
    if (number_parse_double(&value, text, end) != end)
        return false;
    *out = value;
    return true;
}

bool number_is_int(int64_t *out, const char *text)
{
    const char *end = text + strlen(text);
    int64_t value;
    if (number_parse_int(&value, text, end) != end)
        return false;
    *out = value;
    return true;
}
