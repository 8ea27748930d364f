/* STL meshes: text ("solid ...") and binary.
 *
 * Reference: 3D Systems, "StereoLithography Interface Specification", 1989. A binary file is 80
 * arbitrary bytes, the number of triangles, and 50 bytes for each: a normal, three corners, two
 * bytes. Many binary files begin with "solid" too: the length decides, then whether the first bytes
 * are text. Every triangle has its own corners; those with equal coordinates become one vertex. The
 * normals of the file are not used: sampling computes them from the corners. */
#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/string.h"
#include "formats/format.h"
#include "formats/little.h"
#include "formats/mesh.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <string.h>

enum {
    HEAD = 84,
    TRIANGLE = 50,
    LOOKED_AT = 1024,
    SLOTS_MIN = 1024,
    PROBES_MAX = 256,
    VERTICES_MAX = INT32_MAX
};

/* The mesh, and its vertices by their coordinates. */
struct stl {
    struct mesh mesh;
    int32_t *slots; /* (n_slots): vertex + 1, or 0; at most half are taken */
    int64_t n_slots;
};

/* --- vertices --- */

static uint64_t hash_of(const double v[3])
{
    uint64_t hash = 0, bits;
    for (int d = 0; d < 3; d++) {
        memcpy(&bits, v + d, sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* The slot of this vertex, or a free one; NULL after PROBES_MAX others: only a malicious file has
 * more collisions, and its vertices need not be joined. */
static int32_t *find_slot(const struct stl *s, const double v[3])
{
    uint64_t mask = (uint64_t)s->n_slots - 1, first = hash_of(v);
    for (uint64_t i = first; i < first + PROBES_MAX; i++) {
        int32_t *slot = &s->slots[i & mask];
        if (*slot == 0 || memcmp(s->mesh.xyz + 3 * ((int64_t)*slot - 1), v, 3 * sizeof *v) == 0)
            return slot;
    }
    return NULL;
}

static int grow_slots(struct stl *s)
{
    int64_t n = s->n_slots ? 4 * s->n_slots : SLOTS_MIN;
    int32_t *slots = memory_alloc((size_t)n, sizeof *slots);
    if (!slots)
        return GLT_ENOMEM;
    memory_free(s->slots);
    s->slots = slots;
    s->n_slots = n;
    for (int64_t i = 0; i < s->mesh.n; i++) {
        int32_t *slot = find_slot(s, s->mesh.xyz + 3 * i);
        if (slot)
            *slot = (int32_t)(i + 1);
    }
    return 0;
}

/* The number of the vertex with these coordinates, which is added if there is none. */
static int take_vertex(struct stl *s, const struct file *f, const double xyz[3], int64_t *number)
{
    double v[3];
    for (int d = 0; d < 3; d++)
        v[d] = xyz[d] + 0.0; /* -0 is 0 */
    if (2 * s->mesh.n >= s->n_slots)
        TRY(grow_slots(s));
    int32_t *slot = find_slot(s, v);
    *number = slot && *slot ? *slot - 1 : s->mesh.n;
    if (*number == s->mesh.n) {
        if (s->mesh.n == VERTICES_MAX)
            return error_topic(error_in(GLT_ELIMIT, file_name(f),
                                        "the mesh has more than %d vertices", VERTICES_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        TRY(mesh_add_vertex(&s->mesh, v));
    }
    if (slot)
        *slot = (int32_t)(*number + 1);
    return 0;
}

/* --- binary --- */

static int read_triangle(struct stl *s, const struct file *f, const unsigned char *bytes)
{
    int64_t corners[3];
    for (int k = 0; k < 3; k++) {
        double v[3];
        for (int d = 0; d < 3; d++) {
            uint32_t bits = little_get32(bytes + 12 + 12 * k + 4 * d);
            float value;
            memcpy(&value, &bits, sizeof value);
            v[d] = value;
        }
        TRY(take_vertex(s, f, v, &corners[k]));
    }
    return mesh_add_face(&s->mesh, corners, 3);
}

static int read_binary(struct stl *s, struct file *f)
{
    unsigned char bytes[TRIANGLE];
    uint32_t n;
    if (file_size(f) < HEAD)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "%" PRId64 " bytes are too few for STL: neither text that "
                                    "begins with \"solid\" nor a header of %d bytes",
                                    file_size(f), HEAD),
                           GLT_TOPIC_TRUNCATED, NULL);
    TRY(file_skip(f, HEAD - 4));
    TRY(file_read_u32le(f, &n));
    int64_t held = file_left(f) / TRIANGLE;
    if (n > held) {
        int code = error_in(GLT_EFORMAT, file_name(f),
                            "%" PRIu32 " triangles are declared, but only %" PRId64
                            " follow: the file is cut short or damaged",
                            n, held);
        error_place(code, GLT_PLACE_BYTE, HEAD + held * TRIANGLE);
        return error_topic(code, GLT_TOPIC_TRUNCATED, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        TRY(file_read(f, bytes, sizeof bytes));
        TRY(read_triangle(s, f, bytes));
    }
    if (file_left(f) > 0)
        log_warning(GLT_TOPIC_FORMAT, NULL,
                    "%s: %" PRId64 " bytes after the last triangle are not read", file_name(f),
                    file_left(f));
    return 0;
}

/* --- text --- */

static int bad(const struct scan *s, const char *what)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line, "%s", what),
                       GLT_TOPIC_SYNTAX, NULL);
}

/* Whether a line begins with the word; *at moves past it. */
static bool begins(const char **at, const char *end, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(end - *at) < len || !string_begins_nocase(*at, word) ||
        (*at + len < end && !scan_is_blank((*at)[len])))
        return false;
    *at += len;
    return true;
}

