/* Many lines at once: see scan.h. A window of the file is cut into pieces at line ends; threads
 * first count the rows of each piece, so that each knows the number of its first row, then parse
 * them. Pieces depend on the file alone. From the first piece on that holds anything but plain rows
 * the caller goes on line by line to the end of the window: comments, warnings and errors come in
 * the order of the file, and their cost is bounded. */
#include "core/error.h"
#include "core/file.h"
#include "core/parallel.h"
#include "formats/scan.h"

#include <string.h>

enum { WINDOW = 4 << 20, PIECE = 1 << 16, PIECES = WINDOW / PIECE };

struct piece {
    const char *begin, *end; /* whole lines */
    int64_t lines, rows;
    int64_t first; /* number of its first row */
    bool plain;    /* rows and empty lines only, and no row asked for more */
};

struct many {
    const struct scan *s;
    const struct scan_rows *rows;
    struct piece pieces[PIECES + 1];
    int n;
};

/* The next line of a piece, as scan_line gives it; false behind the last. */
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

/* Cuts the window of the scan into pieces of whole lines; what is behind the last line end waits,
 * unless the file ends there. */
static int cut(struct many *m, struct scan *s)
{
    const unsigned char *bytes;
    size_t have;
    TRY(file_skip(s->f, (int64_t)s->used));
    s->used = 0;
    TRY(file_peek(s->f, &bytes, &have, WINDOW));
    s->at = (const char *)bytes;
    s->stop = have ? s->at + have : NULL;
    bool last = have <= WINDOW && (int64_t)have == file_left(s->f);
    const char *at = s->at, *end = have > WINDOW ? at + WINDOW : s->stop;
    m->n = 0;
    while (at < end) {
        const char *stop = end - at > PIECE ? at + PIECE : end;
        const char *found = memchr(stop - 1, s->separator, (size_t)(end - stop + 1));
        if (!found && !last)
            found = stop - at < 2 ? NULL : memrchr(at, s->separator, (size_t)(stop - at - 1));
        if (!found && !last)
            break;
        stop = found ? found + 1 : end;
        m->pieces[m->n++] = (struct piece){.begin = at, .end = stop, .plain = true};
        at = stop;
    }
    parallel_for(m->n, 1, count_piece, m);
    return 0;
}

/* The scan goes on behind a piece. */
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
        if (m.n == 0) { /* the end, or a line longer than the window */
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
        for (int k = 0; k < m.n; k++) { /* rows of what comes next in the file are not ours */
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
