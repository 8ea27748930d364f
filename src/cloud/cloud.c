/* Clouds: see cloud.h. Invariant: every column holds (n, width) items, or start[n] items of a list,
 * from the moment its reader returns. cloud_free also accepts what a failed call leaves. */
#include "cloud/cloud.h"

#include "cloud/names.h"
#include "core/array.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COMMENTS_MAX = 1 << 16 }; /* each takes far more memory than its text */

int cloud_new(struct glt_cloud **out, int64_t n)
{
    if (n < 0)
        return error_topic(
            error_set(GLT_EARGUMENT, "a cloud cannot have %lld points", (long long)n),
            GLT_TOPIC_ARGUMENT, "n");
    struct glt_cloud *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    c->n = n;
    *out = c;
    return 0;
}

void cloud_clear_element(struct element *e)
{
    for (int32_t i = 0; i < e->n_columns; i++)
        column_clear(&e->columns[i]);
    memory_free(e->columns);
    memory_free(e->name);
    *e = (struct element){0};
}

void cloud_free(struct glt_cloud *c)
{
    if (!c)
        return;
    for (int32_t i = 0; i < c->n_columns; i++)
        column_clear(&c->columns[i]);
    for (int32_t i = 0; i < c->n_elements; i++)
        cloud_clear_element(&c->elements[i]);
    for (int32_t i = 0; i < c->n_comments; i++)
        memory_free(c->comments[i]);
    for (int32_t i = 0; i < c->n_notes; i++) {
        memory_free(c->notes[i].key);
        memory_free(c->notes[i].bytes);
    }
    memory_free(c->columns);
    memory_free(c->elements);
    memory_free(c->comments);
    classes_free(&c->classes);
    memory_free(c->notes);
    memory_free(c->path);
    memory_free(c);
}

const char *cloud_name(const struct glt_cloud *c)
{
    return c->path ? c->path : "the cloud";
}

struct column *cloud_attribute(const struct glt_cloud *c, const char *name)
{
    for (int32_t i = 0; i < c->n_columns; i++)
        if (strcmp(c->columns[i].name, name) == 0)
            return &c->columns[i];
    return NULL;
}

/* An error for a missing name, which lists the existing ones. */
static int refuse_name(const struct glt_cloud *c, const char *name)
{
    char names[400] = "";
    size_t at = 0;
    for (int32_t i = 0; i < c->n_columns && at < sizeof names - 64; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%.40s", i ? ", " : "",
                               c->columns[i].name);
    return error_topic(error_set(GLT_EDATA, "the cloud has no attribute %s; it has %s%s", name,
                                 at > 0 ? names : "none", at >= sizeof names - 64 ? ", .." : ""),
                       GLT_TOPIC_ATTRIBUTE, name);
}

int cloud_single(const struct column **out, const struct glt_cloud *c, const char *name)
{
    const struct column *x = cloud_attribute(c, name);
    if (!x)
        return refuse_name(c, name);
    if (!column_is_single(x))
        return error_topic(
            error_set(GLT_EDATA, "attribute %s holds a list of values per point, not one", name),
            GLT_TOPIC_ATTRIBUTE, name);
    *out = x;
    return 0;
}

int cloud_declare(struct column **out, struct glt_cloud *c, const char *name, enum glt_type type,
                  int32_t width)
{
    TRY(column_append(out, &c->columns, &c->n_columns, name, type));
    (*out)->width = width;
    return 0;
}

static int make_data(void **out, int64_t n, const char *name, enum glt_type type, int32_t width)
{
    size_t items;
    if (__builtin_mul_overflow((size_t)n, (size_t)width, &items))
        return error_topic(error_set(GLT_ELIMIT, "attribute %s: %lld x %d values are too many",
                                     name, (long long)n, width),
                           GLT_TOPIC_ATTRIBUTE, name);
    *out = memory_alloc(items, type_size(type));
    return *out ? 0 : GLT_ENOMEM;
}

