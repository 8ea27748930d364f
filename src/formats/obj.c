/* OBJ meshes: vertices (with the colours some programs put behind them) and faces.
 *
 * Reference: Wavefront, "Object Files (.obj)". Negative indices count from the last vertex; a
 * backslash joins lines; all other keywords are skipped. */
#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/number.h"
#include "formats/format.h"
#include "formats/mesh.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <string.h>

enum { CORNERS_MOST = 1 << 12, LINE = 1 << 16 };

struct obj {
    struct mesh mesh;
    double *colour; /* (n, 3) */
    int64_t coloured;
    int64_t *corners;
    char *joined; /* lines joined by backslashes */
};

static int bad(const struct scan *s, const char *what, const char *at, const char *end)
{
    return error_set(GLT_EFORMAT, "%s: line %" PRId64 ": %s, found \"%.*s\"", file_name(s->f),
                     s->line, what, (int)(end - at < 30 ? end - at : 30), at);
}

static int read_vertex(struct obj *o, const struct scan *s, const char *at, const char *end)
{
    double v[8];
    int n = 0;
    const char *from = at;
    while (n < 8 && (at = scan_blanks(at, end)) < end) {
        at = number_parse_double(&v[n], at, end);
        if (!at || (at < end && !scan_is_blank(*at)))
            return bad(s, "expected the numbers of a vertex", from, end);
        n++;
    }
    if (n < 3)
        return bad(s, "expected three coordinates", from, end);
    if (o->mesh.n == INT32_MAX)
        return error_set(GLT_ELIMIT, "%s has more than 2^31 vertices", file_name(s->f));
    if (n >= 6 && o->coloured == o->mesh.n) {
        TRY(array_reserve(&o->colour, o->coloured, 1, 3 * sizeof *o->colour));
        memcpy(o->colour + 3 * o->coloured++, v + 3, 3 * sizeof *v);
    }
    return mesh_add_vertex(&o->mesh, v);
}

/* Corners are "v", "v/t", "v//n" or "v/t/n". */
static int read_face(struct obj *o, const struct scan *s, const char *at, const char *end)
{
    int64_t n = 0;
    while ((at = scan_blanks(at, end)) < end && *at != '#') {
        int64_t v;
        const char *next = number_parse_int(&v, at, end);
        if (!next || n == CORNERS_MOST)
            return bad(s, "expected the corners of a face", at, end);
        int64_t index = v < 0 ? o->mesh.n + v : v - 1;
        if (index < 0 || index >= o->mesh.n)
            return error_set(GLT_EFORMAT,
                             "%s: line %" PRId64 ": a face has vertex %" PRId64 " of %" PRId64
                             " so far",
                             file_name(s->f), s->line, v, o->mesh.n);
        for (at = next; at < end && !scan_is_blank(*at); at++)
            if (!memchr("0123456789/-", *at, 12))
                return bad(s, "expected the corners of a face", at, end);
        o->corners[n++] = index;
    }
    if (n < 3)
        return bad(s, "a face needs three corners", end, end);
    return mesh_add_face(&o->mesh, o->corners, n);
}

/* A line that ends in a backslash goes on in the next. */
static int join(struct obj *o, struct scan *s, const char **at, const char **end)
{
    size_t len = 0;
    for (;;) {
        size_t more = (size_t)(*end - *at), goes_on = more && (*end)[-1] == '\\';
        if (len == 0 && !goes_on)
            return 0;
        more -= goes_on;
        if (len + more >= LINE)
            return bad(s, "a joined line is too long", *at, *end);
        memcpy(o->joined + len, *at, more);
        len += more;
        if (!goes_on)
            break;
        o->joined[len++] = ' ';
        TRY(scan_line(s, at, end));
        if (!*at)
            break;
    }
    *at = o->joined;
    *end = o->joined + len;
    return 0;
}

static int read_obj(struct obj *o, struct file *f)
{
    struct scan s;
    o->corners = memory_alloc(CORNERS_MOST, sizeof *o->corners);
    o->joined = memory_alloc(LINE, 1);
    if (!o->corners || !o->joined)
        return GLT_ENOMEM;
    TRY(scan_start(&s, f, 0));
    for (;;) {
        const char *at, *end;
        TRY(scan_line(&s, &at, &end));
        if (!at)
            return scan_stop(&s);
        TRY(join(o, &s, &at, &end));
        at = scan_blanks(at, end);
        if (end == at || (end - at > 1 && !scan_is_blank(at[1])))
            continue;
        if (*at == 'v')
            TRY(read_vertex(o, &s, at + 1, end));
        else if (*at == 'f')
            TRY(read_face(o, &s, at + 1, end));
    }
}

static int make_cloud(struct glt_cloud *c, const struct obj *o,
                      const struct format_options *options)
{
    static const char *const names[] = {"red", "green", "blue"};
    if (!options->vertices && o->mesh.n_triangles > 0)
        return mesh_sample(c, &o->mesh, options);
    TRY(mesh_vertices(c, &o->mesh));
    for (int d = 0; d < 3 && o->coloured == c->n && c->n > 0; d++) {
        struct column *x;
        TRY(cloud_add_attribute(&x, c, names[d], GLT_F32));
        for (int64_t i = 0; i < c->n; i++)
            ((float *)x->data)[i] = (float)o->colour[3 * i + d];
    }
    return 0;
}

static int read(struct glt_cloud *c, struct file *f, const struct format_options *options)
{
    struct obj o = {0};
    int code = read_obj(&o, f);
    if (code == 0 && o.mesh.n == 0)
        code = error_set(GLT_EFORMAT, "%s holds no vertex", file_name(f));
    if (code == 0)
        code = make_cloud(c, &o, options);
    mesh_clear(&o.mesh);
    memory_free(o.colour);
    memory_free(o.corners);
    memory_free(o.joined);
    return code;
}

const struct format format_obj = {.name = "obj", .extensions = "obj", .read = read, .mesh = true};