/* Lines in their order: each may follow those whose bits are set. */
enum line { START, SOLID, FACET, OUTER, CORNER_1, CORNER_2, CORNER_3, END_LOOP, END_FACET, END };
static const struct {
    const char *word;
    unsigned after;
} rules[] = {
    [SOLID] = {"solid", 1u << START | 1u << END},
    [FACET] = {"facet", 1u << SOLID | 1u << END_FACET},
    [OUTER] = {"outer", 1u << FACET},
    [CORNER_1] = {"vertex", 1u << OUTER},
    [CORNER_2] = {"vertex", 1u << CORNER_1},
    [CORNER_3] = {"vertex", 1u << CORNER_2},
    [END_LOOP] = {"endloop", 1u << CORNER_3},
    [END_FACET] = {"endfacet", 1u << END_LOOP},
    [END] = {"endsolid", 1u << SOLID | 1u << END_FACET},
};

/* The kind of this line, given the last one. */
static int next_kind(enum line *kind, const struct scan *s, const char **at, const char *end)
{
    for (enum line i = SOLID; i <= END; i++)
        if (rules[i].after >> *kind & 1 && begins(at, end, rules[i].word)) {
            *kind = i;
            return 0;
        }
    return bad(s, "expected solid, facet, outer loop, three vertices, endloop, endfacet, endsolid "
                  "in this order");
}

static int read_text(struct stl *s, struct scan *scan)
{
    enum line kind = START;
    int64_t corners[3];
    for (;;) {
        const char *at, *end;
        double v[3];
        TRY(scan_line(scan, &at, &end));
        if (!at)
            break;
        at = scan_blanks(at, end);
        if (at == end)
            continue;
        TRY(next_kind(&kind, scan, &at, end));
        if (kind >= CORNER_1 && kind <= CORNER_3) {
            if (scan_numbers(v, 3, &at, end) != 3 || scan_blanks(at, end) < end)
                return bad(scan, "expected the three coordinates of a vertex");
            TRY(take_vertex(s, scan->f, v, &corners[kind - CORNER_1]));
        }
        if (kind == CORNER_3)
            TRY(mesh_add_face(&s->mesh, corners, 3));
    }
    if (kind != END)
        return error_topic(error_at(GLT_EFORMAT, file_name(scan->f), GLT_PLACE_LINE, scan->line,
                                    "the file ends before endsolid: it is cut short"),
                           GLT_TOPIC_TRUNCATED, NULL);
    return scan_stop(scan);
}

/* --- text or binary --- */

static bool is_text_bytes(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] < ' ' && !memchr("\t\n\v\f\r", bytes[i], 5))
            return false;
    return true;
}

static int is_text(bool *out, struct file *f)
{
    const unsigned char *bytes;
    size_t len;
    TRY(file_peek(f, &bytes, &len, LOOKED_AT));
    *out = false;
    if (len == 0)
        return 0;
    len = len < LOOKED_AT ? len : LOOKED_AT;
    const char *at = (const char *)bytes, *end = at + len;
    bool exact = len >= HEAD && file_size(f) == HEAD + TRIANGLE * (int64_t)little_get32(bytes + 80);
    at = scan_blanks(at, end);
    *out =
        !exact && end - at >= 5 && string_begins_nocase(at, "solid") && is_text_bytes(bytes, len);
    return 0;
}

static int read_stl(struct stl *s, struct file *f)
{
    struct scan scan;
    bool text;
    TRY(is_text(&text, f));
    if (text) {
        TRY(scan_start(&scan, f, 0));
        TRY(read_text(s, &scan));
    } else {
        TRY(read_binary(s, f));
    }
    if (s->mesh.n == 0)
        return error_topic(error_in(GLT_EFORMAT, file_name(f), "the mesh has no triangle"),
                           GLT_TOPIC_MISSING, NULL);
    return 0;
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct stl s = {0};
    int code = read_stl(&s, f);
    if (code == 0)
        code = mesh_cloud(call, c, &s.mesh, o);
    mesh_clear(&s.mesh);
    memory_free(s.slots);
    return code;
}

/* For text only: binary files have no signature. */
static bool probe(const unsigned char *bytes, size_t len)
{
    const unsigned char *line = len > 6 ? memchr(bytes, '\n', len) : NULL;
    if (!line || !string_begins_nocase((const char *)bytes, "solid") || bytes[5] > ' ')
        return false;
    const char *at = (const char *)line + 1, *end = (const char *)bytes + len;
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    end = stop ? stop : end;
    at = scan_blanks(at, end);
    return is_text_bytes(bytes, len) && (begins(&at, end, "facet") || begins(&at, end, "endsolid"));
}

const struct format format_stl = {
    .name = "stl", .extensions = "stl", .probe = probe, .read = read, .mesh = true};