int cloud_allocate(struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &c->columns[i];
        if (!x->data && !x->start)
            TRY(make_data(&x->data, c->n, x->name, x->type, x->width));
    }
    return 0;
}

int cloud_add_wide(struct column **out, struct glt_cloud *c, const char *name, enum glt_type type,
                   int32_t width)
{
    void *data = NULL;
    TRY(make_data(&data, c->n, name, type, width));
    int code = cloud_declare(out, c, name, type, width);
    if (code < 0)
        memory_free(data);
    else
        (*out)->data = data;
    return code;
}

int cloud_add_attribute(struct column **out, struct glt_cloud *c, const char *name,
                        enum glt_type type)
{
    return cloud_add_wide(out, c, name, type, 1);
}

void cloud_remove_attribute(struct glt_cloud *c, const char *name)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column x = c->columns[i];
        bool repeat = x.source && !strcmp(x.source, name) && strcmp(x.name, names_canonical(name));
        if (strcmp(x.name, name) == 0 || repeat)
            continue;
        c->columns[i] = c->columns[kept];
        c->columns[kept++] = x;
    }
    for (int32_t i = kept; i < c->n_columns; i++) /* name may be that of a column */
        column_clear(&c->columns[i]);
    c->n_columns = kept;
}

bool cloud_is_strided(const struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++)
        if (c->columns[i].stride)
            return true;
    return false;
}

bool cloud_is_las(const struct glt_cloud *c)
{
    return c->format && (!strcmp(c->format, "las") || !strcmp(c->format, "laz"));
}

const char *cloud_spelling(const struct glt_cloud *c, const struct column *x, const char *format)
{
    bool same =
        c->format && (!strcmp(c->format, format) || (cloud_is_las(c) && !strcmp(format, "las")));
    return same && x->source ? x->source : x->name;
}

int cloud_add_comment(struct glt_cloud *c, const char *text)
{
    if (c->n_comments == COMMENTS_MAX) {
        if (!c->more_comments)
            log_warning(GLT_TOPIC_SIZE_LIMIT, "comments",
                        "more than %d comments: the rest is left out", COMMENTS_MAX);
        c->more_comments = true;
        return 0;
    }
    TRY(array_reserve(&c->comments, c->n_comments, 1, sizeof *c->comments));
    char *copy = memory_string(text);
    if (!copy)
        return GLT_ENOMEM;
    c->comments[c->n_comments++] = copy;
    return classes_read_comment(&c->classes, copy);
}

void cloud_remove_comment(struct glt_cloud *c, int32_t i)
{
    memory_free(c->comments[i]);
    memmove(c->comments + i, c->comments + i + 1,
            (size_t)(--c->n_comments - i) * sizeof *c->comments);
}

int cloud_read_classes(struct glt_cloud *c)
{
    classes_free(&c->classes);
    for (int32_t i = 0; i < c->n_comments; i++)
        TRY(classes_read_comment(&c->classes, c->comments[i]));
    return 0;
}

const struct note *cloud_note(const struct glt_cloud *c, const char *key)
{
    for (int32_t i = 0; i < c->n_notes; i++)
        if (strcmp(c->notes[i].key, key) == 0)
            return &c->notes[i];
    return NULL;
}

/* The note of that key, added if missing; NULL without memory. */
static struct note *place_note(struct glt_cloud *c, const char *key)
{
    for (int32_t i = 0; i < c->n_notes; i++)
        if (strcmp(c->notes[i].key, key) == 0)
            return &c->notes[i];
    if (array_reserve(&c->notes, c->n_notes, 1, sizeof *c->notes) < 0)
        return NULL;
    struct note *note = &c->notes[c->n_notes];
    *note = (struct note){.key = memory_string(key)};
    c->n_notes += note->key != NULL;
    return note->key ? note : NULL;
}

