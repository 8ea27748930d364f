/* Choosing points: a new cloud of some rows of another, everything else copied. Other elements,
 * which name points by number, come along when all points do, in their order. */
#include "core/error.h"
#include "core/memory.h"
#include "formats/format.h"
#include "formats/npz_cloud.h"

#include <string.h>

/* Items of the chosen rows of a list property. */
static int select_list(struct column *y, const struct column *x, const int64_t *rows, int64_t n)
{
    size_t size = type_size(x->type);
    y->start = memory_alloc((size_t)n + 1, sizeof *y->start);
    if (!y->start)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        y->start[i + 1] = y->start[i] + x->start[rows[i] + 1] - x->start[rows[i]];
    y->data = memory_alloc((size_t)y->start[n], size);
    if (!y->data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        memcpy((unsigned char *)y->data + (size_t)y->start[i] * size,
               (const unsigned char *)x->data + (size_t)x->start[rows[i]] * size,
               (size_t)(y->start[i + 1] - y->start[i]) * size);
    return 0;
}

static int select_items(struct column *y, const struct column *x, const int64_t *rows, int64_t n)
{
    size_t size = type_size(x->type) * (size_t)x->width;
    y->data = memory_alloc((size_t)n, size);
    if (!y->data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        memcpy((unsigned char *)y->data + (size_t)i * size,
               (const unsigned char *)x->data + (size_t)rows[i] * size, size);
    return 0;
}

static int select_column(struct column **columns, int32_t *n_columns, const struct column *x,
                         const int64_t *rows, int64_t n)
{
    struct column *y;
    TRY(columns_append(&y, columns, n_columns, x->name, x->type));
    y->width = x->width;
    y->scale = x->scale;
    y->offset = x->offset;
    y->counter = x->counter;
    if (x->source && !(y->source = memory_string(x->source)))
        return GLT_ENOMEM;
    return x->start ? select_list(y, x, rows, n) : select_items(y, x, rows, n);
}

static int copy_element(struct element *to, const struct element *from)
{
    int64_t *rows = memory_alloc((size_t)from->n, sizeof *rows);
    to->n = from->n;
    to->name = memory_string(from->name);
    int code = rows && to->name ? 0 : GLT_ENOMEM;
    for (int64_t i = 0; rows && i < from->n; i++)
        rows[i] = i;
    for (int32_t k = 0; code == 0 && k < from->n_columns; k++)
        code = select_column(&to->columns, &to->n_columns, &from->columns[k], rows, from->n);
    memory_free(rows);
    return code;
}

static int copy_elements(struct glt_cloud *to, const struct glt_cloud *c)
{
    to->elements = memory_alloc((size_t)c->n_elements, sizeof *to->elements);
    if (!to->elements)
        return GLT_ENOMEM;
    to->n_before = c->n_before;
    to->n_elements = c->n_elements;
    for (int32_t i = 0; i < c->n_elements; i++)
        TRY(copy_element(&to->elements[i], &c->elements[i]));
    return 0;
}

static int fill(struct glt_cloud *to, const struct glt_cloud *c, const int64_t *rows)
{
    to->format = c->format;
    if (c->path && !(to->path = memory_string(c->path)))
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n_columns; i++)
        TRY(select_column(&to->columns, &to->n_columns, &c->columns[i], rows, to->n));
    bool all = to->n == c->n;
    for (int64_t i = 0; all && i < c->n; i++)
        all = rows[i] == i;
    if (all && c->n_elements)
        TRY(copy_elements(to, c));
    for (int32_t i = 0; i < c->n_comments; i++)
        TRY(cloud_add_comment(to, c->comments[i]));
    for (int32_t i = 0; i < c->n_notes; i++) {
        const struct note *note = &c->notes[i];
        if (strncmp(note->key, NPZ_NOTE, strlen(NPZ_NOTE)) == 0)
            TRY(npz_select(to, note, rows, c->n));
        else
            TRY(cloud_set_note(to, note->key, note->bytes, note->len));
    }
    return 0;
}

int cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= c->n)
            return error_set(GLT_EARGUMENT, "row %lld of a cloud of %lld points was asked for",
                             (long long)rows[i], (long long)c->n);
    struct glt_cloud *to;
    TRY(cloud_new(&to, n));
    int code = fill(to, c, rows);
    if (code < 0) {
        cloud_free(to);
        return code;
    }
    *out = to;
    return 0;
}
