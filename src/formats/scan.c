/* Scanning text: see scan.h. The window is the file module's own; a line is handed out where it
 * stands, so a file of a hundred million lines is copied nowhere. */
#include "formats/scan.h"

#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file.h"
#include "core/number.h"
#include "core/number_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 1 << 16, LINE_MOST = 1 << 24 };

int scan_start(struct scan *s, struct file *f, int64_t first_line)
{
    const unsigned char *bytes;
    size_t have;
    *s = (struct scan){.f = f, .line = first_line, .separator = '\n'};
    TRY(file_peek(f, &bytes, &have, WINDOW));
    if (!have)
        return 0;
    const unsigned char *cr = memchr(bytes, '\r', have);
    if (cr && !memchr(bytes, '\n', have))
        s->separator = '\r';
    s->at = (const char *)bytes;
    s->stop = s->at + have;
    if (file_offset(f) == 0 && have >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        s->at += 3; /* the mark some editors put before UTF-8 */
        s->used = 3;
    }
    return 0;
}

int scan_stop(struct scan *s)
{
    int64_t used = (int64_t)s->used;
    s->used = 0;
    s->at = s->stop = NULL;
    return file_skip(s->f, used);
}

/* Makes the window hold more than `have` bytes from s->at on; *more = false at the end. */
static int refill(struct scan *s, size_t have, bool *more)
{
    const unsigned char *bytes;
    size_t len, want = have + 1 > WINDOW ? 2 * have : WINDOW;
    TRY(file_skip(s->f, (int64_t)s->used));
    s->used = 0;
    TRY(file_peek(s->f, &bytes, &len, want));
    s->at = (const char *)bytes;
    s->stop = len ? s->at + len : NULL;
    *more = len > have;
    return 0;
}

int scan_line(struct scan *s, const char **line, const char **end)
{
    const char *stop = NULL;
    size_t have = (size_t)(s->stop - s->at);
    for (bool more = true;;) {
        stop = have ? memchr(s->at, s->separator, have) : NULL;
        if (stop)
            break;
        if (have > LINE_MOST)
            return error_set(GLT_EFORMAT,
                             "%s: line %" PRId64 " is longer than %d bytes: is this a text file?",
                             file_name(s->f), s->line + 1, LINE_MOST);
        TRY(refill(s, have, &more));
        have = (size_t)(s->stop - s->at);
        if (!more)
            break;
    }
    if (have == 0) {
        *line = *end = NULL;
        return 0;
    }
    *line = s->at;
    *end = stop ? stop : s->stop;
    const char *next = stop ? stop + 1 : s->stop;
    s->used += (size_t)(next - s->at);
    s->at = next;
    s->line++;
    if (*end > *line && (*end)[-1] == '\r')
        --*end;
    return 0;
}

char *scan_word(char **rest)
{
    static const char blanks[] = " \t\r\v\f";
    char *s = *rest + strspn(*rest, blanks);
    if (*s == 0)
        return NULL;
    size_t len = strcspn(s, blanks);
    *rest = s + len + (s[len] != 0);
    s[len] = 0;
    return s;
}

static const char *scan_integer(void *dst, enum glt_type type, const char *at, const char *end)
{
    int64_t i;
    uint64_t u;
    double d;
    static const int64_t min[] = {INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0, INT64_MIN};
    static const int64_t max[] = {INT8_MAX,  UINT8_MAX,  INT16_MAX, UINT16_MAX,
                                  INT32_MAX, UINT32_MAX, INT64_MAX};
    const char *next;
    if (type == GLT_U64) {
        next = number_parse_unsigned(&u, at, end);
        if (!next || (next < end && strchr(".eE", *next) && *next)) {
            next = number_parse_double(&d, at, end);
            if (!next || !(d >= 0 && d < 0x1p64) || d != floor(d))
                return NULL;
            u = (uint64_t)d;
        }
        memcpy(dst, &u, sizeof u);
        return next;
    }
    next = number_parse_int(&i, at, end);
    if (!next || (next < end && strchr(".eE", *next) && *next)) {
        next = number_parse_double(&d, at, end);
        if (!next || !(fabs(d) < 0x1p63) || d != floor(d))
            return NULL;
        i = (int64_t)d;
    }
    if (i < min[type] || i > max[type])
        return NULL;
    switch (type_size(type)) {
    case 1:
        memcpy(dst, &(int8_t){(int8_t)i}, 1);
        break;
    case 2:
        memcpy(dst, &(int16_t){(int16_t)i}, 2);
        break;
    case 4:
        memcpy(dst, &(int32_t){(int32_t)i}, 4);
        break;
    default:
        memcpy(dst, &i, 8);
    }
    return next;
}

const char *scan_value(void *dst, enum glt_type type, const char *at, const char *end)
{
    if (type == GLT_F32)
        return number_parse_float(dst, at, end);
    if (type == GLT_F64)
        return number_parse_double(dst, at, end);
    return scan_integer(dst, type, at, end);
}

size_t scan_print(char *dst, enum glt_type type, const void *src)
{
    switch (type) {
    case GLT_I8:
        return (size_t)sprintf(dst, "%d", *(const int8_t *)src);
    case GLT_U8:
        return (size_t)sprintf(dst, "%d", *(const uint8_t *)src);
    case GLT_I16:
        return (size_t)sprintf(dst, "%d", *(const int16_t *)src);
    case GLT_U16:
        return (size_t)sprintf(dst, "%d", *(const uint16_t *)src);
    case GLT_I32:
        return (size_t)sprintf(dst, "%" PRId32, *(const int32_t *)src);
    case GLT_U32:
        return (size_t)sprintf(dst, "%" PRIu32, *(const uint32_t *)src);
    case GLT_I64:
        return (size_t)sprintf(dst, "%" PRId64, *(const int64_t *)src);
    case GLT_U64:
        return (size_t)sprintf(dst, "%" PRIu64, *(const uint64_t *)src);
    case GLT_F32:
        return number_print_float(dst, *(const float *)src);
    case GLT_F64:
        return number_print_double(dst, *(const double *)src);
    }
    return 0;
}