int cloud_set_point_note(struct glt_cloud *c, const char *key, const void *bytes, size_t len,
                         note_select *select)
{
    unsigned char *copy = memory_alloc(len + 1, 1);
    struct note *note = copy ? place_note(c, key) : NULL;
    if (!note) {
        memory_free(copy);
        return GLT_ENOMEM;
    }
    if (len)
        memcpy(copy, bytes, len);
    memory_free(note->bytes);
    *note = (struct note){note->key, copy, len, select};
    return 0;
}

int cloud_set_note(struct glt_cloud *c, const char *key, const void *bytes, size_t len)
{
    return cloud_set_point_note(c, key, bytes, len, NULL);
}

static int copy_element(struct element *to, const struct element *from)
{
    to->n = from->n;
    to->name = memory_string(from->name);
    if (!to->name)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < from->n_columns; k++)
        TRY(column_append_shared(&to->columns, &to->n_columns, &from->columns[k]));
    return 0;
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

/* Copies format, path and comments. */
static int copy_origin(struct glt_cloud *to, const struct glt_cloud *c)
{
    to->format = c->format;
    if (c->path && !(to->path = memory_string(c->path)))
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n_comments; i++)
        TRY(cloud_add_comment(to, c->comments[i]));
    return 0;
}

static int fill_selection(struct glt_cloud *to, const struct glt_cloud *c, const int64_t *rows)
{
    TRY(copy_origin(to, c));
    for (int32_t i = 0; i < c->n_columns; i++)
        TRY(column_append_rows(&to->columns, &to->n_columns, &c->columns[i], rows, to->n));
    bool all = to->n == c->n;
    for (int64_t i = 0; all && i < c->n; i++)
        all = rows[i] == i;
    if (all && c->n_elements)
        TRY(copy_elements(to, c));
    for (int32_t i = 0; i < c->n_notes; i++) {
        const struct note *note = &c->notes[i];
        TRY(note->select ? note->select(to, note, rows, c->n)
                         : cloud_set_note(to, note->key, note->bytes, note->len));
    }
    return 0;
}

int cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= c->n)
            return error_topic(
                error_place(error_set(GLT_EARGUMENT,
                                      "row %lld is out of range (the cloud has %lld points)",
                                      (long long)rows[i], (long long)c->n),
                            GLT_PLACE_POINT, rows[i]),
                GLT_TOPIC_ARGUMENT, "rows");
    struct glt_cloud *to = NULL;
    TRY(cloud_new(&to, n));
    int code = fill_selection(to, c, rows);
    if (code < 0) {
        cloud_free(to);
        return code;
    }
    *out = to;
    return 0;
}

static int fill_shared(struct glt_cloud *to, const struct glt_cloud *c)
{
    TRY(copy_origin(to, c));
    for (int32_t i = 0; i < c->n_columns; i++)
        TRY(column_append_shared(&to->columns, &to->n_columns, &c->columns[i]));
    if (c->n_elements)
        TRY(copy_elements(to, c));
    for (int32_t i = 0; i < c->n_notes; i++) {
        const struct note *note = &c->notes[i];
        TRY(cloud_set_point_note(to, note->key, note->bytes, note->len, note->select));
    }
    return 0;
}

/* --- values derived from columns --- */

static int convert_all(void *dst, enum glt_type type, const struct glt_cloud *c, const char *name)
{
    const struct column *x = NULL;
    TRY(cloud_single(&x, c, name));
    column_convert(dst, type, 0, x, 0, c->n);
    return 0;
}

int cloud_attribute_as_f32(float *dst, const struct glt_cloud *c, const char *name)
{
    return convert_all(dst, GLT_F32, c, name);
}

int cloud_attribute_as_f64(double *dst, const struct glt_cloud *c, const char *name)
{
    return convert_all(dst, GLT_F64, c, name);
}

int cloud_attribute_as_i32(int32_t *dst, const struct glt_cloud *c, const char *name)
{
    return convert_all(dst, GLT_I32, c, name);
}

