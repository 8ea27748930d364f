/* Clouds in .npz archives: arrays whose first dimension is the number of points are attributes.
 *
 * xyz (else points, pos, coord) gives the coordinates; if it holds integers, scale and origin
 * convert them. rgb and normals are split into their columns; a structured array gives one column
 * per field; class_name names the labels. All other arrays are kept unchanged and written back. A
 * column cut out of an array remembers its origin as "array[k]".
 *
 * The shapes of all arrays are read first. Attributes are unpacked, within arrays_limit; arrays
 * that are merely kept may use the rest of the limit, and are left out beyond it. */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "cloud/provenance.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/format.h"
#include "formats/npy.h"
#include "formats/npz_layout.h"
#include "formats/npz_write.h"
#include "formats/rows.h"

#include <stdio.h>
#include <string.h>

/* The array whose length is the number of points. */
static const struct array *find_points(const struct arrays *all)
{
    const struct array *best = NULL;
    int rank = NPZ_RANKS;
    for (int32_t i = 0; i < all->n; i++) {
        const struct array *a = &all->items[i];
        int r = npz_layout_rank(a->name);
        if (r < rank && (a->structured || (a->n_dims == 2 && a->shape[1] >= 3))) {
            rank = r;
            best = a;
        }
    }
    if (best)
        return best;
    const struct array *x = arrays_find(all, "x");
    if (x && x->n_dims == 1)
        return x;
    for (int32_t i = 0; i < all->n; i++) {
        const struct array *a = &all->items[i];
        if ((arrays_is_plain(a) && a->n_dims == 2 && a->shape[1] >= 3) || a->structured)
            return a;
    }
    return NULL;
}

/* A column for items [k, k + width) of each row of an array. */
static int cut_column(struct glt_cloud *c, const struct array *a, const char *name, int64_t k,
                      int32_t width)
{
    enum glt_type type = a->fields[0].type;
    struct column *x;
    char source[300];
    TRY(cloud_add_wide(&x, c, name, type, width));
    size_t item = type_size(type), row = item * (size_t)(a->count / (c->n ? c->n : 1));
    struct field field = {x->data, (size_t)k * item, (size_t)width * item, 0, 0};
    if (c->n)
        rows_split(&field, 1, a->data, row, 0, c->n);
    if (a->n_dims == 1 || width > 1)
        return 0;
    snprintf(source, sizeof source, "%s[%d]", a->name, (int)k);
    x->source = memory_string(source);
    return x->source ? 0 : GLT_ENOMEM;
}

/* The names of the columns into which colours and normals are cut; NULL for other arrays, or if the
 * archive also has these columns separately. */
static const char *const *cut_names(const struct arrays *all, const struct array *a)
{
    const char *const *names = npz_layout_columns(a->name);
    if (a->n_dims != 2 || a->shape[1] != 3)
        return NULL;
    for (int k = 0; names && k < 3; k++)
        if (arrays_find(all, names[k]))
            return NULL;
    return names;
}

static int add_plain(struct glt_cloud *c, const struct arrays *all, const struct array *a,
                     bool coordinates)
{
    int64_t width = a->n_dims == 1 ? 1 : a->shape[1];
    const char *const *names = coordinates ? names_xyz : cut_names(all, a);
    if (!names)
        return cut_column(c, a, a->name, 0, (int32_t)width);
    for (int64_t k = 0; k < width; k++) {
        char name[300];
        snprintf(name, sizeof name, "%s_%d", a->name, (int)k);
        TRY(cut_column(c, a, k < 3 ? names[k] : name, k, 1));
    }
    return 0;
}

