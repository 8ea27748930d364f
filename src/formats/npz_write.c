/* Writing clouds as .npz, see npz_write.h: x y z together as xyz (n, 3), red green blue as rgb, nx
 * ny nz as normals if their types agree; every other column is an array of its own. Columns cut out
 * of one array are joined again if all of them exist and share a type. If all three coordinates are
 * scaled integers, they are kept with their scale and origin, unless something else has these
 * names; other scaled columns become doubles. */
#include "formats/npz_write.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "cloud/provenance.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/string.h"
#include "formats/arrays.h"
#include "formats/npy.h"
#include "formats/npz_layout.h"
#include "formats/rows.h"
#include "formats/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 12, NAME = 300 };

/* The array a column belongs to, and its index there: "rgb[1]" is 1 of rgb. */
static int32_t place_of(char array[NAME], const struct glt_cloud *c, const struct column *x)
{
    static const char *const arrays[] = {"xyz", "rgb", "normals"};
    static const char *const *const columns[] = {names_xyz, names_rgb, names_normal};
    const char *name = cloud_spelling(c, x, "npz");
    const char *bracket = strrchr(name, '[');
    size_t len = strlen(name);
    if (bracket && len < NAME && name[len - 1] == ']' && bracket[1] >= '0' && bracket[1] <= '9') {
        snprintf(array, NAME, "%.*s", (int)(bracket - name), name);
        return atoi(bracket + 1);
    }
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 3; k++)
            if (strcmp(name, columns[g][k]) == 0) {
                snprintf(array, NAME, "%s", arrays[g]);
                return k;
            }
    snprintf(array, NAME, "%s", name);
    return -1;
}

/* How many columns from i on make up one array; 1 if the column is alone, under its own name. */
static int32_t group_size(char array[NAME], const struct glt_cloud *c, int32_t i)
{
    const struct column *first = &c->columns[i];
    bool cut = strchr(cloud_spelling(c, first, "npz"), '[') != NULL;
    int32_t place = place_of(array, c, first), n = 0, all = 0;
    if (place < 0)
        return 1;
    for (int32_t k = 0; place == 0 && k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        char other[NAME];
        int32_t at = place_of(other, c, x);
        if (strcmp(other, array) != 0)
            continue;
        all++; /* counts also a column with the array's own name, which ends the group */
        n += k == i + at && at == n && x->type == first->type && column_is_single(x);
    }
    if (n > 0 && n == all && (cut || n == 3))
        return n;
    snprintf(array, NAME, "%s", first->name);
    return 1;
}

/* A repeated name gets a number, because readers find only the first of two members. After 2 it
 * counts from the number of members, so that many equal names do not take quadratic time. */
static int begin_member(struct zip *z, const char *name)
{
    enum { NAME_BYTES = 240 }; /* of the 255 bytes that a reader accepts */
    char member[NAME + 32];
    snprintf(member, sizeof member, "%.*s.npy", NAME_BYTES, name);
    bool taken = zip_has(z, member);
    for (size_t i = 2; zip_has(z, member); i = i > 2 ? i + 1 : zip_count(z) + 1)
        snprintf(member, sizeof member, "%.*s_%zu.npy", NAME_BYTES, name, i);
    if (taken)
        log_warning(GLT_TOPIC_DUPLICATE, member, "npz: a second array %.*s is written as %s",
                    NAME_BYTES, name, member);
    return zip_begin(z, member);
}

/* An array of plain items with one value each. */
static int begin_array(struct call *call, struct zip *z, const char *name, struct array_field item,
                       const int64_t *shape, int32_t n_dims)
{
    struct array a = {.fields = &item, .n_fields = 1, .n_dims = n_dims};
    char member[NAME], *header = NULL;
    size_t len;
    memcpy(a.shape, shape, (size_t)n_dims * sizeof *shape);
    snprintf(member, sizeof member, "%s", name);
    for (char *s = member; *s; s++) /* a member must not name a path outside the archive */
        if (*s == '/' || *s == '\\')
            *s = '_';
    TRY(npy_make_header(call, &header, &len, &a));
    TRY(begin_member(z, member));
    return zip_put(z, header, len);
}

/* Writes n columns of one type side by side. */
static int put_rows(struct call *call, struct zip *z, const struct column *x, int32_t n,
                    int64_t rows)
{
    size_t row;
    if (n == 1)
        return zip_put(z, x->data, (size_t)(rows * x->width) * type_size(x->type));
    struct field *fields = rows_fields(call, &row, x, n);
    unsigned char *block = fields ? call_alloc(call, BLOCK, row) : NULL;
    if (!block)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < rows; i += BLOCK) {
        int64_t now = rows - i < BLOCK ? rows - i : BLOCK;
        rows_join(block, fields, n, row, i, now);
        TRY(zip_put(z, block, (size_t)now * row));
    }
    return 0;
}