/* Three columns with one value per point each. */
static int find_three(const struct column *x[3], const struct glt_cloud *c,
                      const char *const names[3])
{
    for (int d = 0; d < 3; d++)
        TRY(cloud_single(&x[d], c, names[d]));
    return 0;
}

enum {
    BLOCK = 512,    /* points converted at a time, so that the copy stays in the cache */
    GRAIN = 1 << 14 /* the fewest points worth a thread */
};

int cloud_bounds(struct bounds *out, const struct glt_cloud *c)
{
    const struct column *xyz[3] = {0};
    TRY(find_three(xyz, c, names_xyz));
    struct bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    double p[3][BLOCK];
    for (int64_t i = 0; i < c->n; i += BLOCK) {
        int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
        for (int d = 0; d < 3; d++)
            column_convert(p[d], GLT_F64, 0, xyz[d], i, n);
        for (int64_t j = 0; j < n; j++) {
            if (!isfinite(p[0][j]) || !isfinite(p[1][j]) || !isfinite(p[2][j]))
                continue;
            b.finite++;
            for (int d = 0; d < 3; d++) {
                b.min[d] = p[d][j] < b.min[d] ? p[d][j] : b.min[d];
                b.max[d] = p[d][j] > b.max[d] ? p[d][j] : b.max[d];
            }
        }
    }
    *out = b;
    return 0;
}

/* step 0: no lattice */
struct local_job {
    float *xyz; /* (n, 3) */
    const struct column *column[3];
    double centre[3], step;
};

static void local_rows(void *user, int64_t begin, int64_t end)
{
    const struct local_job *l = user;
    double p[BLOCK];
    for (int64_t i = begin; i < end; i += BLOCK)
        for (int d = 0; d < 3; d++) {
            int64_t n = end - i < BLOCK ? end - i : BLOCK;
            double centre = l->centre[d], step = l->step;
            column_convert(p, GLT_F64, 0, l->column[d], i, n);
            for (int64_t j = 0; j < n; j++)
                l->xyz[3 * (i + j) + d] =
                    (float)(step > 0 ? step * rint((p[j] - centre) / step) : p[j] - centre);
        }
}

static int local(double origin[3], float *xyz, const struct glt_cloud *c, double step)
{
    struct local_job l = {.xyz = xyz, .step = step};
    struct bounds b;
    double whole = step > 1 ? step : 1;
    TRY(find_three(l.column, c, names_xyz));
    TRY(cloud_bounds(&b, c));
    for (int d = 0; d < 3; d++) {
        /* halves first: the sum of two huge bounds would be infinite */
        double middle = b.finite ? b.min[d] / 2 + b.max[d] / 2 : 0;
        l.centre[d] = whole * floor(middle / whole + 0.5);
    }
    parallel_for(c->n, GRAIN, local_rows, &l);
    memcpy(origin, l.centre, sizeof l.centre);
    return 0;
}

int cloud_local(double origin[3], float *xyz, const struct glt_cloud *c)
{
    return local(origin, xyz, c, 0);
}

int cloud_local_steps(double origin[3], float *xyz, const struct glt_cloud *c, double step)
{
    return local(origin, xyz, c, step);
}

double cloud_colour_scale(const struct glt_cloud *c)
{
    const struct column *rgb[3] = {0};
    bool real = false, wide = false;
    double max = 0, p[BLOCK];
    if (find_three(rgb, c, names_rgb) < 0)
        return 0;
    for (int k = 0; k < 3; k++) {
        real = real || type_is_real(rgb[k]->type);
        wide = wide || type_size(rgb[k]->type) > 1;
        for (int64_t i = 0; wide && i < c->n; i += BLOCK) {
            int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
            column_convert(p, GLT_F64, 0, rgb[k], i, n);
            for (int64_t j = 0; j < n; j++)
                max = p[j] > max ? p[j] : max;
        }
    }
    if (real && max <= 1)
        return 1;
    return max <= 255 ? 1.0 / 255 : 1.0 / 65535;
}