static int add_structured(struct glt_cloud *c, const struct array *a)
{
    for (int32_t i = 0; i < a->n_fields; i++) {
        const struct array_field *from = &a->fields[i];
        bool number = arrays_is_numeric(from);
        struct column *x;
        if (npy_is_padding(from))
            continue;
        TRY(cloud_add_wide(&x, c, from->name, number ? from->type : GLT_U8,
                           number ? from->width : (int32_t)from->size));
        struct field field = {x->data, from->offset, from->size, 0, 0};
        if (c->n && from->size)
            rows_split(&field, 1, a->data, a->item_size, 0, c->n);
    }
    return 0;
}

/* Whether an axis holds integers, in the array of points or in one of its own. */
static bool has_whole_axis(const struct arrays *all, const struct array *points)
{
    bool whole = points->n_dims == 2 && points->fields[0].kind != 'f';
    for (int d = 0; d < 3; d++) {
        const struct array *a = arrays_find(all, names_xyz[d]);
        if (!points->structured && points->n_dims == 1 && a)
            whole = whole || a->fields[0].kind != 'f';
        for (int32_t k = 0; points->structured && k < points->n_fields; k++)
            whole = whole || (strcmp(points->fields[k].name, names_xyz[d]) == 0 &&
                              points->fields[k].kind != 'f');
    }
    return whole;
}

static int apply_scale(struct glt_cloud *c, const struct array *a)
{
    double v[3];
    TRY(arrays_values(v, GLT_F64, a, 0, a->count));
    for (int d = 0; d < 3; d++) {
        struct column *x = cloud_attribute(c, names_xyz[d]);
        if (!x || type_is_real(x->type))
            continue;
        *(a->name[0] == 'o' ? &x->offset : &x->scale) = v[a->count == 3 ? d : 0];
    }
    return 0;
}

/* Class names are stored as in every other format: in comments. */
static int take_classes(struct glt_cloud *c, const struct arrays *all, bool *used)
{
    const struct array *a = arrays_find(all, NPZ_CLASSES);
    if (!a || a->structured || a->n_dims != 1 || !strchr("SU", a->fields[0].kind) ||
        a->count > NPZ_CLASSES_MAX)
        return 0;
    for (int64_t i = 0; i < a->count; i++) {
        char name[NPZ_CLASS_NAME], text[NPZ_CLASS_NAME + 32];
        TRY(arrays_text(name, sizeof name, a, i));
        snprintf(text, sizeof text, "class %d %s", (int)i, name);
        if (name[0])
            TRY(cloud_add_comment(c, text));
    }
    used[a - all->items] = true;
    return 0;
}

static int take_provenance(struct glt_cloud *c, const struct arrays *all, bool *used)
{
    const struct array *a = arrays_find(all, NPZ_PROVENANCE);
    if (!a || !a->data || a->structured || a->n_dims != 1 || !strchr("SU", a->fields[0].kind) ||
        a->count > PROVENANCE_MAX)
        return 0;
    int32_t before = c->n_comments;
    for (int64_t i = 0; i < a->count; i++) {
        char line[PROVENANCE_LINE];
        TRY(arrays_text(line, sizeof line, a, i));
        TRY(provenance_read(c, line, strlen(line)));
    }
    used[a - all->items] = c->n_comments > before; /* else the array has another meaning */
    return 0;
}

static bool is_attribute(const struct array *a, int64_t points, bool whole)
{
    return arrays_is_plain(a) && !(whole && npz_layout_is_scale(a->name, a->count)) &&
           (a->n_dims == 1 || (a->n_dims == 2 && a->shape[1] > 0 && a->shape[1] <= VALUES_MAX)) &&
           a->shape[0] == points;
}

static int64_t count_points(const struct array *points)
{
    return points->structured ? points->count : points->shape[0];
}

/* --- which arrays are unpacked --- */

struct wanted {
    const char *file;
    uint64_t left; /* bytes available for arrays that are merely kept */
};

/* Whether the cloud needs the values of an array: points, an attribute, scale, origin, class names.
 */
