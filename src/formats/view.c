/* Views: see view.h. */
#include "formats/view.h"

#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"

#include <string.h>

int view_add(struct view *v, const struct column *x, const char *name, enum glt_type type)
{
    struct column *y = &v->columns[v->n];
    *y = *x;
    y->name = (char *)(uintptr_t)name;
    y->source = NULL;
    if (type != x->type || x->scale != 1 || x->offset != 0) {
        int64_t items = x->start ? x->start[v->rows] : v->rows * x->width;
        y->data = memory_alloc((size_t)items, type_size(type));
        if (!y->data)
            return GLT_ENOMEM;
        column_convert(y->data, type, 0, x, 0, items);
        y->type = type;
        y->scale = 1;
        y->offset = 0;
        v->owned[v->n] = true;
    }
    v->n++;
    return 0;
}

int view_make(struct view *v, const struct glt_cloud *c, const char *format, bool lists)
{
    size_t room = (size_t)c->n_columns + 4; /* writers may add a few of their own */
    int64_t values = 0;
    *v = (struct view){.rows = c->n};
    for (int32_t i = 0; i < c->n_columns && !lists; i++)
        values += c->columns[i].start ? 0 : c->columns[i].width;
    if (values > VALUES_MOST)
        return error_set(GLT_ELIMIT,
                         "%s holds %d values per point at most, these are %lld: leave some "
                         "attributes out, or write npz",
                         format, VALUES_MOST, (long long)values);
    v->columns = memory_alloc(room, sizeof *v->columns);
    v->owned = memory_alloc(room, sizeof *v->owned);
    if (!v->columns || !v->owned)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n_columns; i++) {
        const struct column *x = &c->columns[i];
        bool scaled = x->scale != 1 || x->offset != 0;
        if (x->start && !lists)
            log_message(GLT_LOG_WARNING, "%s has no lists of several lengths: %s is left out",
                        format, x->name);
        else
            TRY(view_add(v, x, cloud_spelling(c, x, format), scaled ? GLT_F64 : x->type));
    }
    return 0;
}

void view_free(struct view *v)
{
    for (int32_t i = 0; i < v->n; i++)
        if (v->owned[i])
            memory_free(v->columns[i].data);
    memory_free(v->columns);
    memory_free(v->owned);
    *v = (struct view){0};
}

int view_fields(struct field **out, size_t *row_size, const struct view *v)
{
    struct field *fields = memory_alloc((size_t)v->n, sizeof *fields);
    if (!fields)
        return GLT_ENOMEM;
    *row_size = 0;
    for (int32_t i = 0; i < v->n; i++) {
        const struct column *x = &v->columns[i];
        fields[i] = (struct field){x->data, *row_size, type_size(x->type) * (size_t)x->width, 0, 0};
        *row_size += fields[i].size;
    }
    *out = fields;
    return 0;
}
