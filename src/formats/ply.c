/* Reading PLY.
 *
 * Reference: G. Turk, "The PLY Polygon File Format", 1994. Lines of the header may end in LF, CRLF
 * or a lone CR; words may be separated by any blanks. Its counts are used only after they were
 * compared with the length of the file.
 *
 * Every element is read the same way, into columns; the points are the element "vertex", the others
 * are kept. If an element after the points cannot be read, it is left out with all that follow, but
 * the points are still read. Binary lists take two passes: the first counts the items, so that
 * memory is allocated once and only for existing items. Ascii is one record per line: a line with
 * too few or too many numbers is an error with its number. */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/string.h"
#include "formats/format.h"
#include "formats/mesh.h"
#include "formats/ply_write.h"
#include "formats/rows.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- header --- */

enum { LINE_BYTES_MAX = 1 << 16, ELEMENTS_MAX = 256 };

/* All elements in the file's order, their columns without data. */
struct ply {
    enum ply_encoding encoding;
    struct element *elements;
    int32_t n_elements, vertex; /* vertex = index of the points, -1 if there are none */
    int32_t unknown;            /* the first element with unknown properties, or -1 */
    struct string info;         /* obj_info lines, kept in a note of their own */
};

static const struct {
    const char *name;
    enum glt_type type;
} types[] = {
    {"char", GLT_I8},   {"int8", GLT_I8},     {"uchar", GLT_U8},   {"uint8", GLT_U8},
    {"short", GLT_I16}, {"int16", GLT_I16},   {"ushort", GLT_U16}, {"uint16", GLT_U16},
    {"int", GLT_I32},   {"int32", GLT_I32},   {"uint", GLT_U32},   {"uint32", GLT_U32},
    {"float", GLT_F32}, {"float32", GLT_F32}, {"double", GLT_F64}, {"float64", GLT_F64},
    {"int64", GLT_I64}, {"uint64", GLT_U64},  {"long", GLT_I64},   {"ulong", GLT_U64},
    {"bool", GLT_U8},
};

static int at_line(const struct file *f, const char *what, const char *found, const char *expected)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_LINE, file_line_number(f),
                                "%s \"%.60s\": %s", what, found ? found : "", expected),
                       GLT_TOPIC_SYNTAX, NULL);
}

static int find_type(enum glt_type *out, const struct file *f, const char *word)
{
    for (size_t i = 0; word && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, word) == 0) {
            *out = types[i].type;
            return 0;
        }
    return at_line(f, "type", word,
                   "expected char, uchar, short, ushort, int, uint, float, double");
}

static int parse_format(struct ply *p, const struct file *f, char *rest)
{
    char *word = scan_word(&rest);
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, ply_write_encodings[i]) == 0) {
            p->encoding = (enum ply_encoding)i;
            return 0;
        }
    return at_line(f, "format", word, "expected ascii, binary_little_endian or binary_big_endian");
}

static int parse_element(struct ply *p, const struct file *f, char *rest)
{
    char *name = scan_word(&rest), *count = scan_word(&rest), *end = NULL;
    uint64_t n = 0;
    if (count && count[0] >= '0' && count[0] <= '9')
        n = strtoull(count, &end, 10);
    if (!end || *end)
        return at_line(f, "element count", count, "expected a number of records");
    if (p->n_elements == ELEMENTS_MAX)
        return scan_limit(f, file_line_number(f), ELEMENTS_MAX, "elements");
    if (n > INT64_MAX)
        return at_line(f, "element count", count, "more than a file can hold");
    TRY(array_reserve(&p->elements, p->n_elements, 1, sizeof *p->elements));
    struct element *e = &p->elements[p->n_elements++];
    e->n = (int64_t)n;
    e->name = memory_string(name);
    if (!e->name)
        return GLT_ENOMEM;
    if (p->vertex < 0 && (strcmp(name, "vertex") == 0 || strcmp(name, "vertices") == 0))
        p->vertex = p->n_elements - 1;
    return 0;
}

