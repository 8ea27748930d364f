/* Reading PCD.
 *
 * Reference: "The PCD (Point Cloud Data) file format" of the PCL documentation, versions .5 to .7.
 * The header is keyword lines up to DATA; COUNT is 1 where it is missing, SIZE and TYPE are 4 and F
 * (version .5); POINTS is WIDTH times HEIGHT. VIEWPOINT and the organisation are kept. The body is
 * lines (ascii), records (binary), or one LZF block of columns (binary_compressed). */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/number.h"
#include "core/string.h"
#include "formats/format.h"
#include "formats/pcd_lzf.h"
#include "formats/pcd_write.h"
#include "formats/rows.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <string.h>

/* --- header --- */

enum { LINE_BYTES_MAX = 1 << 20, FIELDS_MAX = COLUMNS_MAX, NAME_BYTES_MAX = 127 };

struct header {
    int32_t n_names, n_sizes, n_types, n_counts; /* NULL and 0: no line of this key */
    char **names;
    int32_t *sizes, *counts;
    char *types;
    int64_t width, height, points; /* -1 if not given */
    enum pcd_data data;
    bool has_data;
};

static int bad(const struct file *f, const char *key, const char *found, const char *expected)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_LINE, file_line_number(f),
                                "%s \"%.60s\": expected %s", key, found, expected),
                       GLT_TOPIC_SYNTAX, NULL);
}

/* The words after a key, one for each field. */
static int take_words(struct call *call, char ***words, int32_t *n, const struct file *f,
                      const char *key, const char *rest)
{
    char *copy = call_string(call, rest);
    *words = call_alloc(call, strlen(rest) / 2 + 1, sizeof **words);
    if (!copy || !*words)
        return GLT_ENOMEM;
    for (char *word; (word = scan_word(&copy)); (*words)[(*n)++] = word)
        if (*n == FIELDS_MAX)
            return bad(f, key, word, "fewer fields");
    return 0;
}

static int take_fields(struct call *call, struct header *h, const struct file *f, const char *rest)
{
    if (h->names)
        return bad(f, "FIELDS", rest, "no second line of this keyword");
    TRY(take_words(call, &h->names, &h->n_names, f, "FIELDS", rest));
    for (int32_t i = 0; i < h->n_names; i++)
        if (strlen(h->names[i]) > NAME_BYTES_MAX)
            return bad(f, "FIELDS", h->names[i], "a shorter name");
    return h->n_names ? 0 : bad(f, "FIELDS", "", "names");
}

static int take_numbers(struct call *call, int32_t **dst, int32_t *n, const struct file *f,
                        const char *key, const char *rest)
{
    char **words;
    if (*dst)
        return bad(f, key, rest, "no second line of this keyword");
    TRY(take_words(call, &words, n, f, key, rest));
    *dst = call_alloc(call, (size_t)*n + 1, sizeof **dst);
    if (!*dst)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < *n; i++) {
        int64_t v;
        if (!number_is_int(&v, words[i]) || v < 1 || v > INT32_MAX)
            return bad(f, key, words[i], "a small number per field");
        (*dst)[i] = (int32_t)v;
    }
    return 0;
}

static int take_types(struct call *call, struct header *h, const struct file *f, const char *rest)
{
    char **words;
    if (h->types)
        return bad(f, "TYPE", rest, "no second line of this keyword");
    TRY(take_words(call, &words, &h->n_types, f, "TYPE", rest));
    h->types = call_alloc(call, (size_t)h->n_types + 1, 1);
    if (!h->types)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < h->n_types; i++) {
        if (words[i][1] || !strchr("IUFiuf", words[i][0]))
            return bad(f, "TYPE", words[i], "I, U or F per field");
        h->types[i] = (char)(words[i][0] & ~0x20);
    }
    return 0;
}

static int take_count(int64_t *out, const struct file *f, const char *key, char *rest)
{
    char *word = scan_word(&rest);
    if (!word || !number_is_int(out, word) || *out < 0)
        return bad(f, key, word ? word : "", "a number");
    return 0;
}

