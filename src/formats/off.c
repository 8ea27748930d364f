/* OFF meshes: [ST][C][N]OFF, text or BINARY; comments; the glued "OFF216 183 0" of ModelNet; files
 * without the magic word.
 *
 * Reference: Geomview manual, "OFF Files". Line breaks are free, but each vertex and face begins a
 * line. After the indices of a face follows its colour, which is skipped. Binary files hold words
 * of four bytes: three counts, the numbers of each vertex, and for each face its corners and its
 * colour, each preceded by their number; some writers leave colours out. */
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

enum { CORNERS_MAX = 1 << 16 };

struct off {
    bool binary, normals, colours, texture; /* from the magic word */
    uint64_t n, faces;
    struct mesh mesh;
};

/* The next line that is neither empty nor a comment, without its comment; NULL at the end. */
static int next_line(struct scan *s, const char **at, const char **end)
{
    for (;;) {
        TRY(scan_line(s, at, end));
        if (!*at)
            return 0;
        const char *hash = *end > *at ? memchr(*at, '#', (size_t)(*end - *at)) : NULL;
        *end = hash ? hash : *end;
        *at = scan_blanks(*at, *end);
        if (*at < *end)
            return 0;
    }
}

static int bad(const struct scan *s, const char *what)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line, "%s", what),
                       GLT_TOPIC_SYNTAX, NULL);
}

/* "STCNOFF" and what follows it; *at moves after the word. */
static int take_magic(struct off *o, const struct scan *s, const char **at, const char *end)
{
    const char *p = *at;
    if (*p >= '0' && *p <= '9' && !(end - p >= 4 && memcmp(p, "4OFF", 4) == 0))
        return 0; /* no magic word: these are the counts */
    if (end - p > 2 && p[0] == 'S' && p[1] == 'T') {
        o->texture = true;
        p += 2;
    }
    for (; p < end && (*p == 'C' || *p == 'N'); p++) {
        o->colours = o->colours || *p == 'C';
        o->normals = o->normals || *p == 'N';
    }
    if (end - p >= 4 && (memcmp(p, "4OFF", 4) == 0 || memcmp(p, "nOFF", 4) == 0))
        return error_topic(error_in(GLT_EUNSUPPORTED, file_name(s->f),
                                    "OFF in more than three dimensions is not read"),
                           GLT_TOPIC_FORMAT, NULL);
    if (end - p < 3 || memcmp(p, "OFF", 3) != 0)
        return bad(s, "expected OFF");
    p = scan_blanks(p + 3, end);
    if (end - p >= 6 && memcmp(p, "BINARY", 6) == 0) {
        o->binary = true;
        p += 6;
    }
    *at = p;
    return 0;
}

static int take_counts(struct off *o, struct scan *s, const char *at, const char *end)
{
    at = scan_blanks(at, end);
    if (at == end) {
        TRY(next_line(s, &at, &end));
        if (!at)
            return bad(s, "the file ends before the counts");
    }
    const char *next = number_parse_unsigned(&o->n, at, end);
    next = next ? scan_blanks(next, end) : NULL;
    next = next ? number_parse_unsigned(&o->faces, next, end) : NULL;
    if (!next)
        return bad(s, "expected the numbers of vertices, faces and edges");
    /* a vertex takes at least three digits and separators, a face at least one of each */
    uint64_t left = (uint64_t)(file_size(s->f) - file_offset(s->f)) + 1;
    if (o->n > left / 6 || o->faces > left / 2 || o->n > INT32_MAX)
        return error_topic(error_in(GLT_EFORMAT, file_name(s->f),
                                    "%" PRIu64 " vertices and %" PRIu64
                                    " faces are declared in a file of "
                                    "%" PRId64 " bytes: it is cut short or damaged",
                                    o->n, o->faces, file_size(s->f)),
                           GLT_TOPIC_TRUNCATED, NULL);
    return 0;
}

