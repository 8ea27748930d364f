/* Clouds in .npz archives: arrays whose first dimension is the number of points are attributes.
 *
 * xyz (else points, pos, coord) gives the coordinates; when it holds integers, scale and origin say
 * what they mean. rgb and normals are split into their columns; a structured array gives one column
 * per field; class_name names the labels. All other arrays are kept as they are and written back. A
 * column cut out of an array remembers its place as "array[k]". */
#include "formats/npz_cloud.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/npy_header.h"
#include "formats/rows.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *array;
    const char *columns[3];
} groups[] = {
    {"xyz", {"x", "y", "z"}},
    {"points", {"x", "y", "z"}},
    {"pos", {"x", "y", "z"}},
    {"coord", {"x", "y", "z"}},
    {"coords", {"x", "y", "z"}},
    {"position", {"x", "y", "z"}},
    {"rgb", {"red", "green", "blue"}},
    {"color", {"red", "green", "blue"}},
    {"colors", {"red", "green", "blue"}},
    {"normals", {"nx", "ny", "nz"}},
    {"normal", {"nx", "ny", "nz"}},
};
enum { GROUPS = sizeof groups / sizeof *groups }; /* the first NPZ_RANKS are coordinates */

static int group_of(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        if (strcasecmp(groups[i].array, name) == 0)
            return i;
    return -1;
}

int npz_rank(const char *name)
{
    int g = group_of(name);
    return g >= 0 && g < NPZ_RANKS ? g : NPZ_RANKS;
}

static bool is_numeric(const struct array *a)
{
    return !a->structured && strchr("iufb", a->fields[0].kind) && a->fields[0].width == 1;
}

