/* Clouds in .npy files: a structured array has one field per attribute; a plain (n, c) array holds
 * coordinates and further columns, named by the caller or by a guess.
 *
 * Rows go from the file straight into columns. A cloud that was read from a plain array and still
 * has a single type is written as one; all others become structured arrays. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/log.h"
#include "formats/arrays.h"
#include "formats/columns.h"
#include "formats/format.h"
#include "formats/npy.h"
#include "formats/rows.h"
#include "formats/source.h"
#include "formats/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The type that stores a field's bytes, and the number of its values per item. */
static enum glt_type stored_type(const struct array_field *x, int32_t *width)
{
    *width = x->width;
    if (arrays_is_numeric(x))
        return x->type;
    *width = (int32_t)(x->kind == 'U' ? x->size / 4 : x->size);
    return x->kind == 'U' ? GLT_U32 : GLT_U8;
}

static int declare_structured(struct glt_cloud *c, const struct array *a)
{
    struct column *x;
    for (int32_t i = 0; i < a->n_fields; i++) {
        int32_t width;
        enum glt_type type = stored_type(&a->fields[i], &width);
        if (!npy_is_padding(&a->fields[i]))
            TRY(cloud_declare(&x, c, a->fields[i].name, type, width));
    }
    c->n = a->count;
    return 0;
}

static int declare_plain(struct glt_cloud *c, const struct array *a, const char *file)
{
    struct column *x;
    if (a->n_dims != 2 || a->shape[1] < 3 || a->shape[1] > COLUMNS_MAX ||
        !arrays_is_numeric(&a->fields[0]))
        return error_topic(
            error_in(GLT_EDATA, file,
                     "a cloud is an array of numbers of shape (points, 3 or more); this "
                     "one has %d dimensions, the last of %" PRId64,
                     a->n_dims, a->n_dims ? a->shape[a->n_dims - 1] : 1),
            GLT_TOPIC_SHAPE, NULL);
    for (int32_t i = 0; i < a->shape[1]; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        TRY(cloud_declare(&x, c, i < 3 ? names_xyz[i] : name, a->fields[0].type, 1));
    }
    c->n = a->shape[0];
    return 0;
}

/* Columns in the order of the fields, without padding; swaps big-endian fields. */
static int read_structured(struct call *call, struct glt_cloud *c, struct file *f,
                           const struct array *a)
{
    struct field *fields = call_alloc(call, (size_t)a->n_fields, sizeof *fields);
    int32_t n = 0;
    if (!fields)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < a->n_fields; i++) {
        const struct array_field *x = &a->fields[i];
        if (npy_is_padding(x))
            continue;
        fields[n] = (struct field){c->columns[n].data, x->offset, x->size, 0, 0};
        n++;
    }
    TRY(rows_read(f, fields, n, a->item_size, c->n));
    for (int32_t i = 0, k = 0; i < a->n_fields; i++) {
        if (npy_is_padding(&a->fields[i]))
            continue;
        if (a->fields[i].swap != file_host_is_big_endian())
            column_swap(&c->columns[k], c->n);
        k++;
    }
    return 0;
}

static int read_plain(struct call *call, struct glt_cloud *c, struct file *f, const struct array *a,
                      bool fortran)
{
    size_t row_size;
    struct field *fields = rows_fields(call, &row_size, c->columns, c->n_columns);
    if (!fields)
        return GLT_ENOMEM;
    for (int32_t k = 0; fortran && k < c->n_columns; k++)
        TRY(file_read(f, c->columns[k].data, (size_t)c->n * a->item_size));
    if (!fortran)
        TRY(rows_read(f, fields, c->n_columns, row_size, c->n));
    for (int32_t k = 0; k < c->n_columns; k++)
        if (a->fields[0].swap != file_host_is_big_endian())
            column_swap(&c->columns[k], c->n);
    return 0;
}

static int read_cloud(struct call *call, struct glt_cloud *c, struct file *f, struct array *a)
{
    struct source_file s = source_of_file(f);
    bool fortran;
    size_t bytes;
    TRY(npy_read_header(a, &fortran, &s.source));
    TRY(a->structured ? declare_structured(c, a) : declare_plain(c, a, file_name(f)));
    if (__builtin_mul_overflow((size_t)a->count, a->item_size, &bytes) ||
        bytes > (uint64_t)file_left(f))
        return error_topic(error_in(GLT_EFORMAT, file_name(f),
                                    "the npy header declares %" PRId64
                                    " items of %zu bytes, but only "
                                    "%" PRId64 " bytes follow: the file is cut short or damaged",
                                    a->count, a->item_size, file_left(f)),
                           GLT_TOPIC_TRUNCATED, NULL);
    TRY(cloud_allocate(c));
    if (a->structured)
        return read_structured(call, c, f, a);
    TRY(read_plain(call, c, f, a, fortran));
    return cloud_set_note(c, "npy.plain", "", 0);
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct array a = {0};
    int code = read_cloud(call, c, f, &a);
    bool structured = a.structured;
    arrays_clear(&a);
    TRY(code);
    if (o->columns)
        return columns_name(c, o->columns, file_name(f));
    return structured ? 0 : columns_guess(c, 3, file_name(f));
}

static bool stays_plain(const struct glt_cloud *c, const struct view *v)
{
    bool plain = cloud_note(c, "npy.plain") && v->n > 0;
    for (int32_t k = 0; k < v->n; k++)
        plain = plain && v->columns[k].type == v->columns[0].type && v->columns[k].width == 1;
    return plain;
}

static int write(struct call *call, const struct glt_cloud *c, struct file *f,
                 const struct format_options *o)
{
    struct view v;
    char *header = NULL;
    size_t len = 0, row_size;
    (void)o;
    if (c->classes.n)
        log_warning(GLT_TOPIC_CLASSES, NULL,
                    "npy has no place for names of classes: they are left out "
                    "(npz keeps them)");
    TRY(view_make(call, &v, c, "npy", false));
    bool plain = stays_plain(c, &v);
    struct array a = {.shape = {v.rows, v.n}, .n_dims = plain ? 2 : 1, .structured = !plain};
    a.fields = call_alloc(call, (size_t)v.n, sizeof *a.fields);
    struct field *fields = rows_fields(call, &row_size, v.columns, v.n);
    if (!a.fields || !fields)
        return GLT_ENOMEM;
    for (a.n_fields = 0; a.n_fields < v.n; a.n_fields++)
        a.fields[a.n_fields] = npy_field(&v.columns[a.n_fields]);
    TRY(npy_make_header(call, &header, &len, &a));
    TRY(file_write(f, header, len));
    return row_size ? rows_write(f, fields, v.n, row_size, v.rows) : 0;
}

const struct format format_npy = {.name = "npy",
                                  .extensions = "npy",
                                  .probe = npy_probe,
                                  .read = read,
                                  .write = write,
                                  .encodings = "binary",
                                  .unnamed = true};
