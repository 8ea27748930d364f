/* Writing PCD 0.7 in the form it came, or binary. red, green and blue of 8 bits in a row are packed
 * into one rgb field, as PCL expects. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/number_print.h"
#include "formats/pcd.h"
#include "formats/scan.h"
#include "formats/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Joins red, green, blue (and alpha behind them) at k into one packed column of the view. */
static int pack_colour(struct view *v, const struct glt_cloud *c, int32_t k, bool ascii)
{
    const struct note *came = cloud_note(c, "pcd.colour");
    bool alpha = k + 3 < v->n && strcmp(v->columns[k + 3].name, "alpha") == 0 &&
                 v->columns[k + 3].type == GLT_U8 && v->columns[k + 3].width == 1;
    unsigned char *packed = memory_alloc((size_t)v->rows, 4);
    if (!packed)
        return GLT_ENOMEM;
    static const int byte[] = {2, 1, 0, 3};
    for (int32_t j = 0; j < 3 + alpha; j++)
        for (int64_t i = 0; i < v->rows; i++)
            packed[4 * i + byte[j]] = ((const uint8_t *)v->columns[k + j].data)[i];
    for (int32_t j = 0; j < 3 + alpha; j++)
        if (v->owned[k + j])
            memory_free(v->columns[k + j].data);
    char type = came ? (char)came->bytes[0] : alpha ? 'U' : 'F';
    if (ascii && alpha && type == 'F')
        type = 'U'; /* with alpha many are no number: text would say nan */
    v->columns[k].type = type == 'F' ? GLT_F32 : type == 'I' ? GLT_I32 : GLT_U32;
    v->columns[k].name = (char *)(uintptr_t)(came    ? (const char *)came->bytes + 2
                                             : alpha ? "rgba"
                                                     : "rgb");
    v->columns[k].data = packed;
    v->owned[k] = true;
    int32_t gone = 2 + alpha;
    memmove(v->columns + k + 1, v->columns + k + 1 + gone,
            (size_t)(v->n - k - 1 - gone) * sizeof *v->columns);
    memmove(v->owned + k + 1, v->owned + k + 1 + gone, (size_t)(v->n - k - 1 - gone));
    v->n -= gone;
    return 0;
}

static int show_colour(struct view *v, const struct glt_cloud *c, bool ascii)
{
    static const char *const names[] = {"red", "green", "blue"};
    for (int32_t k = 0; k < v->n; k++) /* its name is taken: the colours stay three fields */
        if (strcmp(v->columns[k].name, "rgb") == 0 || strcmp(v->columns[k].name, "rgba") == 0)
            return 0;
    for (int32_t k = 0; k + 2 < v->n; k++) {
        bool match = true;
        for (int j = 0; j < 3; j++)
            match = match && strcmp(v->columns[k + j].name, names[j]) == 0 &&
                    v->columns[k + j].type == GLT_U8 && v->columns[k + j].width == 1;
        if (match)
            return pack_colour(v, c, k, ascii);
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
        if (size[0] * size[1] == c->n) { /* still organised as it came */
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
    return file_print(f, "POINTS %" PRId64 "\nDATA %s\n", c->n, pcd_data_names[data]);
}

static int write_lines(struct file *f, const struct view *v)
{
    char text[NUMBER_PRINT_MOST + 1];
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

static int write_binary(struct file *f, const struct view *v)
{
    struct field *fields;
    size_t row_size;
    TRY(view_fields(&fields, &row_size, v));
    int code = row_size ? rows_write(f, fields, v->n, row_size, v->rows) : 0;
    memory_free(fields);
    return code;
}

static int write_compressed(struct file *f, const struct view *v)
{
    size_t size = 0, at = 0;
    for (int32_t k = 0; k < v->n; k++)
        size += (size_t)v->rows * (size_t)v->columns[k].width * type_size(v->columns[k].type);
    if (size > UINT32_MAX / 2)
        return error_set(GLT_ELIMIT, "binary_compressed PCD holds less than 2 GiB: write binary");
    size_t room = size + size / 16 + 64; /* what does not shrink grows by a 33rd */
    unsigned char *plain = memory_alloc(size, 1), *packed = memory_alloc(room, 1), head[8];
    int code = plain && packed ? 0 : GLT_ENOMEM;
    for (int32_t k = 0; k < v->n && code == 0; k++) {
        size_t len = (size_t)v->rows * (size_t)v->columns[k].width * type_size(v->columns[k].type);
        if (len)
            memcpy(plain + at, v->columns[k].data, len);
        at += len;
    }
    size_t len = room;
    if (code == 0 && size)
        code = pcd_pack(packed, &len, plain, size);
    for (int i = 0; i < 4; i++) {
        head[i] = (unsigned char)((size ? len : 0) >> (8 * i));
        head[4 + i] = (unsigned char)(size >> (8 * i));
    }
    if (code == 0)
        code = file_write(f, head, sizeof head);
    if (code == 0 && size)
        code = file_write(f, packed, len);
    memory_free(plain);
    memory_free(packed);
    return code;
}

static enum pcd_data choose_data(const struct glt_cloud *c, const char *wish)
{
    const struct note *came = cloud_note(c, "pcd.data");
    for (int i = 0; !wish && came && i < 3; i++)
        if (strcmp((const char *)came->bytes, pcd_data_names[i]) == 0)
            return (enum pcd_data)i;
    if (!wish || strcmp(wish, "binary") == 0)
        return PCD_BINARY;
    return strcmp(wish, "ascii") == 0 ? PCD_ASCII : PCD_COMPRESSED;
}

int pcd_write(const struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    enum pcd_data data = choose_data(c, o->encoding);
    struct view v = {0};
    int code = view_make(&v, c, "pcd", false);
    if (code == 0)
        code = show_colour(&v, c, data == PCD_ASCII);
    if (code == 0)
        code = write_header(c, f, &v, data);
    if (code == 0)
        code = data == PCD_ASCII    ? write_lines(f, &v)
               : data == PCD_BINARY ? write_binary(f, &v)
                                    : write_compressed(f, &v);
    view_free(&v);
    return code;
}