static bool is_needed(const struct arrays *all, const struct array *points, const struct array *a)
{
    return a == points || npz_layout_is_scale(a->name, a->count) ||
           (!strcmp(a->name, NPZ_CLASSES) && a->count <= NPZ_CLASSES_MAX) ||
           is_attribute(a, count_points(points), has_whole_axis(all, points));
}

static uint64_t bytes_of(const struct array *a)
{
    uint64_t bytes;
    return __builtin_mul_overflow((uint64_t)a->count, a->item_size, &bytes) ? UINT64_MAX : bytes;
}

static bool is_wanted(void *user, const struct arrays *all, int32_t i)
{
    struct wanted *w = user;
    const struct array *points = find_points(all), *a = &all->items[i];
    if (!points)
        return false; /* fill refuses the file */
    for (int32_t k = 0; i == 0 && k < all->n; k++)
        if (is_needed(all, points, &all->items[k])) {
            uint64_t bytes = bytes_of(&all->items[k]);
            w->left -= bytes < w->left ? bytes : w->left;
        }
    if (is_needed(all, points, a))
        return true;
    if (bytes_of(a) <= w->left) {
        w->left -= bytes_of(a);
        return true;
    }
    log_warning(GLT_TOPIC_SIZE_LIMIT, a->name,
                "%s: array %s is left out: the arrays unpack to more than %d times the size of "
                "the file",
                w->file, a->name, ARRAYS_RATIO);
    return false;
}

static int fill(struct call *call, struct glt_cloud *c, const struct arrays *all, const char *file)
{
    const struct array *points = find_points(all);
    if (!points)
        return error_topic(error_in(GLT_EDATA, file,
                                    "no array of shape (points, 3 or more) is in it; call it xyz"),
                           GLT_TOPIC_COORDINATES, NULL);
    bool whole = has_whole_axis(all, points), *used = call_alloc(call, (size_t)all->n, 1);
    if (!used)
        return GLT_ENOMEM;
    c->n = count_points(points);
    for (int32_t i = 0; i < all->n; i++) {
        const struct array *a = &all->items[i];
        if (a == points && a->structured)
            TRY(add_structured(c, a));
        else if (is_attribute(a, c->n, whole))
            TRY(add_plain(c, all, a, a == points && a->n_dims == 2));
        else
            continue;
        if (c->n_columns > COLUMNS_MAX)
            return error_topic(error_in(GLT_ELIMIT, file,
                                        "more than %d attributes: leave some arrays out",
                                        COLUMNS_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        used[i] = true;
    }
    for (int32_t i = 0; whole && i < all->n; i++)
        if (arrays_is_plain(&all->items[i]) &&
            npz_layout_is_scale(all->items[i].name, all->items[i].count)) {
            TRY(apply_scale(c, &all->items[i]));
            used[i] = true;
        }
    TRY(take_classes(c, all, used));
    TRY(take_provenance(c, all, used));
    for (int32_t i = 0; i < all->n; i++)
        if (!used[i] && all->items[i].data)
            TRY(npz_layout_keep(call, c, &all->items[i]));
    return 0;
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *o)
{
    struct arrays all = {0};
    (void)o;
    struct wanted w = {file_name(f), arrays_limit((uint64_t)file_size(f))};
    TRY(arrays_read_wanted(&all, f, is_wanted, &w));
    int code = fill(call, c, &all, file_name(f));
    arrays_free(&all);
    return code;
}

static bool probe(const unsigned char *bytes, size_t len)
{
    /* the first member of every archive numpy writes is some name.npy */
    if (len < 34 || memcmp(bytes, "PK\x03\x04", 4) != 0)
        return false;
    size_t name = bytes[26] | (size_t)bytes[27] << 8;
    return name >= 4 && 30 + name <= len && memcmp(bytes + 30 + name - 4, ".npy", 4) == 0;
}

const struct format format_npz = {.name = "npz",
                                  .extensions = "npz",
                                  .probe = probe,
                                  .read = read,
                                  .write = npz_write,
                                  .encodings = "binary compressed"};
