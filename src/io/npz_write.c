/* Writing clouds as .npz: x y z together as xyz (n, 3), red green blue as rgb, nx ny nz as normals
 * when their types agree; every other column is an array of its own; columns cut out of one array
 * go back into it. Scaled coordinates stay integers beside their scale and origin. */
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "io/npy_header.h"
#include "io/npz_cloud.h"
#include "io/rows.h"
#include "io/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 12, NAME = 300 };

/* The array a column belongs to and its place there: "rgb[1]" is place 1 of rgb. */
static int32_t place_of(char array[NAME], const struct glt_cloud *c, const struct column *x)
{
    static const char *const known[][4] = {
        {"xyz", "x", "y", "z"}, {"rgb", "red", "green", "blue"}, {"normals", "nx", "ny", "nz"}};
    const char *name = column_spelling(c, x, "npz");
    const char *bracket = strrchr(name, '[');
    size_t len = strlen(name);
    if (bracket && len < NAME && name[len - 1] == ']' && bracket[1] >= '0' && bracket[1] <= '9') {
        snprintf(array, NAME, "%.*s", (int)(bracket - name), name);
        return atoi(bracket + 1);
    }
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 3; k++)
            if (strcmp(name, known[g][k + 1]) == 0) {
                snprintf(array, NAME, "%s", known[g][0]);
                return k;
            }
    snprintf(array, NAME, "%s", name);
    return -1;
}

/* How many columns from i on are places 0, 1, 2 ... of one array; 1 if it stands alone. */
static int32_t group_size(char array[NAME], const struct glt_cloud *c, int32_t i)
{
    const struct column *first = &c->columns[i];
    int32_t place = place_of(array, c, first), n = 1;
    if (place == 0 && first->width == 1 && !first->start) {
        char other[NAME];
        while (i + n < c->n_columns) {
            const struct column *x = &c->columns[i + n];
            if (x->type != first->type || x->width != 1 || x->start || place_of(other, c, x) != n ||
                strcmp(other, array) != 0)
                break;
            n++;
        }
    }
    bool known = !strcmp(array, "xyz") || !strcmp(array, "rgb") || !strcmp(array, "normals");
    bool cut = strchr(column_spelling(c, first, "npz"), '[') != NULL;
    if (place >= 0 && !cut && (!known || n != 3)) {
        snprintf(array, NAME, "%s", first->name); /* an x without its y and z */
        return 1;
    }
    return n;
}

static int begin_array(struct zip *z, const char *name, const struct array_field *x,
                       const int64_t *shape, int32_t n_dims)
{
    char member[NAME + 8], *descr = NULL, *header = NULL;
    size_t len;
    snprintf(member, sizeof member, "%s.npy", name);
    for (char *s = member; *s; s++) /* a member must not name a place outside its archive */
        if (*s == '/' || *s == '\\')
            *s = '_';
    int code = npy_describe(&descr, x, 1, false);
    if (code == 0)
        code = npy_make_header(&header, &len, descr, shape, n_dims);
    if (code == 0)
        code = zip_begin(z, member);
    if (code == 0)
        code = zip_put(z, header, len);
    memory_free(descr);
    memory_free(header);
    return code;
}

static int put_rows(struct zip *z, const struct column *x, int32_t n, int64_t rows)
{
    struct field fields[64];
    size_t row = 0;
    if (n == 1) {
        size_t size = type_size(x->type) * (size_t)x->width;
        return zip_put(z, x->data, (size_t)rows * size);
    }
    for (int32_t k = 0; k < n; k++) {
        size_t size = type_size(x[k].type);
        fields[k] = (struct field){x[k].data, row, size, 0, 0};
        row += size;
    }
    unsigned char *block = memory_alloc(BLOCK, row);
    if (!block)
        return GLT_ENOMEM;
    int code = 0;
    for (int64_t i = 0; i < rows && code == 0; i += BLOCK) {
        int64_t now = rows - i < BLOCK ? rows - i : BLOCK;
        rows_join(block, fields, n, row, i, now);
        code = zip_put(z, block, (size_t)now * row);
    }
    memory_free(block);
    return code;
}

static int write_group(struct zip *z, const struct glt_cloud *c, int32_t i, int32_t n,
                       const char *array)
{
    const struct column *x = &c->columns[i];
    struct array_field field = array_field(x);
    bool cut = strchr(column_spelling(c, x, "npz"), '[') != NULL;
    int64_t shape[2] = {c->n, n > 1 || cut ? n : x->width};
    field.width = 1;
    field.size = type_size(x->type);
    TRY(begin_array(z, array, &field, shape, n > 1 || cut || x->width > 1 ? 2 : 1));
    TRY(put_rows(z, x, n, c->n));
    return zip_end(z);
}

static int write_numbers(struct zip *z, const char *name, const double *v)
{
    static char nameless[] = "";
    struct array_field field = {nameless, 'f', GLT_F64, 0, 8, 1};
    int64_t three = 3;
    TRY(begin_array(z, name, &field, &three, 1));
    TRY(zip_put(z, v, 3 * sizeof *v));
    return zip_end(z);
}

static int write_scale(struct zip *z, const struct glt_cloud *c)
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
    TRY(write_numbers(z, "scale", scale));
    return write_numbers(z, "origin", origin);
}

static int write_all(struct zip *z, const struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns;) {
        char array[NAME];
        if (c->columns[i].start) {
            log_message(GLT_LOG_WARNING, "npz has no lists of several lengths: %s is left out",
                        c->columns[i++].name);
            continue;
        }
        int32_t n = group_size(array, c, i);
        n = n > 64 ? 64 : n;
        TRY(write_group(z, c, i, n, array));
        i += n;
    }
    TRY(write_scale(z, c));
    for (int32_t i = 0; i < c->n_notes; i++) {
        const struct note *note = &c->notes[i];
        char member[NAME + 8];
        if (strncmp(note->key, "npz.", 4) != 0)
            continue;
        snprintf(member, sizeof member, "%.290s.npy", note->key + 4);
        TRY(zip_begin(z, member));
        TRY(zip_put(z, note->bytes, note->len));
        TRY(zip_end(z));
    }
    return zip_finish(z);
}

int npz_write(const struct glt_cloud *c, struct file *f, const struct cloud_options *o)
{
    struct zip *z;
    TRY(zip_create(&z, f, o->encoding && strcmp(o->encoding, "compressed") == 0));
    int code = write_all(z, c);
    zip_free(z);
    return code;
}