static int take_data(struct header *h, const struct file *f, char *rest)
{
    char *word = scan_word(&rest);
    for (int i = 0; word && i < 3; i++)
        if (string_compare_nocase(word, pcd_write_data[i]) == 0) {
            h->data = (enum pcd_data)i;
            h->has_data = true;
            return 0;
        }
    return bad(f, "DATA", word ? word : "", "ascii, binary or binary_compressed");
}

static int take_line(struct call *call, struct header *h, struct glt_cloud *c, const struct file *f,
                     char *line)
{
    char *rest = line, *key = scan_word(&rest);
    if (!key)
        return 0;
    if (key[0] == '#') { /* the first line is the same in every PCD file */
        *(rest > line && rest[-1] == 0 ? rest - 1 : rest) = *rest ? ' ' : 0;
        const char *text = key + 1 + strspn(key + 1, " \t");
        return strncmp(text, ".PCD v", 6) == 0 || !*text ? 0 : cloud_add_comment(c, text);
    }
    if (!string_compare_nocase(key, "VERSION"))
        return 0;
    if (!string_compare_nocase(key, "FIELDS") || !string_compare_nocase(key, "COLUMNS"))
        return take_fields(call, h, f, rest);
    if (!string_compare_nocase(key, "SIZE"))
        return take_numbers(call, &h->sizes, &h->n_sizes, f, key, rest);
    if (!string_compare_nocase(key, "TYPE"))
        return take_types(call, h, f, rest);
    if (!string_compare_nocase(key, "COUNT"))
        return take_numbers(call, &h->counts, &h->n_counts, f, key, rest);
    if (!string_compare_nocase(key, "WIDTH"))
        return take_count(&h->width, f, key, rest);
    if (!string_compare_nocase(key, "HEIGHT"))
        return take_count(&h->height, f, key, rest);
    if (!string_compare_nocase(key, "POINTS"))
        return take_count(&h->points, f, key, rest);
    if (!string_compare_nocase(key, "VIEWPOINT"))
        return cloud_set_note(c, "pcd.viewpoint", rest, strlen(rest));
    if (!string_compare_nocase(key, "DATA"))
        return take_data(h, f, rest);
    return bad(f, "keyword", key, "FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS or DATA");
}

static int check_counts(struct header *h, const struct file *f)
{
    int64_t area = 0;
    bool has_area = h->width >= 0 && h->height >= 0;
    if (h->n_names == 0)
        return error_topic(error_in(GLT_EFORMAT, file_name(f), "the PCD header has no FIELDS"),
                           GLT_TOPIC_MISSING, NULL);
    if ((h->n_sizes && h->n_sizes != h->n_names) || (h->n_types && h->n_types != h->n_names) ||
        (h->n_counts && h->n_counts != h->n_names))
        return error_topic(
            error_in(GLT_EFORMAT, file_name(f),
                     "%d FIELDS, but %d SIZEs, %d TYPEs and %d COUNTs: they must agree", h->n_names,
                     h->n_sizes, h->n_types, h->n_counts),
            GLT_TOPIC_VALUE, NULL);
    if (has_area && __builtin_mul_overflow(h->width, h->height, &area))
        return error_topic(error_in(GLT_EFORMAT, file_name(f), "WIDTH times HEIGHT is too large"),
                           GLT_TOPIC_VALUE, NULL);
    if (h->points < 0 && !has_area)
        return error_topic(
            error_in(GLT_EFORMAT, file_name(f), "neither POINTS nor WIDTH and HEIGHT"),
            GLT_TOPIC_MISSING, NULL);
    if (h->points >= 0 && has_area && h->points != area)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "POINTS is %" PRId64 ", but WIDTH x HEIGHT is %" PRId64,
                                    h->points, area),
                           GLT_TOPIC_VALUE, NULL);
    h->points = h->points < 0 ? area : h->points;
    return 0;
}

/* Fields without SIZE, COUNT and TYPE are single floats. */
static int add_defaults(struct call *call, struct header *h)
{
    size_t n = (size_t)h->n_names;
    h->sizes = h->n_sizes ? h->sizes : call_alloc(call, n, sizeof *h->sizes);
    h->counts = h->n_counts ? h->counts : call_alloc(call, n, sizeof *h->counts);
    h->types = h->n_types ? h->types : call_alloc(call, n, 1);
    if (!h->sizes || !h->counts || !h->types)
        return GLT_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        h->sizes[i] = h->n_sizes ? h->sizes[i] : 4;
        h->counts[i] = h->n_counts ? h->counts[i] : 1;
        h->types[i] = h->n_types ? h->types[i] : 'F';
    }
    return 0;
}

