/* Writing PLY: see ply_write.h. The vertices become one more element whose columns have names and
 * types of PLY, then all elements are written alike.
 *
 * Scaled integers become doubles; several values per point become a list. Predicted labels are
 * written as `uchar label` (or int) and once more as `float scalar_label`, `scalar_confidence`: the
 * names under which CloudCompare keeps them. */
#include "formats/ply_write.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/number_print.h"
#include "formats/rows.h"
#include "formats/scan.h"
#include "formats/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const ply_write_encodings[3] = {"ascii", "binary_little_endian", "binary_big_endian"};

static const char *type_word(enum glt_type type)
{
    static const char *const word[] = {"char", "uchar", "short",  "ushort", "int",
                                       "uint", "int64", "uint64", "float",  "double"};
    return word[type];
}

/* PLY has no 64-bit integers: they are written as double, which is exact up to 2^53. */
static enum glt_type file_type(const struct glt_cloud *c, const struct column *x)
{
    if (column_is_scaled(x))
        return GLT_F64;
    bool large = x->type == GLT_I64 || x->type == GLT_U64;
    if (!large || (c->format && !strcmp(c->format, "ply")))
        return x->type;
    return column_fits_double(x, c->n) ? GLT_F64 : x->type;
}

/* Several values per point become a list of constant length. */
static int wide_as_lists(struct call *call, struct view *v)
{
    for (int32_t k = 0; k < v->n; k++) {
        struct column *y = &v->columns[k];
        if (y->width <= 1)
            continue;
        y->counter = y->width > 255 ? GLT_I32 : GLT_U8;
        y->start = call_alloc(call, (size_t)v->rows + 1, sizeof *y->start);
        if (!y->start)
            return GLT_ENOMEM;
        for (int64_t i = 0; i <= v->rows; i++)
            y->start[i] = i * y->width;
        y->width = 0;
    }
    return 0;
}

static int show_vertices(struct call *call, struct view *v, const struct glt_cloud *c)
{
    bool predicted = cloud_note(c, "labels") != NULL;
    TRY(view_make(call, v, c, "ply", true));
    TRY(view_narrow_colours(call, v, c));
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *y = &v->columns[i];
        enum glt_type type = file_type(c, y);
        if (type != y->type)
            TRY(view_show(call, y, v, y, y->name, type));
        if (predicted && strcmp(y->name, "confidence") == 0)
            y->name = (char *)(uintptr_t) "scalar_confidence";
    }
    const struct column *label = cloud_attribute(c, "label");
    if ((predicted || cloud_note(c, PLY_COPY)) && label && v->n < COLUMNS_MAX)
        TRY(view_show(call, &v->columns[v->n++], v, label, "scalar_label", GLT_F32));
    return wide_as_lists(call, v);
}

static int write_lines(struct file *f, const char *keyword, const char *text)
{
    do { /* an empty comment is a line too */
        size_t len = strcspn(text, "\r\n");
        TRY(file_print(f, "%s%s%.*s\n", keyword, len ? " " : "", (int)len, text));
        text += len + (text[len] != 0);
    } while (*text);
    return 0;
}

/* A name as one word: PLY has no way to quote a blank. */
static int write_name(struct file *f, const char *name)
{
    char word[256];
    snprintf(word, sizeof word, "%s", *name ? name : "unnamed");
    for (char *s = word; *s; s++)
        if ((unsigned char)*s <= ' ')
            *s = '_';
    return file_print(f, " %s", word);
}

static int write_element_header(struct file *f, const struct element *e)
{
    TRY(file_print(f, "element"));
    TRY(write_name(f, e->name));
    TRY(file_print(f, " %" PRId64 "\n", e->n));
    for (int32_t i = 0; i < e->n_columns; i++) {
        const struct column *x = &e->columns[i];
        if (x->start)
            TRY(file_print(f, "property list %s", type_word(x->counter)));
        else
            TRY(file_print(f, "property"));
        TRY(file_print(f, " %s", type_word(x->type)));
        TRY(write_name(f, x->name));
        TRY(file_print(f, "\n"));
    }
    return 0;
}