static int parse_property(struct ply *p, const struct file *f, char *rest)
{
    enum glt_type type = GLT_F32, counter = GLT_U8;
    char *word = scan_word(&rest);
    bool list = word && strcmp(word, "list") == 0;
    if (p->n_elements == 0)
        return at_line(f, "property", word, "stands before the first element");
    struct element *e = &p->elements[p->n_elements - 1];
    if (list) {
        word = scan_word(&rest);
        TRY(find_type(&counter, f, word));
        if (counter == GLT_F32 || counter == GLT_F64)
            return at_line(f, "list length type", word, "expected an integer type");
        word = scan_word(&rest);
    }
    TRY(find_type(&type, f, word));
    char *name = scan_word(&rest);
    if (!name)
        return at_line(f, "property", "", "has no name");
    if (e->n_columns == COLUMNS_MAX)
        return at_line(f, "property", name, "too many properties");
    struct column *x;
    TRY(column_append(&x, &e->columns, &e->n_columns, name, type));
    x->counter = counter;
    x->width = list ? 0 : 1;
    return 0;
}

/* The same, but an unknown property after the points only leaves its element unread. */
static int parse_any_property(struct ply *p, const struct file *f, char *rest)
{
    int32_t at = p->n_elements - 1;
    bool behind = p->vertex >= 0 && at > p->vertex;
    if (p->unknown >= 0)
        return 0;
    int code = parse_property(p, f, rest);
    if (code != GLT_EFORMAT || !behind)
        return code;
    p->unknown = at;
    return 0;
}

/* One header line; *end becomes true at end_header. */
static int parse_line(struct ply *p, struct glt_cloud *c, const struct file *f, char *line,
                      bool *end)
{
    char *rest = line, *word = scan_word(&rest);
    if (!word)
        return 0;
    if (strcmp(word, "comment") == 0)
        return cloud_add_comment(c, rest);
    if (strcmp(word, "obj_info") == 0) {
        string_add(&p->info, "%s\n", rest);
        return p->info.code;
    }
    if (strcmp(word, "format") == 0)
        return parse_format(p, f, rest);
    if (strcmp(word, "element") == 0)
        return parse_element(p, f, rest);
    if (strcmp(word, "property") == 0)
        return parse_any_property(p, f, rest);
    *end = strcmp(word, "end_header") == 0;
    return *end ? 0 : at_line(f, "keyword", word, "expected element, property or end_header");
}

static int read_header(struct ply *p, struct glt_cloud *c, struct file *f)
{
    const unsigned char *bytes;
    char *line;
    size_t len, have;
    p->vertex = p->unknown = -1;
    p->encoding = (enum ply_encoding) - 1;
    TRY(file_peek(f, &bytes, &have, 5));
    bool cr_only = have >= 5 && bytes[3] == '\r' && bytes[4] != '\n';
    TRY(file_line(f, &line, &len, LINE_BYTES_MAX));
    if (!line || strncmp(line, "ply", 3) != 0 || line[3 + strspn(line + 3, " \t\r")] != 0)
        return at_line(f, "first line", line, "expected \"ply\"");
    for (bool end = false; !end;) {
        int64_t at = file_offset(f);
        TRY(file_line(f, &line, &len, LINE_BYTES_MAX));
        if (!line)
            return error_topic(
                error_in(GLT_EFORMAT, file_name(f), "the PLY header ends without end_header"),
                GLT_TOPIC_TRUNCATED, NULL);
        TRY(parse_line(p, c, f, line, &end));
        /* a body that begins with a line feed must not lose it to "CR LF" */
        if (end && cr_only)
            TRY(file_seek(f, at + (int64_t)len + 1 < file_size(f) ? at + (int64_t)len + 1
                                                                  : file_size(f)));
    }
    if ((int)p->encoding < 0)
        return error_topic(error_in(GLT_EFORMAT, file_name(f), "the PLY header has no format line"),
                           GLT_TOPIC_MISSING, NULL);
    return p->info.len ? cloud_set_note(c, "ply.obj_info", p->info.bytes, (size_t)p->info.len) : 0;
}

/* --- body --- */

