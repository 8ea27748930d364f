/* PTX: scans as Leica's programs export them, one after the other.
 *
 * Each scan opens with ten lines: columns and rows of its grid, the position of the scanner, its
 * three axes, and the four rows of the matrix that brings its points to common coordinates: with
 * the points as row vectors, world = (x y z 1) M. Then columns x rows lines "x y z intensity" or
 * "x y z intensity r g b" follow. Directions without an echo are 0 0 0 and are left out; all scans
 * make one cloud, with the number of its scan for each point when there are several. */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "formats/format.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <string.h>

enum { VALUES = 7, SCANS_MAX = 65535 };

struct ptx {
    struct scan s;
    int width; /* values of a line: 4, or 7 with colours */
    int64_t n, empty, scans;
    int64_t capacity; /* of the columns, in the second pass; 0 in the first */
    struct column *x[3], *intensity, *rgb[3], *scan;
};

static int bad(const struct ptx *p, const char *expected)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(p->s.f), GLT_PLACE_LINE, p->s.line,
                                "expected %s", expected),
                       GLT_TOPIC_SYNTAX, NULL);
}

/* The numbers of the next non-empty line; *n = -1 if it has more than VALUES of them, or anything
 * else. */
static int next_values(struct ptx *p, double v[VALUES], int *n, bool *ended)
{
    const char *at, *end;
    *n = 0;
    do {
        TRY(scan_line(&p->s, &at, &end));
        *ended = !at;
        if (!at)
            return 0;
        at = scan_blanks(at, end);
    } while (at == end);
    *n = scan_numbers(v, VALUES, &at, end);
    if (scan_blanks(at, end) < end)
        *n = -1;
    return 0;
}

static int want_values(struct ptx *p, double *v, int want, const char *expected)
{
    double found[VALUES];
    int n;
    bool ended;
    TRY(next_values(p, found, &n, &ended));
    if (ended || n != want)
        return bad(p, expected);
    memcpy(v, found, (size_t)want * sizeof *v);
    return 0;
}

static int take_count(const struct ptx *p, double v, int64_t *out)
{
    if (!(v >= 0 && v <= 0x1p40) || v != (double)(int64_t)v)
        return bad(p, "the number of columns or rows of a scan");
    *out = (int64_t)v;
    return 0;
}

static void put_point(const struct ptx *p, const double v[VALUES], const double m[4][4])
{
    for (int d = 0; d < 3; d++)
        ((double *)p->x[d]->data)[p->n] =
            v[0] * m[0][d] + v[1] * m[1][d] + v[2] * m[2][d] + m[3][d];
    ((float *)p->intensity->data)[p->n] = (float)v[3];
    if (p->scan)
        ((uint16_t *)p->scan->data)[p->n] = (uint16_t)p->scans;
    for (int d = 0; p->width == 7 && d < 3; d++)
        ((uint8_t *)p->rgb[d]->data)[p->n] =
            (uint8_t)(v[4 + d] > 0 ? v[4 + d] < 255 ? v[4 + d] : 255 : 0);
}

static int read_points(struct ptx *p, int64_t points, const double m[4][4])
{
    /* a line takes at least four digits and separators; the last may lack its end */
    int64_t left = file_left(p->s.f) - (int64_t)p->s.used + 1;
    if (points > left / 8)
        return error_topic(error_at(GLT_EFORMAT, file_name(p->s.f), GLT_PLACE_LINE, p->s.line,
                                    "a scan of %" PRId64 " points, but only %" PRId64
                                    " bytes follow: the file is cut short or damaged",
                                    points, left),
                           GLT_TOPIC_TRUNCATED, NULL);
    for (int64_t i = 0; i < points; i++) {
        double v[VALUES];
        int n;
        bool ended;
        TRY(next_values(p, v, &n, &ended));
        if (ended)
            return bad(p, "more points: the file is cut short or damaged");
        if ((n != 4 && n != 7) || (p->width && n != p->width))
            return bad(p, "x y z intensity, or x y z intensity r g b, in all lines alike");
        p->width = n;
        bool echo = v[0] != 0 || v[1] != 0 || v[2] != 0;
        if (echo && p->n < p->capacity)
            put_point(p, v, m);
        p->n += echo;
        p->empty += !echo;
    }
    return 0;
}

/* Goes through all scans; the first pass counts points. */
static int walk(struct ptx *p, struct file *f)
{
    p->n = p->empty = p->scans = 0;
    TRY(file_seek(f, 0));
    TRY(scan_start(&p->s, f, 0));
    for (;;) {
        double v[VALUES], place[3], m[4][4];
        int n;
        bool ended;
        int64_t columns = 0, rows = 0, points;
        TRY(next_values(p, v, &n, &ended));
        if (ended)
            return scan_stop(&p->s);
        if (n != 1)
            return bad(p, "the number of columns of a scan");
        TRY(take_count(p, v[0], &columns));
        TRY(want_values(p, v, 1, "the number of rows of a scan"));
        TRY(take_count(p, v[0], &rows));
        for (int i = 0; i < 4; i++)
            TRY(want_values(p, place, 3, "three numbers: position and axes of the scanner"));
        for (int i = 0; i < 4; i++)
            TRY(want_values(p, m[i], 4, "four numbers: a row of the scan's matrix"));
        if (p->scans == SCANS_MAX)
            return scan_limit(p->s.f, p->s.line, SCANS_MAX, "scans");
        if (__builtin_mul_overflow(columns, rows, &points))
            return bad(p, "a smaller scan");
        TRY(read_points(p, points, m));
        p->scans++;
    }
}

static int declare(struct ptx *p, struct glt_cloud *c)
{
    static const char *const names[] = {"x", "y", "z", "intensity", "red", "green", "blue"};
    struct column *x;
    for (int k = 0; k < 4; k++)
        TRY(cloud_declare(&x, c, names[k], k < 3 ? GLT_F64 : GLT_F32, 1));
    for (int k = 4; k < p->width; k++)
        TRY(cloud_declare(&x, c, names[k], GLT_U8, 1));
    if (p->scans > 1)
        TRY(cloud_declare(&x, c, "scan", GLT_U16, 1));
    c->n = p->n;
    TRY(cloud_allocate(c));
    for (int d = 0; d < 3; d++) {
        p->x[d] = &c->columns[d];
        p->rgb[d] = p->width == 7 ? &c->columns[4 + d] : NULL;
    }
    p->intensity = &c->columns[3];
    p->scan = p->scans > 1 ? &c->columns[c->n_columns - 1] : NULL;
    return 0;
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct ptx p = {0};
    (void)call, (void)o;
    TRY(walk(&p, f));
    if (p.empty)
        log_message(GLT_LOG_INFO, "%s: %" PRId64 " of %" PRId64 " directions have no echo",
                    file_name(f), p.empty, p.empty + p.n);
    TRY(declare(&p, c));
    p.capacity = c->n;
    TRY(walk(&p, f));
    return p.n == c->n
               ? 0
               : error_topic(
                     error_file(error_set(GLT_EIO,
                                          "%s changed while it was read: is another program "
                                          "writing it?",
                                          file_name(f)),
                                file_name(f)),
                     GLT_TOPIC_TRUNCATED, NULL);
}

const struct format format_ptx = {.name = "ptx", .extensions = "ptx", .read = read};
