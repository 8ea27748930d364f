/* Writing PCD 0.7, see pcd_write.h: in the encoding of the file that was read, or binary.
 * Consecutive 8-bit columns red, green and blue are packed into one field rgb, as PCL expects. */
#include "formats/pcd_write.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/number_print.h"
#include "formats/little.h"
#include "formats/pcd_lzf.h"
#include "formats/rows.h"
#include "formats/scan.h"
#include "formats/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const pcd_write_data[3] = {"ascii", "binary", "binary_compressed"};

static bool is_byte(const struct view *v, int32_t k, const char *name)
{
    const struct column *x = k < v->n ? &v->columns[k] : NULL;
    return x && strcmp(x->name, name) == 0 && x->type == GLT_U8 && x->width == 1;
}

/* Joins red, green, blue (and alpha after them) at k into one packed column of the view. */
static int pack_colour(struct call *call, struct view *v, const struct note *came, int32_t k,
                       bool ascii)
{
    static const int byte[] = {2, 1, 0, 3};
    int32_t n = 3 + is_byte(v, k + 3, "alpha");
    struct column *x = &v->columns[k];
    unsigned char *packed = call_alloc(call, (size_t)v->rows, 4);
    if (!packed)
        return GLT_ENOMEM;
    for (int32_t j = 0; j < n; j++)
        for (int64_t i = 0; i < v->rows; i++)
            packed[4 * i + byte[j]] = ((const uint8_t *)x[j].data)[i];
    char type = came ? (char)came->bytes[0] : n == 4 ? 'U' : 'F';
    if (ascii && n == 4 && type == 'F')
        type = 'U'; /* with alpha many are NaN, which text would lose */
    x->type = type == 'F' ? GLT_F32 : type == 'I' ? GLT_I32 : GLT_U32;
    x->name = (char *)(uintptr_t)(came ? (const char *)came->bytes + 2 : n == 4 ? "rgba" : "rgb");
    x->data = packed;
    for (int32_t j = 1; j < n; j++)
        column_take_out(v->columns, &v->n, k + 1);
    return 0;
}

static int show_colour(struct call *call, struct view *v, const struct glt_cloud *c, bool ascii)
{
    for (int32_t k = 0; k < v->n; k++) /* the name is taken: the colours stay three fields */
        if (strcmp(v->columns[k].name, "rgb") == 0 || strcmp(v->columns[k].name, "rgba") == 0)
            return 0;
    for (int32_t k = 0; k + 2 < v->n; k++) {
        bool match = true;
        for (int j = 0; j < 3; j++)
            match = match && is_byte(v, k + j, names_rgb[j]);
        if (match)
            return pack_colour(call, v, cloud_note(c, "pcd.colour"), k, ascii);
    }
    return 0;
}

static int write_list(struct file *f, const char *key, const struct view *v)
{
    static const char types[] = "IUIUIUIUFF";
    TRY(file_print(f, "%s", key));
    for (int32_t k = 0; k < v->n; k++) {
        const struct column *x = &v->columns[k];
        char name[128];
        snprintf(name, sizeof name, "%s", *x->name ? x->name : "_");
        for (char *s = name; *s; s++)
            *s = (unsigned char)*s <= ' ' ? '_' : *s;
        switch (key[0]) {
        case 'F':
            TRY(file_print(f, " %s", name));
            break;
        case 'S':
            TRY(file_print(f, " %zu", type_size(x->type)));
            break;
        case 'T':
            TRY(file_print(f, " %c", types[x->type]));
            break;
        default:
            TRY(file_print(f, " %d", x->width));
        }
    }
    return file_print(f, "\n");
}