static int check_fields(struct header *h, const struct file *f)
{
    int64_t values = 0;
    for (int32_t i = 0; i < h->n_names; i++) {
        values += h->counts[i];
        int32_t size = h->sizes[i];
        if (strcmp(h->names[i], "_") == 0 && size == 1)
            h->types[i] = 'U'; /* padding has no type, whatever TYPE says */
        bool known = size == 4 || size == 8 || (h->types[i] != 'F' && (size == 1 || size == 2));
        if (!known)
            return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                        "field %s: TYPE %c of SIZE %d does not exist", h->names[i],
                                        h->types[i], size),
                               GLT_TOPIC_VALUE, NULL);
    }
    if (values > VALUES_MAX)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "COUNT: %" PRId64 " values per point, %d are read at most",
                                    values, VALUES_MAX),
                           GLT_TOPIC_VALUE, NULL);
    return 0;
}

static int read_header(struct call *call, struct header *h, struct glt_cloud *c, struct file *f)
{
    *h = (struct header){.width = -1, .height = -1, .points = -1};
    while (!h->has_data) {
        char *line;
        size_t len;
        TRY(file_line(f, &line, &len, LINE_BYTES_MAX));
        if (!line)
            return error_topic(
                error_in(GLT_EFORMAT, file_name(f), "the PCD header ends without DATA"),
                GLT_TOPIC_TRUNCATED, NULL);
        TRY(take_line(call, h, c, f, line));
    }
    TRY(check_counts(h, f));
    TRY(add_defaults(call, h));
    return check_fields(h, f);
}

/* --- body --- */

static int cut_short(const struct glt_cloud *c, const struct file *f)
{
    return error_topic(
        error_place(error_in(GLT_EFORMAT, file_name(f),
                             "the header declares %" PRId64 " points, but only %" PRId64
                             " bytes follow at byte %" PRId64 ": the file is cut short or damaged",
                             c->n, file_left(f), file_offset(f)),
                    GLT_PLACE_BYTE, file_offset(f)),
        GLT_TOPIC_TRUNCATED, NULL);
}

static enum glt_type type_of(char kind, int32_t size)
{
    if (kind == 'F')
        return size == 4 ? GLT_F32 : GLT_F64;
    enum glt_type base = size == 1 ? GLT_I8 : size == 2 ? GLT_I16 : size == 4 ? GLT_I32 : GLT_I64;
    return (enum glt_type)((int)base + (kind == 'U'));
}

/* Columns without data; *row_size = bytes, *values = numbers per point. */
static int declare(struct glt_cloud *c, const struct header *h, size_t *row_size, uint64_t *values)
{
    struct column *x;
    *row_size = 0;
    *values = 0;
    for (int32_t i = 0; i < h->n_names; i++) {
        TRY(cloud_declare(&x, c, h->names[i], type_of(h->types[i], h->sizes[i]), h->counts[i]));
        *row_size += (size_t)h->sizes[i] * (size_t)h->counts[i];
        *values += (uint64_t)h->counts[i];
    }
    c->n = h->points;
    return 0;
}

static int read_binary(struct call *call, struct glt_cloud *c, struct file *f, size_t row_size)
{
    if ((uint64_t)c->n > (uint64_t)file_left(f) / row_size)
        return cut_short(c, f);
    TRY(cloud_allocate(c));
    struct field *fields = rows_fields(call, &row_size, c->columns, c->n_columns);
    return fields ? rows_read(f, fields, c->n_columns, row_size, c->n) : GLT_ENOMEM;
}

/* The unpacked block has all values of the first field, then all of the second, and so on. */
static int share_out(struct glt_cloud *c, const unsigned char *bytes)
{
    TRY(cloud_allocate(c));
    for (int32_t k = 0; k < c->n_columns; k++) {
        size_t len = (size_t)column_items(&c->columns[k], c->n) * type_size(c->columns[k].type);
        if (len)
            memcpy(c->columns[k].data, bytes, len);
        bytes += len;
    }
    return 0;
}