static int write_group(struct call *call, struct zip *z, const struct glt_cloud *c, int32_t i,
                       int32_t n, const char *array)
{
    const struct column *x = &c->columns[i];
    struct array_field field = npy_field(x);
    char cut[NAME];
    /* an array of shape (n, 1) stays two-dimensional */
    bool flat = n == 1 && x->width == 1 && (place_of(cut, c, x) != 0 || strcmp(cut, array) != 0);
    int64_t shape[2] = {c->n, n > 1 ? n : x->width};
    field.width = 1;
    field.size = type_size(x->type);
    TRY(begin_array(call, z, array, field, shape, flat ? 1 : 2));
    TRY(put_rows(call, z, x, n, c->n));
    return zip_end(z);
}

static int write_numbers(struct call *call, struct zip *z, const char *name, const double *v)
{
    struct array_field field = {.kind = 'f', .type = GLT_F64, .size = 8, .width = 1};
    int64_t three = 3;
    TRY(begin_array(call, z, name, field, &three, 1));
    TRY(zip_put(z, v, 3 * sizeof *v));
    return zip_end(z);
}

static int write_scale(struct call *call, struct zip *z, const struct glt_cloud *c)
{
    static const char *const axes[] = {"x", "y", "z"};
    double scale[3], origin[3];
    bool plain = true;
    for (int d = 0; d < 3; d++) {
        const struct column *x = cloud_attribute(c, axes[d]);
        if (!x)
            return 0;
        scale[d] = x->scale;
        origin[d] = x->offset;
        plain = plain && scale[d] == 1 && origin[d] == 0;
    }
    if (plain)
        return 0;
    TRY(write_numbers(call, z, "scale", scale));
    return write_numbers(call, z, "origin", origin);
}

/* One text for each number, empty where it has no name. */
static int write_classes(struct call *call, struct zip *z, const struct glt_cloud *c)
{
    int32_t n = classes_number_end(&c->classes);
    size_t longest = 1;
    if (n == 0 || cloud_attribute(c, NPZ_CLASSES) || cloud_note(c, NPZ_NOTE NPZ_CLASSES))
        return 0;
    if (n > NPZ_CLASSES_MAX) {
        log_warning(GLT_TOPIC_CLASSES, NULL,
                    "npz: class %d has a name, %d can have: names are left out", n - 1,
                    NPZ_CLASSES_MAX);
        return 0;
    }
    for (int32_t i = 0; i < c->classes.n; i++) {
        size_t len = strnlen(c->classes.names[i], NPZ_CLASS_NAME - 1);
        longest = len > longest ? len : longest;
    }
    struct array_field field = {.kind = 'S', .type = GLT_U8, .size = longest, .width = 1};
    int64_t shape = n;
    TRY(begin_array(call, z, NPZ_CLASSES, field, &shape, 1));
    for (int32_t i = 0; i < n; i++) {
        char text[NPZ_CLASS_NAME] = "";
        const char *name = classes_name(&c->classes, i);
        if (name)
            memcpy(text, name, strnlen(name, NPZ_CLASS_NAME - 1));
        TRY(zip_put(z, text, longest));
    }
    return zip_end(z);
}

/* One text for each line. */
static int put_provenance(struct call *call, struct zip *z, const char *lines)
{
    size_t longest = 1, len;
    int64_t n = 0;
    for (const char *at = lines; *at; at += len + 1, n++) {
        len = strcspn(at, "\n");
        longest = len > longest ? len : longest;
    }
    struct array_field field = {.kind = 'S', .type = GLT_U8, .size = longest, .width = 1};
    TRY(begin_array(call, z, NPZ_PROVENANCE, field, &n, 1));
    for (const char *at = lines; *at; at += len + 1) {
        char text[PROVENANCE_LINE] = "";
        len = strcspn(at, "\n");
        memcpy(text, at, len);
        TRY(zip_put(z, text, longest));
    }
    return zip_end(z);
}

static int write_provenance(struct call *call, struct zip *z, const struct glt_cloud *c)
{
    struct string lines = {0};
    if (cloud_attribute(c, NPZ_PROVENANCE) || cloud_note(c, NPZ_NOTE NPZ_PROVENANCE))
        return 0; /* the name has another meaning here */
    provenance_print(&lines, c);
    int code = lines.code;
    if (code == 0 && lines.len)
        code = put_provenance(call, z, lines.bytes);
    string_free(&lines);
    return code;
}

static bool is_axis(const struct column *x)
{
    return strlen(x->name) == 1 && strchr("xyz", x->name[0]);
}

/* Whether an attribute or kept array has the name of the scale or the origin; *mistaken = whether a
 * reader would take it for that beside integer axes. */
