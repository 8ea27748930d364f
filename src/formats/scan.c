/* Scanning text: see scan.h. The window is the file module's own; a line is returned in place, so
 * not even a file of a hundred million lines is copied. */
#include "formats/scan.h"

#include "cloud/type.h"
#include "core/error.h"
#include "core/file.h"
#include "core/number.h"
#include "core/number_print.h"
#include "core/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 1 << 16, LINE_BYTES_MAX = 1 << 24 };

int scan_limit(const struct file *f, int64_t line, int64_t max, const char *what)
{
    return error_topic(error_at(GLT_ELIMIT, file_name(f), GLT_PLACE_LINE, line,
                                "more than %" PRId64 " %s are not read", max, what),
                       GLT_TOPIC_SIZE_LIMIT, NULL);
}

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
        s->at += 3; /* the byte order mark some editors put before UTF-8 */
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
        if ((stop ? (size_t)(stop - s->at) : have) > LINE_BYTES_MAX)
            return error_topic(
                error_place(error_in(GLT_EFORMAT, file_name(s->f),
                                     "line %" PRId64
                                     " is longer than %d bytes: is this a text file?",
                                     s->line + 1, LINE_BYTES_MAX),
                            GLT_PLACE_LINE, s->line + 1),
                GLT_TOPIC_SYNTAX, NULL);
        if (stop)
            break;
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

int scan_numbers(double *dst, int max, const char **at, const char *end)
{
    int n = 0;
    for (; n < max && (*at = scan_blanks(*at, end)) < end; n++) {
        const char *next = number_parse_double(&dst[n], *at, end);
        if (!next || (next < end && !scan_is_blank(*next)))
            return -1;
        *at = next;
    }
    return n;
}

/* Whether the text after a possible integer may continue as a whole real (3.0, 1e2). */
static bool is_longer(const char *next, const char *end)
{
    return !next || (next < end && *next && strchr(".eE", *next));
}

static const char *scan_unsigned(void *dst, const char *at, const char *end)
{
    uint64_t u;
    double d;
    const char *next = number_parse_unsigned(&u, at, end);
    if (is_longer(next, end)) {
        next = number_parse_double(&d, at, end);
        if (!next || !(d >= 0 && d < 0x1p64) || d != floor(d))
            return NULL;
        u = (uint64_t)d;
    }
    memcpy(dst, &u, sizeof u);
    return next;
}

static const char *scan_integer(void *dst, enum glt_type type, const char *at, const char *end)
{
    int64_t i;
    double d;
    const char *next = number_parse_int(&i, at, end);
    if (is_longer(next, end)) {
        next = number_parse_double(&d, at, end);
        if (!next || !(fabs(d) < 0x1p63) || d != floor(d))
            return NULL;
        i = (int64_t)d;
    }
    if (type < GLT_I64 && ((double)i < type_min(type) || (double)i > type_max(type)))
        return NULL;
    type_store(dst, type, i);
    return next;
}