int cloud_colours(float *dst, const struct glt_cloud *c)
{
    const struct column *rgb[3] = {0};
    double scale = cloud_colour_scale(c), p[BLOCK];
    TRY(find_three(rgb, c, names_rgb));
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < c->n; i += BLOCK) {
            int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
            column_convert(p, GLT_F64, 0, rgb[k], i, n);
            for (int64_t j = 0; j < n; j++)
                dst[3 * (i + j) + k] = (float)(p[j] * scale);
        }
    return 0;
}

/* --- coordinates that 32-bit floats have made too coarse ---
 *
 * A float has 24 binary digits: near v its values are 2^(e - 24) apart, 2^e > |v|. A cloud around
 * its origin has steps of 1e-7 of its size, in any unit; one far from it (UTM metres: 0.5) has its
 * points on a lattice. The rule compares lengths of the cloud alone, so that neither millimetres
 * nor shapes of size one are reported: steps are too coarse beyond a quarter of the typical spacing
 * (points spread over the two longer sides of the box), or beyond a thousandth of the longest;
 * never if the box reaches the origin, where no shift would make them finer. */

static double step_at(double value)
{
    int exponent = 0;
    (void)frexp(value, &exponent);
    return ldexp(1, exponent - 24);
}

static bool is_coarse(double step, const struct bounds *b)
{
    double side[3], longest = 0, area = 0, farthest = 0;
    for (int d = 0; d < 3; d++) {
        side[d] = b->max[d] - b->min[d];
        farthest = fmax(farthest, fmax(fabs(b->min[d]), fabs(b->max[d])));
    }
    for (int d = 0; d < 3; d++) {
        longest = fmax(longest, side[d]);
        area = fmax(area, side[d] * side[(d + 1) % 3]);
    }
    double spacing = sqrt(area / (double)b->finite);
    return farthest > longest && (step > longest / 1000 || (area > 0 && step > spacing / 4));
}

int cloud_step(double *step, const struct glt_cloud *c)
{
    struct bounds b;
    double largest = 0;
    bool floats[3], any = false;
    for (int d = 0; d < 3; d++) {
        const struct column *x = cloud_attribute(c, names_xyz[d]);
        floats[d] = x && x->type == GLT_F32;
        any = any || floats[d];
    }
    *step = 0;
    if (!any)
        return 0;
    TRY(cloud_bounds(&b, c));
    if (b.finite < 2)
        return 0;
    for (int d = 0; d < 3; d++)
        if (floats[d])
            largest = fmax(largest, step_at(fmax(fabs(b.min[d]), fabs(b.max[d]))));
    *step = is_coarse(largest, &b) ? largest : 0;
    return 0;
}

/* --- the public interface --- */

int glt_cloud_create(struct glt_cloud **out, int64_t n)
{
    REQUIRE(out);
    if (n > INT32_MAX)
        return error_topic(error_set(GLT_ELIMIT, "a cloud of %lld points: at most %d are taken",
                                     (long long)n, INT32_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return cloud_new(out, n);
}

int64_t glt_cloud_count(const struct glt_cloud *c)
{
    REQUIRE(c);
    return c->n;
}

int glt_cloud_attribute(const struct glt_cloud *c, int i, const char **name, enum glt_type *type,
                        int *width)
{
    REQUIRE(c, name, type, width);
    if (i < 0 || i >= c->n_columns)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "attribute index %d is out of range (the cloud has %d)", i,
                                     c->n_columns),
                           GLT_TOPIC_ARGUMENT, "i");
    const struct column *x = &c->columns[i];
    *name = x->name;
    *type = x->type;
    *width = x->width;
    return 0;
}

int glt_cloud_get(const struct glt_cloud *c, const char *name, enum glt_type type, void *dst,
                  size_t stride)
{
    REQUIRE(c, name);
    if (c->n)
        REQUIRE(dst);
    const struct column *x = NULL;
    if (!type_is_known(type))
        return error_topic(error_set(GLT_EARGUMENT, "%d is not an attribute type", (int)type),
                           GLT_TOPIC_ARGUMENT, "type");
    TRY(cloud_single(&x, c, name));
    column_convert(dst, type, stride, x, 0, c->n);
    return 0;
}