/* The array that tells how many points there are. */
static const struct array *find_points(const struct arrays *all)
{
    const struct array *best = NULL;
    int rank = NPZ_RANKS;
    for (int32_t i = 0; i < all->n; i++) {
        const struct array *a = &all->items[i];
        int r = npz_rank(a->name);
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
        if ((is_numeric(a) && a->n_dims == 2 && a->shape[1] >= 3) || a->structured)
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

/* Colours and normals are cut unless an archive has them one by one as well. */
static bool is_cut(const struct arrays *all, const struct array *a, int g)
{
    bool alone = g >= NPZ_RANKS && a->n_dims == 2 && a->shape[1] == 3;
    for (int k = 0; alone && k < 3; k++)
        alone = !arrays_find(all, groups[g].columns[k]);
    return alone;
}

static int add_plain(struct glt_cloud *c, const struct arrays *all, const struct array *a,
                     bool coordinates)
{
    static const char *const xyz[] = {"x", "y", "z"};
    int64_t width = a->n_dims == 1 ? 1 : a->shape[1];
    int g = group_of(a->name);
    if (!coordinates && !is_cut(all, a, g))
        return cut_column(c, a, a->name, 0, (int32_t)width);
    const char *const *names = coordinates ? xyz : groups[g].columns;
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
        bool number = strchr("iufb", from->kind) != NULL;
        struct column *x;
        if (npy_is_padding(from->name, from->kind))
            continue;
        TRY(cloud_add_wide(&x, c, from->name, number ? from->type : GLT_U8,
                           number ? from->width : (int32_t)from->size));
        struct field field = {x->data, from->offset, from->size, 0, 0};
        if (c->n && from->size)
            rows_split(&field, 1, a->data, a->item_size, 0, c->n);
    }
    return 0;
}

static note_select select_note;

/* Bytes of the .npy file an array would be. */
static int keep_array(struct glt_cloud *c, const struct array *a)
{
    char key[300], *descr = NULL, *header = NULL, *all = NULL;
    size_t len = 0, bytes = (size_t)a->count * a->item_size;
    snprintf(key, sizeof key, NPZ_NOTE "%s", a->name);
    int code = npy_describe(&descr, a->fields, a->n_fields, a->structured);
    if (code == 0)
        code = npy_make_header(&header, &len, descr, a->shape, a->n_dims);
    if (code == 0 && !(all = memory_alloc(len + bytes, 1)))
        code = GLT_ENOMEM;
    if (code == 0) {
        memcpy(all, header, len);
        if (bytes)
            memcpy(all + len, a->data, bytes);
        code = cloud_set_point_note(c, key, all, len + bytes, select_note);
    }
    memory_free(descr);
    memory_free(header);
    memory_free(all);
    return code;
}

/* Rows of an array that has one for each of n points, instead of all. */
static int select_rows(struct array *a, const int64_t *rows, int64_t n_rows, int64_t n)
{
    size_t row = (size_t)(a->count / n) * a->item_size;
    unsigned char *data = memory_alloc((size_t)n_rows, row);
    if (!data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n_rows && row; i++)
        memcpy(data + (size_t)i * row, a->data + (size_t)rows[i] * row, row);
    memory_free(a->data);
    a->data = data;
    a->count = a->count / n * n_rows;
    a->shape[0] = n_rows;
    return 0;
}

/* The array a note keeps, under its name. */
static int note_array(struct array *a, const struct note *note)
{
    struct file *f;
    TRY(file_open_memory(&f, note->key, note->bytes, note->len));
    struct npy_file source = npy_file(f);
    int code = npy_read_array(a, &source.source);
    file_close(f);
    if (code == 0 && !(a->name = memory_string(note->key + strlen(NPZ_NOTE))))
        code = GLT_ENOMEM;
    return code;
}

/* An array with a row for each point keeps the chosen ones alone. */
static int select_note(struct glt_cloud *to, const struct note *note, const int64_t *rows,
                       int64_t n)
{
    struct array a = {0};
    int code = note_array(&a, note);
    if (code == 0 && a.n_dims > 0 && a.shape[0] == n && n > 0)
        code = select_rows(&a, rows, to->n, n);
    if (code == 0)
        code = keep_array(to, &a);
    array_clear(&a);
    return code;
}

bool npz_is_scale(const char *name, int64_t count)
{
    return (count == 1 || count == 3) && (!strcmp(name, "scale") || !strcmp(name, "origin"));
}

bool npz_note_is_scale(const struct note *note)
{
    struct array a = {0};
    bool good = note_array(&a, note) == 0;
    bool scale = !good || (is_numeric(&a) && npz_is_scale(a.name, a.count));
    array_clear(&a);
    return scale;
}

/* Whether an axis holds integers: in the array of points, or in one of its own. */
static bool has_whole_axis(const struct arrays *all, const struct array *points)
{
    static const char *const axes[] = {"x", "y", "z"};
    bool whole = points->n_dims == 2 && points->fields[0].kind != 'f';
    for (int d = 0; d < 3; d++) {
        const struct array *a = arrays_find(all, axes[d]);
        if (!points->structured && points->n_dims == 1 && a)
            whole = whole || a->fields[0].kind != 'f';
        for (int32_t k = 0; points->structured && k < points->n_fields; k++)
            whole = whole ||
                    (strcmp(points->fields[k].name, axes[d]) == 0 && points->fields[k].kind != 'f');
    }
    return whole;
}

static int apply_scale(struct glt_cloud *c, const struct array *a)
{
    static const char *const axes[] = {"x", "y", "z"};
    double v[3];
    TRY(array_values(v, GLT_F64, a, 0, a->count));
    for (int d = 0; d < 3; d++) {
        struct column *x = cloud_attribute(c, axes[d]);
        if (!x || x->type == GLT_F32 || x->type == GLT_F64)
            continue;
        *(a->name[0] == 'o' ? &x->offset : &x->scale) = v[a->count == 3 ? d : 0];
    }
    return 0;
}

/* Names of classes are told as in every other format: by comments. */
static int take_classes(struct glt_cloud *c, const struct arrays *all, bool *used)
{
    const struct array *a = arrays_find(all, NPZ_CLASSES);
    if (!a || a->structured || a->n_dims != 1 || !strchr("SU", a->fields[0].kind) ||
        a->count > NPZ_CLASSES_MOST)
        return 0;
    for (int64_t i = 0; i < a->count; i++) {
        char name[NPZ_CLASS_NAME], text[NPZ_CLASS_NAME + 32];
        TRY(array_text(name, sizeof name, a, i));
        snprintf(text, sizeof text, "class %d %s", (int)i, name);
        if (name[0])
            TRY(cloud_add_comment(c, text));
    }
    used[a - all->items] = true;
    return 0;
}

static int fill(struct glt_cloud *c, const struct arrays *all, const char *file, bool *used)
{
    const struct array *points = find_points(all);
    if (!points)
        return error_set(GLT_EDATA,
                         "%s: no array of shape (points, 3 or more) is in it; call it xyz", file);
    bool whole = has_whole_axis(all, points);
    c->n = points->structured ? points->count : points->shape[0];
    for (int32_t i = 0; i < all->n; i++) {
        const struct array *a = &all->items[i];
        bool fits =
            is_numeric(a) && !(whole && npz_is_scale(a->name, a->count)) &&
            (a->n_dims == 1 || (a->n_dims == 2 && a->shape[1] > 0 && a->shape[1] <= VALUES_MOST));
        if (a == points && a->structured)
            TRY(add_structured(c, a));
        else if (fits && a->shape[0] == c->n)
            TRY(add_plain(c, all, a, a == points && a->n_dims == 2));
        else
            continue;
        if (c->n_columns > COLUMNS_MOST)
            return error_set(GLT_ELIMIT, "%s: more than %d attributes: leave some arrays out", file,
                             COLUMNS_MOST);
        used[i] = true;
    }
    for (int32_t i = 0; whole && i < all->n; i++)
        if (is_numeric(&all->items[i]) && npz_is_scale(all->items[i].name, all->items[i].count)) {
            TRY(apply_scale(c, &all->items[i]));
            used[i] = true;
        }
    TRY(take_classes(c, all, used));
    for (int32_t i = 0; i < all->n; i++)
        if (!used[i])
            TRY(keep_array(c, &all->items[i]));
    return 0;
}

static int read(struct glt_cloud *c, struct file *f, const struct format_options *o)
{
    (void)o;
    struct arrays all = {0};
    TRY(arrays_read_file(&all, f));
    bool *used = memory_alloc((size_t)all.n, sizeof *used);
    int code = used ? fill(c, &all, file_name(f), used) : GLT_ENOMEM;
    memory_free(used);
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