const char *scan_value(void *dst, enum glt_type type, const char *at, const char *end)
{
    if (type == GLT_F32)
        return number_parse_float(dst, at, end);
    if (type == GLT_F64)
        return number_parse_double(dst, at, end);
    return type == GLT_U64 ? scan_unsigned(dst, at, end) : scan_integer(dst, type, at, end);
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

/* --- many lines at once ---
 *
 * A stretch of the file is cut into pieces at line ends; threads first count the rows of each
 * piece, so that each knows the number of its first row, then parse them. Pieces depend on the file
 * alone. From the first piece with anything but plain rows the caller continues line by line to the
 * end of the stretch: so comments, warnings and errors come in the order of the file, and their
 * cost is bounded. */

enum { STRETCH = 4 << 20, PIECE = 1 << 16, PIECES = STRETCH / PIECE };

struct piece {
    const char *begin, *end; /* whole lines */
    int64_t lines, rows;
    int64_t first; /* number of its first row */
    bool plain;    /* only rows and empty lines, and no row needs to be read again */
};

struct many {
    const struct scan *s;
    const struct scan_rows *rows;
    struct piece pieces[PIECES + 1];
    int n;
};

/* The next line of a piece, as scan_line gives it; false after the last. */
static inline bool next_line(const char **line, const char **end, const char **at, const char *stop,
                             char separator)
{
    if (*at == stop)
        return false;
    const char *found = memchr(*at, separator, (size_t)(stop - *at));
    *line = *at;
    *end = found ? found : stop;
    *at = found ? found + 1 : stop;
    *end -= *end > *line && (*end)[-1] == '\r';
    return true;
}

static void count_piece(void *user, int64_t begin, int64_t end)
{
    struct many *m = user;
    (void)end;
    struct piece *p = &m->pieces[begin];
    const char *at = p->begin, *line, *stop;
    while (next_line(&line, &stop, &at, p->end, m->s->separator)) {
        enum scan_kind kind = m->rows->kind(line, stop);
        p->lines++;
        p->rows += kind == SCAN_ROW;
        p->plain = p->plain && kind != SCAN_OTHER;
    }
}

static void parse_piece(void *user, int64_t begin, int64_t end)
{
    struct many *m = user;
    (void)end;
    struct piece *p = &m->pieces[begin];
    const char *at = p->begin, *line, *stop;
    int64_t i = p->first;
    while (p->plain && next_line(&line, &stop, &at, p->end, m->s->separator))
        if (m->rows->kind(line, stop) == SCAN_ROW)
            p->plain = m->rows->row(m->rows->user, NULL, i++, line, stop) == 0;
}

/* The last c of [at, end), or NULL. */
static const char *find_last(const char *at, const char *end, char c)
{
    while (end > at)
        if (*--end == c)
            return end;
    return NULL;
}

/* Cuts the next stretch into pieces of whole lines; the rest after the last line end is left for
 * later, unless the file ends there. */
static int cut(struct many *m, struct scan *s)
{
    const unsigned char *bytes;
    size_t have;
    TRY(file_skip(s->f, (int64_t)s->used));
    s->used = 0;
    TRY(file_peek(s->f, &bytes, &have, STRETCH));
    s->at = (const char *)bytes;
    s->stop = have ? s->at + have : NULL;
    bool last = have <= STRETCH && (int64_t)have == file_left(s->f);
    const char *at = s->at, *end = have > STRETCH ? at + STRETCH : s->stop;
    m->n = 0;
    while (at < end) {
        const char *stop = end - at > PIECE ? at + PIECE : end;
        const char *found = memchr(stop - 1, s->separator, (size_t)(end - stop + 1));
        if (!found && !last)
            found = find_last(at, stop - 1, s->separator);
        if (!found && !last)
            break;
        stop = found ? found + 1 : end;
        m->pieces[m->n++] = (struct piece){.begin = at, .end = stop, .plain = true};
        at = stop;
    }
    parallel_for(m->n, 1, count_piece, m);
    return 0;
}

/* Moves the scan past a piece. */
static void pass(struct scan *s, const struct piece *p)
{
    s->used += (size_t)(p->end - s->at);
    s->at = p->end;
    s->line += p->lines;
}

int scan_count(struct scan *s, const struct scan_rows *rows, int64_t *n)
{
    struct many m = {.s = s, .rows = rows};
    for (*n = 0;;) {
        TRY(cut(&m, s));
        for (int k = 0; k < m.n; k++) {
            *n += m.pieces[k].rows;
            pass(s, &m.pieces[k]);
        }
        const char *line, *end;
        if (m.n == 0) { /* the end, or a line longer than the stretch */
            TRY(scan_line(s, &line, &end));
            if (!line)
                return 0;
            *n += rows->kind(line, end) == SCAN_ROW;
        }
    }
}

int scan_many(struct scan *s, const struct scan_rows *rows, int64_t *i, int64_t n)
{
    if (file_offset(s->f) + (int64_t)s->used < s->alone)
        return 0;
    for (bool plain = true; plain && *i < n;) {
        struct many m = {.s = s, .rows = rows};
        TRY(cut(&m, s));
        s->alone = file_offset(s->f) + (m.n ? m.pieces[m.n - 1].end - s->at : 1);
        int64_t first = *i;
        for (int k = 0; k < m.n; k++) { /* the file may continue with rows of something else */
            m.pieces[k].first = first;
            first += m.pieces[k].rows;
            m.pieces[k].plain = m.pieces[k].plain && first <= n;
        }
        parallel_for(m.n, 1, parse_piece, &m);
        plain = m.n > 0;
        for (int k = 0; k < m.n && plain; k++) {
            plain = m.pieces[k].plain;
            if (plain) {
                pass(s, &m.pieces[k]);
                *i += m.pieces[k].rows;
            }
        }
    }
    return 0;
}