static int read_vertex(struct off *o, const struct scan *s, const char *at, const char *end)
{
    double v[16];
    int n = scan_numbers(v, 16, &at, end), k = 3;
    if (n < 3)
        return bad(s, "expected the coordinates of a vertex");
    int64_t i = o->mesh.n;
    TRY(mesh_add_vertex(&o->mesh, v));
    if (o->normals) {
        if (n < k + 3)
            return bad(s, "expected the normal of a vertex");
        memcpy(o->mesh.normals + 3 * i, v + k, 3 * sizeof *v);
        k += 3;
    }
    if (o->colours && n >= k + 3)
        memcpy(o->mesh.colours + 3 * i, v + k, 3 * sizeof *v);
    else
        o->colours = false; /* not every vertex has a colour */
    return 0;
}

static int read_face(struct off *o, const struct scan *s, int64_t *corners, const char *at,
                     const char *end)
{
    uint64_t n;
    at = number_parse_unsigned(&n, at, end);
    if (!at)
        return bad(s, "expected the number of corners of a face");
    if (n > CORNERS_MAX)
        return scan_limit(s->f, s->line, CORNERS_MAX, "corners of a face");
    for (uint64_t k = 0; k < n; k++) {
        at = number_parse_int(&corners[k], scan_blanks(at, end), end);
        if (!at)
            return bad(s, "expected the corners of a face");
        if (corners[k] < 0 || (uint64_t)corners[k] >= o->n)
            return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                        "a face has vertex %" PRId64 " of %" PRIu64, corners[k],
                                        o->n),
                               GLT_TOPIC_VALUE, NULL);
    }
    return mesh_add_face(&o->mesh, corners, (int64_t)n);
}

/* Allocates what the magic word announces for n vertices. */
static int allocate(struct off *o)
{
    struct mesh *m = &o->mesh;
    m->bytes = !o->binary; /* there colours are 0 to 1 */
    if (o->normals && !(m->normals = memory_alloc((size_t)o->n, 3 * sizeof *m->normals)))
        return GLT_ENOMEM;
    if (o->colours && !(m->colours = memory_alloc((size_t)o->n, 3 * sizeof *m->colours)))
        return GLT_ENOMEM;
    return 0;
}

static int read_text(struct call *call, struct off *o, struct scan *s)
{
    int64_t *corners = call_alloc(call, CORNERS_MAX, sizeof *corners);
    if (!corners)
        return GLT_ENOMEM;
    TRY(allocate(o));
    for (uint64_t i = 0; i < o->n + o->faces; i++) {
        const char *at, *end;
        TRY(next_line(s, &at, &end));
        if (!at)
            return error_topic(error_in(GLT_EFORMAT, file_name(s->f),
                                        "the file ends after %" PRIu64 " of %" PRIu64
                                        " vertices and faces: it is cut short or damaged",
                                        i, o->n + o->faces),
                               GLT_TOPIC_TRUNCATED, NULL);
        TRY(i < o->n ? read_vertex(o, s, at, end) : read_face(o, s, corners, at, end));
    }
    if (!o->colours) {
        memory_free(o->mesh.colours);
        o->mesh.colours = NULL;
    }
    return 0;
}

static int read_words(uint32_t *dst, struct file *f, size_t n, bool swap)
{
    TRY(file_read(f, dst, 4 * n));
    if (swap)
        file_swap(dst, n, 4);
    return 0;
}

/* Coordinates, then as the magic word says a normal, a colour of four, a texture coordinate. */
static int read_binary_vertex(struct off *o, struct file *f, size_t n_words, bool swap)
{
    uint32_t words[3 + 3 + 4 + 2] = {0};
    float v[3 + 3 + 4 + 2];
    TRY(read_words(words, f, n_words, swap));
    memcpy(v, words, sizeof v);
    int64_t i = o->mesh.n;
    TRY(mesh_add_vertex(&o->mesh, (double[3]){v[0], v[1], v[2]}));
    for (int d = 0; d < 3; d++) {
        if (o->normals)
            o->mesh.normals[3 * i + d] = v[3 + d];
        if (o->colours)
            o->mesh.colours[3 * i + d] = v[(o->normals ? 6 : 3) + d];
    }
    return 0;
}