static bool has_scale_name(const struct glt_cloud *c, bool *mistaken)
{
    bool found = false;
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        char array[NAME];
        place_of(array, c, x);
        if (!npz_layout_is_scale(array, 1) && !npz_layout_is_scale(x->name, 1))
            continue;
        found = true;
        *mistaken = *mistaken || npz_layout_is_scale("scale", c->n * x->width);
    }
    for (int32_t i = 0; i < c->n_notes; i++) {
        const char *kept = npz_layout_kept(&c->notes[i]);
        if (!kept || !npz_layout_is_scale(kept, 1))
            continue;
        found = true;
        *mistaken = *mistaken || npz_layout_is_kept_scale(&c->notes[i]);
    }
    return found;
}

/* Whether the axes must be doubles: scale and origin can be written only for three integer axes,
 * and only if nothing else has their names. */
static bool axes_are_real(const struct glt_cloud *c)
{
    bool scaled = false, real = false, whole = false, mistaken = false;
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        bool is_real = type_is_real(x->type);
        scaled = scaled || (is_axis(x) && column_is_scaled(x));
        real = real || (is_axis(x) && is_real);
        whole = whole || (is_axis(x) && !is_real);
    }
    bool named = (scaled || whole) && has_scale_name(c, &mistaken);
    return (scaled && (real || named)) || (whole && mistaken);
}

/* Converts columns whose scale cannot be written to doubles; the others are borrowed. */
static int unscale(struct call *call, struct glt_cloud *plain, const struct glt_cloud *c)
{
    bool real = axes_are_real(c);
    *plain = *c;
    plain->columns = call_alloc(call, (size_t)c->n_columns, sizeof *plain->columns);
    if (!plain->columns)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        struct column *y = &plain->columns[k];
        *y = *x;
        if (x->start || (is_axis(x) ? !real : !column_is_scaled(x)))
            continue;
        int64_t items = c->n * x->width;
        y->type = GLT_F64;
        y->scale = 1;
        y->offset = 0;
        y->data = call_alloc(call, (size_t)items, sizeof(double));
        if (!y->data)
            return GLT_ENOMEM;
        column_convert(y->data, GLT_F64, 0, x, 0, items);
    }
    return 0;
}

/* The rank of the array that holds the axes. */
static int axes_rank(const struct glt_cloud *c)
{
    char array[NAME];
    for (int32_t i = 0; i < c->n_columns; i++)
        if (is_axis(&c->columns[i]))
            return group_size(array, c, i) >= 3 ? npz_layout_rank(array) : NPZ_RANKS;
    return NPZ_RANKS;
}

/* An attribute whose name and shape would make it the coordinates gets another name. */
static void rename_rival(char array[NAME], const struct column *x, int axes)
{
    int rank = npz_layout_rank(array);
    if (is_axis(x) || x->width < 3 || rank == NPZ_RANKS || rank > axes)
        return;
    snprintf(array, NAME, "%.*s_2", NAME - 8, x->name);
    log_warning(GLT_TOPIC_ATTRIBUTE, x->name,
                "npz: %s is written as %s: it would be taken for the coordinates", x->name, array);
}

static int write_all(struct call *call, struct zip *z, const struct glt_cloud *c)
{
    int axes = axes_rank(c);
    for (int32_t i = 0; i < c->n_columns;) {
        char array[NAME];
        if (c->columns[i].start) {
            log_warning(GLT_TOPIC_ATTRIBUTE, c->columns[i].name,
                        "npz has no lists of several lengths: %s is left out", c->columns[i].name);
            i++;
            continue;
        }
        int32_t n = group_size(array, c, i);
        rename_rival(array, &c->columns[i], axes);
        TRY(write_group(call, z, c, i, n, array));
        i += n;
    }
    TRY(write_scale(call, z, c));
    TRY(write_classes(call, z, c));
    TRY(write_provenance(call, z, c));
    for (int32_t i = 0; i < c->n_notes; i++) {
        const char *kept = npz_layout_kept(&c->notes[i]);
        if (!kept || cloud_attribute(c, kept))
            continue; /* not ours, or its name went to an attribute */
        TRY(begin_member(z, kept));
        TRY(zip_put(z, c->notes[i].bytes, c->notes[i].len));
        TRY(zip_end(z));
    }
    return zip_finish(z);
}

int npz_write(struct call *call, const struct glt_cloud *c, struct file *f,
              const struct format_options *o)
{
    struct zip *z;
    struct glt_cloud plain;
    TRY(unscale(call, &plain, c));
    TRY(zip_create(&z, f, o->encoding && strcmp(o->encoding, "compressed") == 0));
    int code = write_all(call, z, &plain);
    zip_free(z);
    return code;
}