static int write_header(const struct glt_cloud *c, struct file *f, const struct view *v,
                        enum pcd_data data)
{
    const struct note *view = cloud_note(c, "pcd.viewpoint"), *area = cloud_note(c, "pcd.area");
    int64_t width = c->n, height = 1;
    if (area && area->len == 2 * sizeof(int64_t)) {
        int64_t size[2];
        memcpy(size, area->bytes, sizeof size);
        if (size[0] * size[1] == c->n) { /* still organised as in the file */
            width = size[0];
            height = size[1];
        }
    }
    TRY(file_print(f, "# .PCD v0.7 - Point Cloud Data file format\n"));
    for (int32_t i = 0; i < c->n_comments; i++)
        TRY(file_print(f, "# %.*s\n", (int)strcspn(c->comments[i], "\r\n"), c->comments[i]));
    TRY(file_print(f, "VERSION 0.7\n"));
    TRY(write_list(f, "FIELDS", v));
    TRY(write_list(f, "SIZE", v));
    TRY(write_list(f, "TYPE", v));
    TRY(write_list(f, "COUNT", v));
    TRY(file_print(f, "WIDTH %" PRId64 "\nHEIGHT %" PRId64 "\n", width, height));
    TRY(file_print(f, "VIEWPOINT %s\n", view ? (const char *)view->bytes : "0 0 0 1 0 0 0"));
    return file_print(f, "POINTS %" PRId64 "\nDATA %s\n", c->n, pcd_write_data[data]);
}

static int write_lines(struct file *f, const struct view *v)
{
    char text[NUMBER_PRINT_MAX + 1];
    for (int64_t i = 0; i < v->rows; i++) {
        bool first = true;
        for (int32_t k = 0; k < v->n; k++) {
            const struct column *x = &v->columns[k];
            for (int64_t j = 0; j < x->width; j++, first = false) {
                size_t at = (size_t)(i * x->width + j) * type_size(x->type);
                text[0] = ' ';
                size_t len = scan_print(text + 1, x->type, (unsigned char *)x->data + at);
                TRY(file_write(f, text + first, len + 1 - first));
            }
        }
        TRY(file_write(f, "\n", 1));
    }
    return 0;
}

static int write_binary(struct call *call, struct file *f, const struct view *v)
{
    size_t row_size;
    struct field *fields = rows_fields(call, &row_size, v->columns, v->n);
    if (!fields)
        return GLT_ENOMEM;
    return row_size ? rows_write(f, fields, v->n, row_size, v->rows) : 0;
}

static int write_compressed(struct call *call, struct file *f, const struct view *v)
{
    size_t size = 0, at = 0;
    for (int32_t k = 0; k < v->n; k++)
        size += (size_t)column_items(&v->columns[k], v->rows) * type_size(v->columns[k].type);
    if (size > UINT32_MAX / 2)
        return error_topic(
            error_set(GLT_ELIMIT, "binary_compressed PCD holds less than 2 GiB: write binary"),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    size_t len = size + size / 16 + 64; /* incompressible data grows by 1/33 */
    unsigned char *plain = call_alloc(call, size, 1), *packed = call_alloc(call, len, 1), head[8];
    if (!plain || !packed)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < v->n; k++) {
        const struct column *x = &v->columns[k];
        size_t bytes = (size_t)column_items(x, v->rows) * type_size(x->type);
        if (bytes)
            memcpy(plain + at, x->data, bytes);
        at += bytes;
    }
    if (size)
        TRY(pcd_lzf_pack(packed, &len, plain, size));
    else
        len = 0;
    little_put(head, len, 4);
    little_put(head + 4, size, 4);
    TRY(file_write(f, head, sizeof head));
    return file_write(f, packed, len);
}

static enum pcd_data choose_data(const struct glt_cloud *c, const char *wish)
{
    const struct note *came = cloud_note(c, "pcd.data");
    for (int i = 0; !wish && came && i < 3; i++)
        if (strcmp((const char *)came->bytes, pcd_write_data[i]) == 0)
            return (enum pcd_data)i;
    if (!wish || strcmp(wish, "binary") == 0)
        return PCD_BINARY;
    return strcmp(wish, "ascii") == 0 ? PCD_ASCII : PCD_COMPRESSED;
}

int pcd_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o)
{
    enum pcd_data data = choose_data(c, o->encoding);
    struct view v;
    TRY(view_make(call, &v, c, "pcd", false));
    TRY(view_narrow_colours(call, &v, c));
    TRY(show_colour(call, &v, c, data == PCD_ASCII));
    TRY(write_header(c, f, &v, data));
    return data == PCD_ASCII    ? write_lines(f, &v)
           : data == PCD_BINARY ? write_binary(call, f, &v)
                                : write_compressed(call, f, &v);
}