static int read_binary_face(struct off *o, struct file *f, bool swap, bool bare)
{
    uint32_t n, corner[64], n_colour = 0;
    int64_t corners[64];
    TRY(read_words(&n, f, 1, swap));
    if (n > 64)
        return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_BYTE, file_offset(f),
                                    "a face of %" PRIu32 " corners", n),
                           GLT_TOPIC_VALUE, NULL);
    TRY(read_words(corner, f, n, swap));
    for (uint32_t k = 0; k < n; k++)
        if ((corners[k] = corner[k]) >= (int64_t)o->n)
            return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_BYTE, file_offset(f),
                                        "a face has vertex %" PRIu32 " of %" PRIu64, corner[k],
                                        o->n),
                               GLT_TOPIC_VALUE, NULL);
    if (!bare)
        TRY(read_words(&n_colour, f, 1, swap));
    if (n_colour > 4)
        return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_BYTE, file_offset(f),
                                    "a colour of %" PRIu32 " numbers, expected 0 to 4", n_colour),
                           GLT_TOPIC_VALUE, NULL);
    TRY(file_skip(f, 4 * (int64_t)n_colour));
    return mesh_add_face(&o->mesh, corners, n);
}

/* Whether n faces without colours fill the file exactly: some writers omit even the count of
 * colours. The offset does not change. */
static int find_bare(bool *bare, struct file *f, uint32_t n, bool swap)
{
    int64_t begin = file_offset(f);
    uint32_t i = 0, corners;
    for (; i < n && file_left(f) >= 4; i++) {
        TRY(read_words(&corners, f, 1, swap));
        if (corners == 0 || corners > (uint64_t)file_left(f) / 4)
            break;
        TRY(file_skip(f, 4 * (int64_t)corners));
    }
    *bare = i == n && file_left(f) == 0;
    return file_seek(f, begin);
}

/* Big-endian by the specification, but some writers use host order: take the one in which the
 * counts fit. */
static int read_binary(struct off *o, struct file *f)
{
    uint32_t head[3];
    size_t words = 3 + (o->normals ? 3 : 0) + (o->colours ? 4 : 0) + (o->texture ? 2 : 0);
    bool swap = !file_host_is_big_endian();
    TRY(read_words(head, f, 3, swap));
    if (head[0] > (uint64_t)file_left(f) / (4 * words)) {
        swap = !swap;
        file_swap(head, 3, 4);
    }
    if (head[0] > (uint64_t)file_left(f) / (4 * words))
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "the binary OFF declares more vertices than its %" PRId64
                                    " bytes can hold",
                                    file_size(f)),
                           GLT_TOPIC_TRUNCATED, NULL);
    o->n = head[0];
    TRY(allocate(o));
    for (uint32_t i = 0; i < head[0]; i++)
        TRY(read_binary_vertex(o, f, words, swap));
    bool bare;
    TRY(find_bare(&bare, f, head[1], swap));
    if (head[1] > (uint64_t)file_left(f) / 4)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "the binary OFF declares %" PRIu32 " faces, but only %" PRId64
                                    " bytes are left: it is cut short or damaged",
                                    head[1], file_left(f)),
                           GLT_TOPIC_TRUNCATED, NULL);
    for (uint32_t i = 0; i < head[1]; i++)
        TRY(read_binary_face(o, f, swap, bare));
    return 0;
}

static int read_off(struct call *call, struct off *o, struct file *f)
{
    struct scan s;
    const char *at, *end;
    TRY(scan_start(&s, f, 0));
    TRY(next_line(&s, &at, &end));
    if (!at)
        return error_topic(
            error_file(error_set(GLT_EFORMAT, "%s holds nothing", file_name(f)), file_name(f)),
            GLT_TOPIC_TRUNCATED, NULL);
    TRY(take_magic(o, &s, &at, end));
    if (o->binary) {
        TRY(scan_stop(&s));
        return read_binary(o, f);
    }
    TRY(take_counts(o, &s, at, end));
    TRY(read_text(call, o, &s));
    return scan_stop(&s);
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *options)
{
    struct off o = {0};
    int code = read_off(call, &o, f);
    if (code == 0)
        code = mesh_cloud(call, c, &o.mesh, options);
    mesh_clear(&o.mesh);
    return code;
}

static bool probe(const unsigned char *bytes, size_t len)
{
    static const char *const words[] = {"OFF", "COFF", "NOFF", "CNOFF", "STOFF", "STCNOFF"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (len > n && memcmp(bytes, words[i], n) == 0 && (bytes[n] <= ' ' || bytes[n] <= '9'))
            return true;
    }
    return false;
}

const struct format format_off = {
    .name = "off", .extensions = "off", .probe = probe, .read = read, .mesh = true};
