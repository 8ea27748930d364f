/* Clouds in HDF5 files, made from their numeric datasets.
 *
 * The ModelNet layout is `data` (shapes, points, 3) with `label` (shapes) and perhaps `normal`; in
 * the cloud all shapes follow each other, and each point has the number and label of its shape.
 * Files with one dataset per coordinate (.../X, Y, Z) are read too. */
#include "formats/h5.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/error.h"
#include "core/file.h"
#include "core/string.h"
#include "formats/arrays.h"
#include "formats/format.h"
#include "formats/h5_arrays.h"
#include "formats/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool h5_probe(const unsigned char *bytes, size_t len)
{
    for (size_t at = 0; at + 8 <= len; at = at ? 2 * at : 512)
        if (memcmp(bytes + at, "\x89HDF\r\n\x1a\n", 8) == 0)
            return true;
    return false;
}

static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static const struct array *find(const struct arrays *a, const char *name)
{
    for (int32_t i = 0; i < a->n; i++)
        if (string_compare_nocase(last_part(a->items[i].name), name) == 0)
            return &a->items[i];
    return NULL;
}

/* Three columns from rows of three. */
static int add_three(struct glt_cloud *c, const struct array *a, const char *const names[3])
{
    size_t size = type_size(a->fields[0].type);
    for (size_t d = 0; d < 3; d++) {
        struct column *x;
        TRY(cloud_add_attribute(&x, c, names[d], a->fields[0].type));
        struct field field = {x->data, d * size, size, 0, 0};
        if (c->n)
            rows_split(&field, 1, a->data, 3 * size, 0, c->n);
    }
    return 0;
}

static int add_shapes(struct glt_cloud *c, const struct arrays *all, int64_t shapes)
{
    const struct array *label = find(all, "label");
    struct column *x;
    if (shapes > 1) {
        TRY(cloud_add_attribute(&x, c, "shape", GLT_I32));
        for (int64_t i = 0; i < c->n; i++)
            ((int32_t *)x->data)[i] = (int32_t)(i / (c->n / shapes));
    }
    if (!label || (label->count != shapes && label->count != c->n))
        return 0;
    TRY(cloud_add_attribute(&x, c, "label", GLT_I32));
    for (int64_t i = 0; i < c->n; i++)
        TRY(arrays_values((int32_t *)x->data + i, GLT_I32, label,
                          label->count == c->n ? i : i / (c->n / shapes), 1));
    return 0;
}

/* The ModelNet layout. */
static int from_shapes(struct glt_cloud *c, const struct arrays *all, const struct array *data)
{
    static const char *const xyz[] = {"x", "y", "z"}, *const normals[] = {"nx", "ny", "nz"};
    const struct array *normal = find(all, "normal");
    c->n = data->count / 3;
    TRY(add_three(c, data, xyz));
    if (normal && normal->count == data->count)
        TRY(add_three(c, normal, normals));
    return add_shapes(c, all, data->n_dims == 3 ? data->shape[0] : 1);
}

/* One dataset per attribute, all as long as X. */
static int from_columns(struct glt_cloud *c, const struct arrays *all, int64_t n)
{
    c->n = n;
    for (int32_t i = 0; i < all->n; i++) {
        const struct array *a = &all->items[i];
        struct column *x;
        if (a->n_dims != 1 || a->count != n)
            continue;
        TRY(cloud_add_attribute(&x, c, last_part(a->name), a->fields[0].type));
        if (n)
            memcpy(x->data, a->data, (size_t)n * a->item_size);
    }
    return 0;
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct arrays all = {0};
    (void)call, (void)o;
    int code = h5_read_arrays(&all, f);
    const struct array *data = find(&all, "data"), *x = find(&all, "x");
    bool shapes = data && data->n_dims >= 2 && data->n_dims <= 3 && data->count > 0 &&
                  data->shape[data->n_dims - 1] == 3;
    if (code == 0 && shapes)
        code = from_shapes(c, &all, data);
    else if (code == 0 && x && x->n_dims == 1)
        code = from_columns(c, &all, x->count);
    else if (code == 0)
        code = error_topic(
            error_file(
                error_set(GLT_EDATA,
                          "%s holds %d arrays of numbers, but neither data (shapes, points, 3) nor "
                          "X, Y and Z",
                          file_name(f), all.n),
                file_name(f)),
            GLT_TOPIC_COORDINATES, NULL);
    arrays_free(&all);
    return code;
}

const struct format format_h5 = {
    .name = "h5", .extensions = "h5 hdf5 hdf", .probe = h5_probe, .read = read};