static int read_compressed(struct call *call, struct glt_cloud *c, struct file *f, size_t row_size)
{
    uint32_t packed, size;
    if (c->n == 0 && file_left(f) < 8)
        return cloud_allocate(c);
    TRY(file_read_u32le(f, &packed));
    TRY(file_read_u32le(f, &size));
    /* LZF expands 3 bytes to at most 264 */
    if (packed > (uint64_t)file_left(f) || size / 88 > packed)
        return cut_short(c, f);
    if ((uint64_t)c->n > size / row_size || (uint64_t)c->n * row_size != size)
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "%" PRId64 " points of %zu bytes are declared, but %" PRIu32
                                    " bytes are packed",
                                    c->n, row_size, size),
                           GLT_TOPIC_TRUNCATED, NULL);
    unsigned char *from = call_alloc(call, packed, 1), *to = call_alloc(call, size, 1);
    if (!from || !to)
        return GLT_ENOMEM;
    TRY(file_read(f, from, packed));
    if (size)
        TRY(pcd_lzf_unpack(to, size, from, packed, file_name(f)));
    return share_out(c, to);
}

static int read_line(void *user, const struct scan *s, int64_t i, const char *at, const char *end)
{
    struct glt_cloud *c = user;
    for (int32_t k = 0; k < c->n_columns; k++) {
        struct column *x = &c->columns[k];
        size_t size = type_size(x->type);
        for (int64_t j = 0; j < x->width; j++) {
            while (at < end && (scan_is_blank(*at) || *at == ','))
                at++;
            unsigned char *item = (unsigned char *)x->data + (size_t)(i * x->width + j) * size;
            const char *next = scan_value(item, x->type, at, end);
            bool good = next && (next == end || scan_is_blank(*next) || *next == ',');
            if (!good && !s)
                return GLT_EFORMAT; /* reported when the line is read alone */
            if (!good)
                return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                            "found \"%.*s\", expected a value that fits "
                                            "field %s",
                                            (int)(end - at < 20 ? end - at : 20), at, x->name),
                                   GLT_TOPIC_VALUE, NULL);
            at = next;
        }
    }
    if (scan_blanks(at, end) == end)
        return 0;
    return s ? error_topic(
                   error_place(error_in(GLT_EFORMAT, file_name(s->f),
                                        "line %" PRId64 " has more values than FIELDS", s->line),
                               GLT_PLACE_LINE, s->line),
                   GLT_TOPIC_SYNTAX, NULL)
             : GLT_EFORMAT;
}

static enum scan_kind kind(const char *line, const char *end)
{
    line = scan_blanks(line, end);
    return line == end || *line == '#' ? SCAN_EMPTY : SCAN_ROW;
}

static int read_lines(struct glt_cloud *c, struct scan *s)
{
    struct scan_rows rows = {kind, read_line, c};
    for (int64_t i = 0; i < c->n;) {
        const char *line, *end;
        TRY(scan_many(s, &rows, &i, c->n));
        if (i == c->n)
            break;
        TRY(scan_line(s, &line, &end));
        if (!line)
            return error_topic(error_in(GLT_EFORMAT, file_name(s->f),
                                        "the file ends after %" PRId64 " of %" PRId64
                                        " points: it is cut short or damaged",
                                        i, c->n),
                               GLT_TOPIC_TRUNCATED, NULL);
        if (kind(line, end) == SCAN_EMPTY)
            continue;
        TRY(read_line(c, s, i, line, end));
        i++;
    }
    return scan_stop(s);
}

static int read_ascii(struct glt_cloud *c, struct file *f, uint64_t values)
{
    struct scan s;
    /* a value takes at least a digit and a separator; the last line may lack its end */
    if ((uint64_t)c->n > ((uint64_t)file_left(f) + 1) / (2 * values))
        return cut_short(c, f);
    TRY(cloud_allocate(c));
    TRY(scan_start(&s, f, file_line_number(f)));
    return read_lines(c, &s);
}

/* --- packed colours ---
 *
 * PCL keeps blue, green, red and alpha in the four bytes of one float (rgb) or integer (rgba).
 * Split on reading, so the rest of the program sees red, green and blue; joined again on writing.
 * The fourth byte is kept as alpha unless it is zero everywhere. Beside fields red, green and blue
 * a field rgb is an attribute like others. */

