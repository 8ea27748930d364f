/* Numbers: the same value and end as strtod and strtof; what is printed reads back. The input is
 * cut at its first byte that strtod would treat in its own way (blank, hexadecimal, '#').
 * covers: core/number.c core/number_exact.c */
#include "core/number.h"
#include "core/number_print.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

static void check_parse(const char *text, const char *end)
{
    char *stop;
    double want = strtod(text, &stop), got = 0;
    const char *after = number_parse_double(&got, text, end);
    PROPERTY((after ? after : text) == stop);
    PROPERTY(!after || (isnan(want) ? isnan(got) : memcmp(&want, &got, sizeof got) == 0));
    float want_f = strtof(text, &stop), got_f = 0;
    after = number_parse_float(&got_f, text, end);
    PROPERTY((after ? after : text) == stop);
    PROPERTY(!after || (isnan(want_f) ? isnan(got_f) : memcmp(&want_f, &got_f, sizeof got_f) == 0));
}

static void check_print(const uint8_t *data)
{
    char text[NUMBER_PRINT_MAX];
    double wide, wide_back = 0;
    memcpy(&wide, data, sizeof wide);
    const char *end = text + number_print_double(text, wide);
    PROPERTY(number_parse_double(&wide_back, text, end) == end);
    PROPERTY(isnan(wide) ? isnan(wide_back) : memcmp(&wide, &wide_back, sizeof wide) == 0);
    float narrow, narrow_back = 0;
    memcpy(&narrow, data, sizeof narrow);
    end = text + number_print_float(text, narrow);
    PROPERTY(number_parse_float(&narrow_back, text, end) == end);
    PROPERTY(isnan(narrow) ? isnan(narrow_back)
                           : memcmp(&narrow, &narrow_back, sizeof narrow) == 0);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    const char *raw = (const char *)data; /* not terminated: for the bounds */
    double wide;
    float narrow;
    int64_t whole;
    uint64_t natural;
    number_parse_double(&wide, raw, raw + size);
    number_parse_float(&narrow, raw, raw + size);
    number_parse_int(&whole, raw, raw + size);
    number_parse_unsigned(&natural, raw, raw + size);
    if (size >= 8)
        check_print(data);

    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    size_t len = strcspn(text, " \t\n\v\f\rxX#");
    text[len] = 0;
    check_parse(text, text + len);
    if (number_is_int(&whole, text)) /* a whole number is a number */
        PROPERTY(number_is_double(&wide, text));
    free(text);
    return 0;
}
