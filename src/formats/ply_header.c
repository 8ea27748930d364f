/* The PLY header: magic, format, elements with their properties, comments.
 *
 * Reference: G. Turk, "The PLY Polygon File Format", 1994. Lines may end in LF, CRLF or a lone CR;
 * words may be separated by any blanks. Counts are believed only after the reader of the body has
 * compared them with the bytes that are there. */
#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/ply.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, ELEMENTS_MOST = 256 };

const char *const ply_encoding_names[3] = {"ascii", "binary_little_endian", "binary_big_endian"};

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
    return error_set(GLT_EFORMAT, "%s: line %" PRId64 ": %s \"%.60s\": %s", file_name(f),
                     file_line_number(f), what, found ? found : "", expected);
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
        if (strcmp(word, ply_encoding_names[i]) == 0) {
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
    if (n > INT64_MAX || p->n_elements == ELEMENTS_MOST)
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
    if (e->n_columns == COLUMNS_MOST)
        return at_line(f, "property", name, "too many properties");
    struct column *x;
    TRY(column_append(&x, &e->columns, &e->n_columns, name, type));
    x->counter = counter;
    x->width = list ? 0 : 1; /* 0 marks a list until its items are read */
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
        return parse_property(p, f, rest);
    *end = strcmp(word, "end_header") == 0;
    return *end ? 0 : at_line(f, "keyword", word, "expected element, property or end_header");
}

int ply_read_header(struct ply *p, struct glt_cloud *c, struct file *f)
{
    const unsigned char *bytes;
    char *line;
    size_t len, have;
    p->vertex = -1;
    p->encoding = (enum ply_encoding) - 1;
    TRY(file_peek(f, &bytes, &have, 5));
    bool cr_only = have >= 5 && bytes[3] == '\r' && bytes[4] != '\n';
    TRY(file_line(f, &line, &len, LINE_MOST));
    if (!line || strncmp(line, "ply", 3) != 0 || line[3 + strspn(line + 3, " \t\r")] != 0)
        return at_line(f, "first line", line, "expected \"ply\"");
    for (bool end = false; !end;) {
        int64_t at = file_offset(f);
        TRY(file_line(f, &line, &len, LINE_MOST));
        if (!line)
            return error_set(GLT_EFORMAT, "%s: the PLY header ends without end_header",
                             file_name(f));
        TRY(parse_line(p, c, f, line, &end));
        /* a body that begins with a line feed must not lose it to "CR LF" */
        if (end && cr_only)
            TRY(file_seek(f, at + (int64_t)len + 1 < file_size(f) ? at + (int64_t)len + 1
                                                                  : file_size(f)));
    }
    if ((int)p->encoding < 0)
        return error_set(GLT_EFORMAT, "%s: the PLY header has no format line", file_name(f));
    return p->info.len ? cloud_set_note(c, "ply.obj_info", p->info.bytes, (size_t)p->info.len) : 0;
}