static int allocate(struct element *e)
{
    for (int32_t i = 0; i < e->n_columns; i++) {
        struct column *x = &e->columns[i];
        bool list = x->width == 0;
        if (list && !(x->start = memory_alloc((size_t)e->n + 1, sizeof *x->start)))
            return GLT_ENOMEM;
        x->data = memory_alloc(list ? 0 : (size_t)e->n, type_size(x->type));
        if (!x->data)
            return GLT_ENOMEM;
    }
    return 0;
}

static bool has_lists(const struct element *e)
{
    for (int32_t k = 0; k < e->n_columns; k++)
        if (e->columns[k].width == 0)
            return true;
    return false;
}

/* A list's length in the file's byte order; negative lengths are refused as huge ones. */
static int read_length(uint64_t *out, struct file *f, enum glt_type type, bool swap)
{
    unsigned char bytes[8];
    struct column x = {.type = type, .width = 1, .scale = 1, .data = bytes};
    size_t size = type_size(type);
    TRY(file_read(f, bytes, size));
    if (swap)
        file_swap(bytes, 1, size);
    if (type == GLT_I64 || type == GLT_U64) {
        memcpy(out, bytes, 8);
        return 0;
    }
    double v = column_value(&x, 0);
    *out = v < 0 ? UINT64_MAX : (uint64_t)v;
    return 0;
}

/* Goes through all records: first to count the items of lists, then to read them. */
static int walk_lists(struct element *e, struct file *f, bool swap, bool count)
{
    for (int64_t i = 0; i < e->n; i++)
        for (int32_t k = 0; k < e->n_columns; k++) {
            struct column *x = &e->columns[k];
            size_t size = type_size(x->type);
            if (x->width != 0) {
                TRY(file_read(f, (unsigned char *)x->data + (size_t)i * size, size));
                continue;
            }
            uint64_t len;
            TRY(read_length(&len, f, x->counter, swap));
            if (len > (uint64_t)file_left(f) / size)
                return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_BYTE,
                                            file_offset(f),
                                            "%s %" PRId64 ": a list %s of %" PRIu64
                                            " items, but %" PRId64 " bytes are left",
                                            e->name, i, x->name, len, file_left(f)),
                                   GLT_TOPIC_TRUNCATED, NULL);
            if (count)
                TRY(file_skip(f, (int64_t)(len * size)));
            else
                TRY(file_read(f, (unsigned char *)x->data + (size_t)x->start[i] * size,
                              (size_t)len * size));
            x->start[i + 1] = x->start[i] + (int64_t)len;
        }
    return 0;
}

static int read_lists(struct element *e, struct file *f, bool swap)
{
    int64_t begin = file_offset(f);
    TRY(walk_lists(e, f, swap, true));
    for (int32_t k = 0; k < e->n_columns; k++) {
        struct column *x = &e->columns[k];
        if (x->start)
            TRY(array_reserve(&x->data, 0, x->start[e->n], type_size(x->type)));
    }
    TRY(file_seek(f, begin));
    return walk_lists(e, f, swap, false);
}

static int read_binary(struct call *call, struct element *e, struct file *f, bool swap)
{
    size_t row_size = 0, size; /* at least: a list may have no items */
    for (int32_t i = 0; i < e->n_columns; i++)
        row_size += type_size(e->columns[i].width ? e->columns[i].type : e->columns[i].counter);
    if (row_size == 0)
        return 0;
    if ((uint64_t)e->n > (uint64_t)file_left(f) / row_size)
        return error_topic(
            error_place(error_in(GLT_EFORMAT, file_name(f),
                                 "the header declares %" PRId64 " of element %s, but only %" PRId64
                                 " bytes follow at byte %" PRId64
                                 ": the file is cut short or damaged",
                                 e->n, e->name, file_left(f), file_offset(f)),
                        GLT_PLACE_BYTE, file_offset(f)),
            GLT_TOPIC_TRUNCATED, NULL);
    TRY(allocate(e));
    if (has_lists(e)) {
        TRY(read_lists(e, f, swap));
    } else {
        struct field *fields = rows_fields(call, &size, e->columns, e->n_columns);
        TRY(fields ? rows_read(f, fields, e->n_columns, row_size, e->n) : GLT_ENOMEM);
    }
    for (int32_t k = 0; swap && k < e->n_columns; k++)
        column_swap(&e->columns[k], e->n);
    return 0;
}

