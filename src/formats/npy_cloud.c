/* Clouds in .npy files: a structured array has one field per attribute; a plain (n, c) array holds
 * coordinates and whatever follows them, named by the caller or by a guess.
 *
 * Rows go from the file straight into columns. A cloud that came from a plain array and is still
 * one type goes back into a plain array; all others are written structured. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/memory.h"
#include "formats/guess.h"
#include "formats/npy_header.h"
#include "formats/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The type that stores a field's bytes, and how many of them one item has. */
static enum glt_type stored_type(const struct array_field *x, int32_t *width)
{
    *width = x->width;
    if (strchr("iufb", x->kind))
        return x->type;
    *width = (int32_t)(x->kind == 'U' ? x->size / 4 : x->size);
    return x->kind == 'U' ? GLT_U32 : GLT_U8;
}

static int declare_structured(struct glt_cloud *c, const struct npy_header *h)
{
    struct column *x;
    for (int32_t i = 0; i < h->n_fields; i++) {
        int32_t width;
        enum glt_type type = stored_type(&h->fields[i].field, &width);
        if (!npy_is_padding(h->fields[i].name, h->fields[i].field.kind))
            TRY(cloud_declare(&x, c, h->fields[i].name, type, width));
    }
    c->n = h->count;
    return 0;
}

static int declare_plain(struct glt_cloud *c, const struct npy_header *h, const char *file)
{
    static const char *const xyz[] = {"x", "y", "z"};
    const struct array_field *item = &h->fields[0].field;
    struct column *x;
    if (h->n_dims != 2 || h->shape[1] < 3 || h->shape[1] > COLUMNS_MOST ||
        !strchr("iufb", item->kind))
        return error_set(GLT_EDATA,
                         "%s: a cloud is an array of numbers of shape (points, 3 or more); this "
                         "one has %d dimensions, the last of %" PRId64,
                         file, h->n_dims, h->n_dims ? h->shape[h->n_dims - 1] : 1);
    for (int32_t i = 0; i < h->shape[1]; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        TRY(cloud_declare(&x, c, i < 3 ? xyz[i] : name, item->type, 1));
    }
    c->n = h->shape[0];
    return 0;
}

/* Columns in the order of the header's fields, without padding; swaps what is big-endian. */
static int read_structured(struct glt_cloud *c, struct file *f, const struct npy_header *h)
{
    struct field *fields = memory_alloc((size_t)h->n_fields, sizeof *fields);
    int32_t n = 0;
    if (!fields)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < h->n_fields; i++) {
        const struct array_field *x = &h->fields[i].field;
        if (npy_is_padding(h->fields[i].name, x->kind))
            continue;
        fields[n] = (struct field){c->columns[n].data, x->offset, x->size, 0, 0};
        n++;
    }
    int code = rows_read(f, fields, n, h->item_size, c->n);
    memory_free(fields);
    for (int32_t i = 0, k = 0; code == 0 && i < h->n_fields; i++) {
        if (npy_is_padding(h->fields[i].name, h->fields[i].field.kind))
            continue;
        struct column *x = &c->columns[k++];
        if (h->fields[i].swap != file_host_is_big_endian())
            file_swap(x->data, (size_t)c->n * (size_t)x->width, type_size(x->type));
    }
    return code;
}

static int read_plain(struct glt_cloud *c, struct file *f, const struct npy_header *h)
{
    struct view v = {.columns = c->columns, .n = c->n_columns, .rows = c->n};
    struct field *fields = NULL;
    size_t row_size;
    int code = h->fortran ? 0 : view_fields(&fields, &row_size, &v);
    for (int32_t k = 0; h->fortran && code == 0 && k < c->n_columns; k++)
        code = file_read(f, c->columns[k].data, (size_t)c->n * h->item_size);
    if (fields)
        code = rows_read(f, fields, v.n, row_size, v.rows);
    memory_free(fields);
    for (int32_t k = 0; code == 0 && k < c->n_columns; k++)
        if (h->fields[0].swap != file_host_is_big_endian())
            file_swap(c->columns[k].data, (size_t)c->n, h->item_size);
    return code;
}

static int read_data(struct glt_cloud *c, struct file *f, const struct npy_header *h)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)h->count, h->item_size, &bytes) ||
        bytes > (uint64_t)file_left(f))
        return error_set(GLT_EFORMAT,
                         "%s: the npy header declares %" PRId64 " items of %zu bytes, but only "
                         "%" PRId64 " bytes follow: the file is cut short or damaged",
                         file_name(f), h->count, h->item_size, file_left(f));
    TRY(cloud_allocate(c));
    return h->structured ? read_structured(c, f, h) : read_plain(c, f, h);
}

static int read_with(struct glt_cloud *c, struct file *f, const struct format_options *o,
                     struct npy_header *h)
{
    struct npy_file s = npy_file(f);
    TRY(npy_read_header(h, &s.source));
    TRY(h->structured ? declare_structured(c, h) : declare_plain(c, h, file_name(f)));
    TRY(read_data(c, f, h));
    if (!h->structured)
        TRY(cloud_set_note(c, "npy.plain", "", 0));
    if (o->columns)
        return name_columns(c, o->columns, file_name(f));
    return h->structured ? 0 : guess_columns(c, 3, file_name(f));
}

static int read(struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    struct npy_header h = {0};
    int code = read_with(c, f, o, &h);
    npy_clear_header(&h);
    return code;
}

static bool stays_plain(const struct glt_cloud *c, const struct view *v)
{
    bool plain = cloud_note(c, "npy.plain") && v->n > 0;
    for (int32_t k = 0; k < v->n; k++)
        plain = plain && v->columns[k].type == v->columns[0].type && v->columns[k].width == 1;
    return plain;
}

static int write_view(struct file *f, const struct view *v, bool plain)
{
    char *descr = NULL, *header = NULL;
    size_t len, row_size = 0;
    int64_t shape[2] = {v->rows, v->n};
    struct field *fields = NULL;
    struct array_field *described = memory_alloc((size_t)v->n, sizeof *described);
    int code = described ? view_fields(&fields, &row_size, v) : GLT_ENOMEM;
    for (int32_t k = 0; code == 0 && k < v->n; k++)
        described[k] = array_field(&v->columns[k]);
    if (code == 0)
        code = npy_describe(&descr, described, v->n, !plain);
    if (code == 0)
        code = npy_make_header(&header, &len, descr, shape, plain ? 2 : 1);
    if (code == 0)
        code = file_write(f, header, len);
    if (code == 0 && row_size)
        code = rows_write(f, fields, v->n, row_size, v->rows);
    memory_free(header);
    memory_free(descr);
    memory_free(fields);
    memory_free(described);
    return code;
}

static int write(const struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    struct view v;
    (void)o;
    if (c->classes.n)
        log_message(GLT_LOG_WARNING, "npy has no place for names of classes: they are left out "
                                     "(npz keeps them)");
    int code = view_make(&v, c, "npy", false);
    if (code == 0)
        code = write_view(f, &v, stays_plain(c, &v));
    view_free(&v);
    return code;
}

static bool probe(const unsigned char *bytes, size_t len)
{
    return len >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
}

const struct format format_npy = {.name = "npy",
                                  .extensions = "npy",
                                  .probe = probe,
                                  .read = read,
                                  .write = write,
                                  .encodings = "binary",
                                  .unnamed = true};
