/* Views: see view.h. */
#include "formats/view.h"

#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/log.h"
#include "formats/format.h"

#include <string.h>

int view_show(struct call *call, struct column *y, const struct view *v, const struct column *x,
              const char *name, enum glt_type type)
{
    *y = *x;
    y->name = (char *)(uintptr_t)name;
    y->source = NULL;
    if (type == x->type && !column_is_scaled(x))
        return 0;
    int64_t items = column_items(x, v->rows);
    y->data = call_alloc(call, (size_t)items, type_size(type));
    if (!y->data)
        return GLT_ENOMEM;
    column_convert(y->data, type, 0, x, 0, items);
    y->type = type;
    y->scale = 1;
    y->offset = 0;
    return 0;
}

int view_make(struct call *call, struct view *v, const struct glt_cloud *c, const char *format,
              bool lists)
{
    int64_t values = 0;
    *v = (struct view){.rows = c->n};
    for (int32_t i = 0; i < c->n_columns && !lists; i++)
        values += c->columns[i].width;
    if (values > VALUES_MAX)
        return error_topic(
            error_set(GLT_ELIMIT,
                      "%s holds %d values per point at most, these are %lld: leave some "
                      "attributes out, or write npz",
                      format, VALUES_MAX, (long long)values),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    v->columns = call_alloc(call, (size_t)c->n_columns + VIEW_MORE, sizeof *v->columns);
    if (!v->columns)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n_columns; i++) {
        const struct column *x = &c->columns[i];
        if (x->start && !lists)
            log_warning(GLT_TOPIC_ATTRIBUTE, x->name,
                        "%s has no lists of several lengths: %s is left out", format, x->name);
        else
            TRY(view_show(call, &v->columns[v->n++], v, x, cloud_spelling(c, x, format),
                          column_is_scaled(x) ? GLT_F64 : x->type));
    }
    return 0;
}

/* Whether all values are n * 257 of a byte n. */
static bool are_bytes(const struct column *x, int64_t n)
{
    if (!column_is_single(x) || x->type != GLT_U16 || column_is_scaled(x))
        return false;
    for (int64_t i = 0; i < n; i++)
        if ((uint32_t)column_value(x, i) % 257)
            return false;
    return true;
}

int view_narrow_colours(struct call *call, struct view *v, const struct glt_cloud *c)
{
    if (!cloud_note(c, "las.header"))
        return 0;
    for (int k = 0; k < 3; k++)
        if (!are_bytes(cloud_attribute(c, names_rgb[k]), c->n))
            return 0;
    for (int32_t i = 0; i < v->n; i++)
        for (int k = 0; k < 3; k++) {
            struct column *y = &v->columns[i], narrow = *y;
            if (strcmp(y->name, names_rgb[k]) != 0)
                continue;
            narrow.scale = 1.0 / 257;
            TRY(view_show(call, y, v, &narrow, y->name, GLT_U8));
        }
    return 0;
}