static int bad_line(const struct scan *s, const struct element *e, const char *what,
                    const char *name)
{
    if (!s)
        return GLT_EFORMAT; /* reported when the line is read alone */
    return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line, "%s: %s %s",
                                e->name, what, name),
                       GLT_TOPIC_SYNTAX, NULL);
}

/* The items of one list, appended. */
static const char *read_list(struct column *x, int64_t i, const char *at, const char *end,
                             int *code)
{
    uint64_t bits; /* of the length, in its own type: it must fit to be written back */
    struct column length = {.type = x->counter, .width = 1, .scale = 1, .data = &bits};
    size_t size = type_size(x->type);
    at = scan_value(&bits, x->counter, at, end);
    double len = at ? column_value(&length, 0) : -1;
    /* each item takes at least a blank and a digit */
    if (len < 0 || len > (double)((end - at) / 2))
        return NULL;
    int64_t last = x->start[i] + (int64_t)len;
    if ((*code = array_reserve(&x->data, x->start[i], (int64_t)len, size)) < 0)
        return NULL;
    for (int64_t j = x->start[i]; j < last && at; j++)
        at = scan_value((unsigned char *)x->data + (size_t)j * size, x->type, scan_blanks(at, end),
                        end);
    x->start[i + 1] = last;
    return at;
}

static int read_record(struct element *e, const struct scan *s, int64_t i, const char *at,
                       const char *end)
{
    for (int32_t k = 0; k < e->n_columns; k++) {
        struct column *x = &e->columns[k];
        size_t size = type_size(x->type);
        int code = 0;
        at = scan_blanks(at, end);
        if (x->width == 0)
            at = read_list(x, i, at, end, &code);
        else
            at = scan_value((unsigned char *)x->data + (size_t)i * size, x->type, at, end);
        if (code < 0)
            return code;
        if (!at || (at < end && !scan_is_blank(*at)))
            return bad_line(s, e, "no value that fits property", x->name);
    }
    at = scan_blanks(at, end);
    return at == end ? 0
                     : bad_line(s, e, "more values than properties, after",
                                e->columns[e->n_columns - 1].name);
}

static enum scan_kind kind(const char *line, const char *end)
{
    return scan_blanks(line, end) == end ? SCAN_EMPTY : SCAN_ROW;
}

static int read_row(void *user, const struct scan *s, int64_t i, const char *line, const char *end)
{
    return read_record(user, s, i, line, end);
}

static int read_records(struct element *e, struct scan *s)
{
    struct scan_rows rows = {kind, read_row, e};
    bool lists = has_lists(e);
    for (int64_t i = 0; i < e->n; i++) {
        const char *line, *end;
        if (!lists) /* the start of a list depends on all before it */
            TRY(scan_many(s, &rows, &i, e->n));
        if (i == e->n)
            break;
        do {
            TRY(scan_line(s, &line, &end));
            if (!line)
                return error_topic(error_in(GLT_EFORMAT, file_name(s->f),
                                            "the file ends after %" PRId64 " of %" PRId64
                                            " records of element %s: it is cut short or damaged",
                                            i, e->n, e->name),
                                   GLT_TOPIC_TRUNCATED, NULL);
        } while (scan_blanks(line, end) == end);
        TRY(read_record(e, s, i, line, end));
    }
    return 0;
}

static int read_ascii(struct element *e, struct file *f, int64_t *line)
{
    if (e->n == 0)
        return allocate(e);
    /* a value takes at least a digit and a separator; the last line may lack its end */
    uint64_t least = 2 * (uint64_t)e->n_columns;
    if ((uint64_t)e->n > ((uint64_t)file_left(f) + 1) / least)
        return error_topic(
            error_in(GLT_EFORMAT, file_name(f),
                     "the header declares %" PRId64 " of element %s with %d values each, "
                     "but only %" PRId64 " bytes follow: the file is cut short or damaged",
                     e->n, e->name, e->n_columns, file_left(f)),
            GLT_TOPIC_TRUNCATED, NULL);
    TRY(allocate(e));
    struct scan s;
    TRY(scan_start(&s, f, *line));
    TRY(read_records(e, &s));
    *line = s.line;
    return scan_stop(&s);
}