/* One record that holds lists. */
static int write_record(struct file *f, const struct element *e, int64_t i, bool swap)
{
    for (int32_t k = 0; k < e->n_columns; k++) {
        const struct column *x = &e->columns[k];
        size_t size = type_size(x->type);
        int64_t first = x->start ? x->start[i] : i, n = x->start ? x->start[i + 1] - first : 1;
        if (x->start) {
            unsigned char len[8];
            struct column value = {.type = GLT_I64, .width = 1, .scale = 1, .data = &n};
            column_convert(len, x->counter, 0, &value, 0, 1);
            if (swap)
                file_swap(len, 1, type_size(x->counter));
            TRY(file_write(f, len, type_size(x->counter)));
        }
        for (int64_t j = 0; j < n; j++) {
            unsigned char item[8];
            memcpy(item, (const unsigned char *)x->data + (size_t)(first + j) * size, size);
            if (swap)
                file_swap(item, 1, size);
            TRY(file_write(f, item, size));
        }
    }
    return 0;
}

static int write_rows(struct call *call, struct file *f, const struct element *e)
{
    size_t row_size;
    struct field *fields = rows_fields(call, &row_size, e->columns, e->n_columns);
    if (!fields)
        return GLT_ENOMEM;
    return row_size ? rows_write(f, fields, e->n_columns, row_size, e->n) : 0;
}

/* Items of one column, each with a blank before it unless it opens the line. */
static int write_items(struct file *f, const struct column *x, int64_t first, int64_t n, bool opens)
{
    char text[NUMBER_PRINT_MAX + 1] = " ";
    size_t size = type_size(x->type);
    for (int64_t j = first; j < first + n; j++, opens = false) {
        const unsigned char *item = (const unsigned char *)x->data + (size_t)j * size;
        size_t len = scan_print(text + 1, x->type, item);
        TRY(file_write(f, text + opens, len + 1 - opens));
    }
    return 0;
}

static int write_ascii(const struct element *e, struct file *f)
{
    for (int64_t i = 0; i < e->n; i++) {
        for (int32_t k = 0; k < e->n_columns; k++) {
            const struct column *x = &e->columns[k];
            int64_t first = x->start ? x->start[i] : i;
            int64_t n = x->start ? x->start[i + 1] - first : 1;
            if (x->start)
                TRY(file_print(f, k ? " %" PRId64 : "%" PRId64, n));
            TRY(write_items(f, x, first, n, k == 0 && !x->start));
        }
        TRY(file_write(f, "\n", 1));
    }
    return 0;
}

static int write_element(struct call *call, struct file *f, const struct element *e,
                         enum ply_encoding encoding)
{
    bool swap = (encoding == PLY_BIG) != file_host_is_big_endian(), list = false;
    if (encoding == PLY_ASCII)
        return write_ascii(e, f);
    for (int32_t k = 0; k < e->n_columns; k++)
        list = list || e->columns[k].start;
    if (!list && !swap)
        return write_rows(call, f, e);
    for (int64_t i = 0; i < e->n; i++)
        TRY(write_record(f, e, i, swap));
    return 0;
}

static enum ply_encoding choose_encoding(const struct glt_cloud *c, const char *wish)
{
    const struct note *came = cloud_note(c, "ply.format");
    for (int i = 0; !wish && came && i < 3; i++)
        if (strcmp((const char *)came->bytes, ply_write_encodings[i]) == 0)
            return (enum ply_encoding)i;
    if (!wish || strcmp(wish, "binary") == 0)
        return PLY_LITTLE;
    return strcmp(wish, "ascii") == 0 ? PLY_ASCII : PLY_BIG;
}

static int write_all(struct call *call, const struct glt_cloud *c, struct file *f,
                     const struct element *vertices, enum ply_encoding encoding)
{
    const struct note *info = cloud_note(c, "ply.obj_info");
    TRY(file_print(f, "ply\nformat %s 1.0\n", ply_write_encodings[encoding]));
    for (int32_t i = 0; i < c->n_comments; i++)
        TRY(write_lines(f, "comment", c->comments[i]));
    if (info)
        TRY(write_lines(f, "obj_info", (const char *)info->bytes));
    for (int32_t i = 0; i <= c->n_elements; i++) {
        if (i == c->n_before)
            TRY(write_element_header(f, vertices));
        if (i < c->n_elements)
            TRY(write_element_header(f, &c->elements[i]));
    }
    TRY(file_print(f, "end_header\n"));
    for (int32_t i = 0; i <= c->n_elements; i++) {
        if (i == c->n_before)
            TRY(write_element(call, f, vertices, encoding));
        if (i < c->n_elements)
            TRY(write_element(call, f, &c->elements[i], encoding));
    }
    return 0;
}

int ply_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o)
{
    struct view v;
    TRY(show_vertices(call, &v, c));
    struct element vertices = {(char *)(uintptr_t) "vertex", c->n, v.columns, v.n};
    return write_all(call, c, f, &vertices, choose_encoding(c, o->encoding));
}
