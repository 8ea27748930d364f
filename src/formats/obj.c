/* OBJ meshes: vertices (with the colours some programs put after them) and faces.
 *
 * Reference: Wavefront, "Object Files (.obj)". Negative indices count from the last vertex; a
 * backslash joins lines; all other keywords are skipped. */
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/number.h"
#include "formats/format.h"
#include "formats/mesh.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <string.h>

enum { CORNERS_MAX = 1 << 12, LINE_BYTES_MAX = 1 << 16 };

struct obj {
    struct mesh mesh;
    int64_t coloured; /* vertices so far, as long as all have a colour */
    int64_t *corners;
    char *joined; /* lines joined by backslashes */
};

static int bad(const struct scan *s, const char *what, const char *at, const char *end)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                "%s, found \"%.*s\"", what, (int)(end - at < 30 ? end - at : 30),
                                at),
                       GLT_TOPIC_SYNTAX, NULL);
}

static int read_vertex(struct obj *o, const struct scan *s, const char *at, const char *end)
{
    double v[8];
    const char *from = at;
    int n = scan_numbers(v, 8, &at, end);
    if (n < 0)
        return bad(s, "expected the numbers of a vertex", from, end);
    if (n < 3)
        return bad(s, "expected three coordinates", from, end);
    if (o->mesh.n == INT32_MAX)
        return error_topic(
            error_file(error_set(GLT_ELIMIT, "%s has more than 2^31 - 1 vertices", file_name(s->f)),
                       file_name(s->f)),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    if (n >= 6 && o->coloured == o->mesh.n) {
        TRY(array_reserve(&o->mesh.colours, o->coloured, 1, 3 * sizeof *v));
        memcpy(o->mesh.colours + 3 * o->coloured++, v + 3, 3 * sizeof *v);
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
        if (n == CORNERS_MAX)
            return scan_limit(s->f, s->line, CORNERS_MAX, "corners of a face");
        if (!next)
            return bad(s, "expected the corners of a face", at, end);
        int64_t index = v < 0 ? o->mesh.n + v : v - 1;
        if (index < 0 || index >= o->mesh.n)
            return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                        "a face has vertex %" PRId64 " of %" PRId64 " so far", v,
                                        o->mesh.n),
                               GLT_TOPIC_VALUE, NULL);
        for (at = next; at < end && !scan_is_blank(*at); at++)
            if (!memchr("0123456789/-", *at, 12))
                return bad(s, "expected the corners of a face", at, end);
        o->corners[n++] = index;
    }
    if (n < 3)
        return bad(s, "a face needs three corners", end, end);
    return mesh_add_face(&o->mesh, o->corners, n);
}

/* A line that ends in a backslash continues in the next. */
static int join(struct obj *o, struct scan *s, const char **at, const char **end)
{
    size_t len = 0;
    for (;;) {
        size_t more = (size_t)(*end - *at), goes_on = more && (*end)[-1] == '\\';
        if (len == 0 && !goes_on)
            return 0;
        more -= goes_on;
        if (len + more >= LINE_BYTES_MAX)
            return bad(s, "a joined line of 65536 bytes or more is not read", *at, *end);
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

static int read_obj(struct call *call, struct obj *o, struct file *f)
{
    struct scan s;
    o->corners = call_alloc(call, CORNERS_MAX, sizeof *o->corners);
    o->joined = call_alloc(call, LINE_BYTES_MAX, 1);
    if (!o->corners || !o->joined)
        return GLT_ENOMEM;
    TRY(scan_start(&s, f, 0));
    for (;;) {
        const char *at, *end;
        TRY(scan_line(&s, &at, &end));
        if (!at)
            break;
        TRY(join(o, &s, &at, &end));
        at = scan_blanks(at, end);
        if (end == at || (end - at > 1 && !scan_is_blank(at[1])))
            continue;
        if (*at == 'v')
            TRY(read_vertex(o, &s, at + 1, end));
        else if (*at == 'f')
            TRY(read_face(o, &s, at + 1, end));
    }
    if (o->mesh.n == 0)
        return error_topic(
            error_file(error_set(GLT_EFORMAT, "%s holds no vertex", file_name(f)), file_name(f)),
            GLT_TOPIC_MISSING, NULL);
    if (o->coloured < o->mesh.n) {
        memory_free(o->mesh.colours);
        o->mesh.colours = NULL;
    }
    return scan_stop(&s);
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *options)
{
    struct obj o = {0};
    int code = read_obj(call, &o, f);
    if (code == 0)
        code = mesh_cloud(call, c, &o.mesh, options);
    mesh_clear(&o.mesh);
    return code;
}

const struct format format_obj = {.name = "obj", .extensions = "obj", .read = read, .mesh = true};