/* Drops elements `first` and later; the stored error says why. */
static void leave_out(struct ply *p, int32_t first, const struct file *f)
{
    const struct element *e = &p->elements[first];
    if (first == p->unknown)
        log_warning(
            GLT_TOPIC_SYNTAX, e->name,
            "%s: the element %s has properties of unknown types: it is left out, and so are "
            "all that follow; the %" PRId64 " vertices are read",
            file_name(f), e->name, p->elements[p->vertex].n);
    else
        log_warning(GLT_TOPIC_TRUNCATED, e->name,
                    "%s: the element %s is left out, and so are all that follow; the %" PRId64
                    " vertices are read",
                    glt_error_message(), e->name, p->elements[p->vertex].n);
    while (p->n_elements > first)
        cloud_clear_element(&p->elements[--p->n_elements]);
}

/* needed: all elements are needed, not just the points. */
static int read_body(struct call *call, struct ply *p, struct file *f, bool needed)
{
    int64_t line = file_line_number(f);
    bool swap = (p->encoding == PLY_BIG) != file_host_is_big_endian();
    for (int32_t i = 0; i < p->n_elements; i++) {
        struct element *e = &p->elements[i];
        if (i == p->unknown) {
            leave_out(p, i, f);
            break;
        }
        if (e->n_columns == 0)
            e->n = 0; /* it has no bytes in the file */
        int code =
            p->encoding == PLY_ASCII ? read_ascii(e, f, &line) : read_binary(call, e, f, swap);
        if (code == GLT_EFORMAT && i > p->vertex && !needed)
            leave_out(p, i, f);
        else
            TRY(code);
    }
    return 0;
}

/* --- points on the surface ---
 *
 * The faces and the coordinates of the vertices make a mesh. Other attributes of the vertices
 * (colours, labels) are dropped. */

static const struct column *find_column(const struct element *e, const char *name)
{
    for (int32_t k = 0; k < e->n_columns; k++)
        if (strcmp(names_canonical(e->columns[k].name), name) == 0)
            return &e->columns[k];
    return NULL;
}

/* The corners of the faces, a list per face; NULL if there are none. */
static const struct column *find_corners(const struct ply *p, int64_t *faces)
{
    static const char *const names[] = {"vertex_indices", "vertex_index"};
    for (int32_t i = 0; i < p->n_elements; i++)
        for (int k = 0; k < 2; k++) {
            const struct column *x = find_column(&p->elements[i], names[k]);
            *faces = p->elements[i].n;
            if (x && x->start && *faces > 0 && strcmp(p->elements[i].name, "face") == 0)
                return x;
        }
    return NULL;
}

static int take_vertices(struct mesh *m, const struct element *v, const char *file)
{
    static const char *const axes[] = {"x", "y", "z"};
    const struct column *x[3];
    for (int d = 0; d < 3; d++) {
        x[d] = find_column(v, axes[d]);
        if (!x[d] || x[d]->start)
            return error_topic(
                error_file(
                    error_set(GLT_EDATA, "%s has no coordinates x, y, z of one number each", file),
                    file),
                GLT_TOPIC_COORDINATES, NULL);
    }
    for (int64_t i = 0; i < v->n; i++) {
        double xyz[3];
        for (int d = 0; d < 3; d++)
            xyz[d] = column_value(x[d], i);
        TRY(mesh_add_vertex(m, xyz));
    }
    return 0;
}

