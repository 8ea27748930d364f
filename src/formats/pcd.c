/* PCD: the body in its three forms, and the format's row in the table.
 *
 * binary is records, binary_compressed is one LZF block of columns, ascii is lines. */
#include "formats/pcd.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/pcd_header.h"
#include "formats/scan.h"
#include "formats/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int cut_short(const struct glt_cloud *c, const struct file *f)
{
    return error_set(GLT_EFORMAT,
                     "%s: the header declares %" PRId64 " points, but only %" PRId64
                     " bytes follow at byte %" PRId64 ": the file is cut short or damaged",
                     file_name(f), c->n, file_left(f), file_offset(f));
}

static enum glt_type type_of(char kind, int32_t size)
{
    if (kind == 'F')
        return size == 4 ? GLT_F32 : GLT_F64;
    enum glt_type base = size == 1 ? GLT_I8 : size == 2 ? GLT_I16 : size == 4 ? GLT_I32 : GLT_I64;
    return (enum glt_type)((int)base + (kind == 'U'));
}

/* Columns without data; *row_size = bytes, *values = numbers per point. */
static int declare(struct glt_cloud *c, const struct pcd_header *h, size_t *row_size,
                   uint64_t *values)
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

static int read_binary(struct glt_cloud *c, struct file *f, size_t row_size)
{
    struct view v = {.columns = c->columns, .n = c->n_columns, .rows = c->n};
    struct field *fields;
    if ((uint64_t)c->n > (uint64_t)file_left(f) / row_size)
        return cut_short(c, f);
    TRY(cloud_allocate(c));
    TRY(view_fields(&fields, &row_size, &v));
    int code = rows_read(f, fields, v.n, row_size, c->n);
    memory_free(fields);
    return code;
}

/* After unpacking, all values of the first field, then all of the second, and so on. */
static int share_out(struct glt_cloud *c, const unsigned char *bytes)
{
    TRY(cloud_allocate(c));
    for (int32_t k = 0; k < c->n_columns; k++) {
        size_t len = (size_t)c->n * (size_t)c->columns[k].width * type_size(c->columns[k].type);
        if (len)
            memcpy(c->columns[k].data, bytes, len);
        bytes += len;
    }
    return 0;
}

static int read_compressed(struct glt_cloud *c, struct file *f, size_t row_size)
{
    uint32_t packed, size;
    if (c->n == 0 && file_left(f) < 8)
        return cloud_allocate(c);
    TRY(file_read_u32le(f, &packed));
    TRY(file_read_u32le(f, &size));
    /* LZF makes at most 264 bytes of 3 */
    if (packed > (uint64_t)file_left(f) || size / 88 > packed)
        return cut_short(c, f);
    if ((uint64_t)c->n > size / row_size || (uint64_t)c->n * row_size != size)
        return error_set(GLT_EFORMAT,
                         "%s: %" PRId64 " points of %zu bytes are declared, but %" PRIu32
                         " bytes are packed",
                         file_name(f), c->n, row_size, size);
    unsigned char *from = memory_alloc(packed, 1), *to = memory_alloc(size, 1);
    int code = from && to ? file_read(f, from, packed) : GLT_ENOMEM;
    if (code == 0 && size)
        code = pcd_unpack(to, size, from, packed, file_name(f));
    memory_free(from);
    if (code == 0)
        code = share_out(c, to);
    memory_free(to);
    return code;
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
                return GLT_EFORMAT; /* said when the line is read alone */
            if (!good)
                return error_set(GLT_EFORMAT,
                                 "%s: line %" PRId64 ": found \"%.*s\", expected a value that fits "
                                 "field %s",
                                 file_name(s->f), s->line, (int)(end - at < 20 ? end - at : 20), at,
                                 x->name);
            at = next;
        }
    }
    if (scan_blanks(at, end) == end)
        return 0;
    return s ? error_set(GLT_EFORMAT, "%s: line %" PRId64 " has more values than FIELDS",
                         file_name(s->f), s->line)
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
            return error_set(GLT_EFORMAT,
                             "%s: the file ends after %" PRId64 " of %" PRId64
                             " points: it is cut short or damaged",
                             file_name(s->f), i, c->n);
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
    /* a value is at least a digit and what ends it; the last line may lack its end */
    if ((uint64_t)c->n > ((uint64_t)file_left(f) + 1) / (2 * values))
        return cut_short(c, f);
    TRY(cloud_allocate(c));
    TRY(scan_start(&s, f, file_line_number(f)));
    return read_lines(c, &s);
}

static int read_body(struct glt_cloud *c, struct file *f, const struct pcd_header *h)
{
    size_t row_size;
    uint64_t values;
    const char *data = pcd_data_names[h->data];
    TRY(declare(c, h, &row_size, &values));
    TRY(cloud_set_note(c, "pcd.data", data, strlen(data)));
    if (h->data == PCD_ASCII)
        TRY(read_ascii(c, f, values));
    else
        TRY(h->data == PCD_BINARY ? read_binary(c, f, row_size) : read_compressed(c, f, row_size));
    if (file_host_is_big_endian() && h->data != PCD_ASCII)
        for (int32_t k = 0; k < c->n_columns; k++)
            file_swap(c->columns[k].data, (size_t)(c->n * c->columns[k].width),
                      type_size(c->columns[k].type));
    if (h->width >= 0 && h->height > 1) {
        int64_t area[2] = {h->width, h->height};
        TRY(cloud_set_note(c, "pcd.area", area, sizeof area));
    }
    return pcd_split_colour(c);
}

static int read(struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    struct pcd_header h;
    (void)o;
    int code = pcd_read_header(&h, c, f);
    if (code == 0)
        code = read_body(c, f, &h);
    pcd_clear_header(&h);
    return code;
}

/* The comment every PCD file begins with, or a first keyword. */
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