/* One byte of every packed value, as a column after all others. */
static int take_byte(struct glt_cloud *c, const unsigned char *packed, const char *name, int byte)
{
    struct column *x;
    TRY(cloud_add_attribute(&x, c, name, GLT_U8));
    for (int64_t i = 0; i < c->n; i++)
        ((uint8_t *)x->data)[i] = packed[4 * i + byte];
    return 0;
}

/* Moves the last n columns to index `to`, in their order. */
static void move_last(struct glt_cloud *c, int32_t n, int32_t to)
{
    struct column moved[4];
    memcpy(moved, c->columns + c->n_columns - n, (size_t)n * sizeof *moved);
    memmove(c->columns + to + n, c->columns + to,
            (size_t)(c->n_columns - n - to) * sizeof *c->columns);
    memcpy(c->columns + to, moved, (size_t)n * sizeof *moved);
}

static int split(struct glt_cloud *c, int32_t k, bool with_alpha)
{
    /* remove the packed column first: adding columns may move the table */
    const unsigned char *packed = c->columns[k].data;
    TRY(take_byte(c, packed, "red", 2));
    TRY(take_byte(c, packed, "green", 1));
    TRY(take_byte(c, packed, "blue", 0));
    if (with_alpha)
        TRY(take_byte(c, packed, "alpha", 3));
    const char *type = c->columns[k].type == GLT_F32   ? "F"
                       : c->columns[k].type == GLT_I32 ? "I"
                                                       : "U";
    char note[16] = {type[0], ' ', 0};
    strcat(note, c->columns[k].name);
    TRY(cloud_set_note(c, "pcd.colour", note, strlen(note)));
    struct column old = c->columns[k];
    move_last(c, 3 + with_alpha, k + 1);
    column_take_out(c->columns, &c->n_columns, k);
    column_clear(&old);
    return 0;
}

static int split_colour(struct glt_cloud *c)
{
    for (int d = 0; d < 3; d++)
        if (cloud_attribute(c, names_rgb[d]))
            return 0; /* there are colours already, so rgb is something else */
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        bool rgba = strcmp(x->name, "rgba") == 0, rgb = strcmp(x->name, "rgb") == 0;
        if ((!rgb && !rgba) || type_size(x->type) != 4 || !column_is_single(x))
            continue;
        bool alpha = rgba;
        for (int64_t i = 0; i < c->n && !alpha; i++)
            alpha = ((const unsigned char *)x->data)[4 * i + 3] != 0;
        return split(c, k, alpha);
    }
    return 0;
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct header h;
    size_t row_size;
    uint64_t values;
    (void)o;
    TRY(read_header(call, &h, c, f));
    TRY(declare(c, &h, &row_size, &values));
    const char *data = pcd_write_data[h.data];
    TRY(cloud_set_note(c, "pcd.data", data, strlen(data)));
    TRY(h.data == PCD_ASCII    ? read_ascii(c, f, values)
        : h.data == PCD_BINARY ? read_binary(call, c, f, row_size)
                               : read_compressed(call, c, f, row_size));
    for (int32_t k = 0; file_host_is_big_endian() && h.data != PCD_ASCII && k < c->n_columns; k++)
        column_swap(&c->columns[k], c->n);
    if (h.width >= 0 && h.height > 1) {
        int64_t area[2] = {h.width, h.height};
        TRY(cloud_set_note(c, "pcd.area", area, sizeof area));
    }
    return split_colour(c);
}

/* The comment at the start of every PCD file, or a first keyword. */
static bool probe(const unsigned char *bytes, size_t len)
{
    static const char *const first[] = {"# .PCD", "VERSION ", "FIELDS ", "COLUMNS "};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        size_t n = strlen(first[i]);
        if (len >= n && memcmp(bytes, first[i], n) == 0)
            return true;
    }
    return false;
}

const struct format format_pcd = {.name = "pcd",
                                  .extensions = "pcd",
                                  .probe = probe,
                                  .read = read,
                                  .write = pcd_write,
                                  .encodings = "ascii binary compressed"};