static int take_face(struct mesh *m, const struct column *x, int64_t face, const char *file)
{
    int64_t corner[3] = {0};
    for (int64_t i = x->start[face]; i < x->start[face + 1]; i++) {
        double v = column_value(x, i);
        if (!(v >= 0 && v < (double)m->n) || v >= INT32_MAX)
            return error_topic(error_in(GLT_EFORMAT, file,
                                        "face %" PRId64 " has a corner %g of %" PRId64, face, v,
                                        m->n),
                               GLT_TOPIC_VALUE, NULL);
        int64_t k = i - x->start[face]; /* a fan around the first */
        corner[1] = corner[2];
        corner[k ? 2 : 0] = (int64_t)v;
        if (k >= 2)
            TRY(mesh_add_face(m, corner, 3));
    }
    return 0;
}

static int sample(struct call *call, struct glt_cloud *c, const struct ply *p, const char *file,
                  const struct format_options *o)
{
    struct mesh m = {0};
    int64_t faces;
    const struct column *x = find_corners(p, &faces);
    if (!x)
        return error_topic(
            error_in(GLT_EARGUMENT, file,
                     "sample=%lld needs the surface of a mesh, and this has no faces; "
                     "use subsample to draw from its points",
                     (long long)o->sample),
            GLT_TOPIC_OPTION, "sample");
    int code = take_vertices(&m, &p->elements[p->vertex], file);
    for (int64_t i = 0; i < faces && code == 0; i++)
        code = take_face(&m, x, i, file);
    if (code == 0)
        code = mesh_sample(call, c, &m, o);
    mesh_clear(&m);
    return code;
}

/* Moves the vertices and the other elements to the cloud. */
static void hand_over(struct glt_cloud *c, struct ply *p)
{
    struct element *v = &p->elements[p->vertex];
    c->n = v->n;
    c->columns = v->columns;
    c->n_columns = v->n_columns;
    memory_free(v->name);
    c->n_before = p->vertex;
    c->n_elements = p->n_elements - 1;
    memmove(v, v + 1, (size_t)(p->n_elements - p->vertex - 1) * sizeof *v);
    c->elements = p->elements;
    p->elements = NULL;
    p->n_elements = 0;
}

/* `scalar_label` is a copy of `label` for other programs, which is written anew: kept as an
 * attribute it would contradict labels that have changed. */
static int drop_copy(struct glt_cloud *c)
{
    struct column *label = NULL, *copy = NULL;
    for (int32_t i = 0; i < c->n_columns; i++) {
        label = strcmp(c->columns[i].name, "label") == 0 ? &c->columns[i] : label;
        copy = strcmp(c->columns[i].name, "scalar_label") == 0 ? &c->columns[i] : copy;
    }
    if (!column_is_single(label) || !column_is_single(copy))
        return 0;
    for (int64_t i = 0; i < c->n; i++)
        if (column_value(label, i) != column_value(copy, i))
            return 0;
    column_clear(copy);
    column_take_out(c->columns, &c->n_columns, (int32_t)(copy - c->columns));
    return cloud_set_note(c, PLY_COPY, "label", 5);
}

static int read_ply(struct call *call, struct ply *p, struct glt_cloud *c, struct file *f,
                    const struct format_options *o)
{
    TRY(read_header(p, c, f));
    if (p->vertex < 0)
        return error_topic(
            error_in(GLT_EFORMAT, file_name(f), "the PLY file has no element vertex, so no points"),
            GLT_TOPIC_MISSING, NULL);
    TRY(read_body(call, p, f, o->sample > 0));
    const char *name = ply_write_encodings[p->encoding];
    TRY(cloud_set_note(c, "ply.format", name, strlen(name)));
    if (o->sample)
        return sample(call, c, p, file_name(f), o);
    hand_over(c, p);
    return drop_copy(c);
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct ply p = {0};
    int code = read_ply(call, &p, c, f, o);
    for (int32_t i = 0; i < p.n_elements; i++)
        cloud_clear_element(&p.elements[i]);
    memory_free(p.elements);
    string_free(&p.info);
    return code;
}

static bool probe(const unsigned char *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "ply", 3) == 0 && memchr("\r\n \t", bytes[3], 4);
}

const struct format format_ply = {.name = "ply",
                                  .extensions = "ply",
                                  .probe = probe,
                                  .read = read,
                                  .write = ply_write,
                                  .encodings = "ascii binary big",
                                  .elements = true,
                                  .mesh = true};