static int check_attribute(const char *name, enum glt_type type)
{
    if (type_is_known(type) && name[0])
        return 0;
    return error_topic(
        error_set(GLT_EARGUMENT, "attribute \"%s\" of type %d is not possible", name, (int)type),
        GLT_TOPIC_ARGUMENT, name[0] ? "type" : "name");
}

/* One unscaled value per point. */
static void make_single(struct column *x, enum glt_type type)
{
    memory_free(x->start);
    x->start = NULL;
    x->type = type;
    x->width = 1;
    x->scale = 1;
    x->offset = 0;
}

int glt_cloud_set(struct glt_cloud *c, const char *name, enum glt_type type, const void *src,
                  size_t stride)
{
    REQUIRE(c, name);
    if (c->n)
        REQUIRE(src);
    TRY(check_attribute(name, type));
    size_t size = type_size(type);
    struct column *x = cloud_attribute(c, name);
    void *data = memory_alloc((size_t)c->n, size);
    if (!data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < c->n; i++)
        memcpy((unsigned char *)data + (size_t)i * size,
               (const unsigned char *)src + (size_t)i * (stride ? stride : size), size);
    int code = x ? 0 : cloud_declare(&x, c, name, type, 1);
    if (code < 0) {
        memory_free(data);
        return code;
    }
    column_replace(x, data);
    make_single(x, type);
    return 0;
}

int glt_cloud_borrow(struct glt_cloud *c, const char *name, enum glt_type type, const void *src,
                     size_t stride)
{
    REQUIRE(c, name);
    if (c->n)
        REQUIRE(src);
    TRY(check_attribute(name, type));
    size_t size = type_size(type);
    if ((uintptr_t)src % size || stride % size)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "attribute %s: its values are not aligned to their %zu bytes: "
                                     "copy them (glt_cloud_set)",
                                     name, size),
                           GLT_TOPIC_ARGUMENT, "src");
    struct column *x = cloud_attribute(c, name);
    if (!x)
        TRY(cloud_declare(&x, c, name, type, 1));
    column_replace(x, (void *)(uintptr_t)src);
    x->borrowed = true;
    x->stride = stride == size ? 0 : stride;
    make_single(x, type);
    return 0;
}

int glt_cloud_column(const struct glt_cloud *c, const char *name, struct glt_column *out)
{
    REQUIRE(c, name, out);
    TRY(error_size("glt_column", out->size, sizeof *out));
    const struct column *x = cloud_attribute(c, name);
    if (!x) /* for an error that lists the names */
        TRY(cloud_single(&x, c, name));
    size_t item = type_size(x->type) * (size_t)x->width;
    *out = (struct glt_column){.size = out->size,
                               .type = x->type,
                               .width = x->width,
                               .data = x->data,
                               .stride = x->stride ? x->stride : item,
                               .start = x->start,
                               .scale = x->scale,
                               .offset = x->offset};
    return 0;
}

int glt_cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows,
                     int64_t n)
{
    REQUIRE(out, c);
    if (n)
        REQUIRE(rows);
    return cloud_select(out, c, rows, n);
}

int glt_cloud_share(struct glt_cloud **out, const struct glt_cloud *c)
{
    REQUIRE(out, c);
    struct glt_cloud *to = NULL;
    TRY(cloud_new(&to, c->n));
    int code = fill_shared(to, c);
    if (code < 0)
        cloud_free(to);
    else
        *out = to;
    return code;
}

int glt_cloud_remove(struct glt_cloud *c, const char *name)
{
    REQUIRE(c, name);
    if (!cloud_attribute(c, name))
        return refuse_name(c, name);
    cloud_remove_attribute(c, name);
    return 0;
}

void glt_cloud_free(struct glt_cloud *c)
{
    cloud_free(c);
}
