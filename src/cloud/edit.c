/* Changes that convert makes to a cloud, in this order: crop, subsample, up, scale, shift, other
 * numbers for the labels. */
#include "cloud/edit.h"
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Exactly n numbers separated by commas. */
static int take_numbers(double *dst, int n, const char *key, const char *text)
{
    const char *at = text, *end = text + strlen(text);
    for (int i = 0; i < n; i++) {
        at = number_parse_double(&dst[i], at, end);
        bool last = i + 1 == n;
        if (!at || (last ? at != end : at == end || *at != ','))
            return error_set(GLT_EARGUMENT, "%s=%s: %d numbers separated by commas are needed", key,
                             text, n);
        at += !last;
    }
    return 0;
}

/* "3:0,4:0,-1:255"; pairs that are not named keep their number. */
static int take_map(struct edit *e, const char *text)
{
    const char *at = text, *end = text + strlen(text);
    while (at < end) {
        int64_t pair[2];
        if (e->n_map == EDIT_MAP)
            return error_set(GLT_EARGUMENT, "map=%s: more than %d pairs", text, EDIT_MAP);
        for (int i = 0; i < 2; i++) {
            at = number_parse_int(&pair[i], at, end);
            bool good = at && pair[i] >= INT32_MIN && pair[i] <= INT32_MAX &&
                        (i ? at == end || *at == ',' : at < end && *at == ':');
            if (!good)
                return error_set(GLT_EARGUMENT, "map=%s: pairs like 3:0,4:1 are needed", text);
            at += at < end;
        }
        e->map[e->n_map][0] = (int32_t)pair[0];
        e->map[e->n_map++][1] = (int32_t)pair[1];
    }
    return 0;
}

/* One factor for all axes, or one for each. */
static int take_scale(struct edit *e, const char *text)
{
    bool three = strchr(text, ',') != NULL;
    if (take_numbers(e->scale, three ? 3 : 1, "scale", text) < 0)
        return error_set(GLT_EARGUMENT, "scale=%s: a factor, or three with commas, is needed",
                         text);
    for (int d = 0; d < 3; d++) {
        if (!three)
            e->scale[d] = e->scale[0];
        if (!(e->scale[d] > 0 && isfinite(e->scale[d])))
            return error_set(GLT_EARGUMENT, "scale=%s: factors above 0 are needed", text);
    }
    e->has_scale = true;
    return 0;
}

struct edit edit_start(void)
{
    return (struct edit){.up = 2, .scale = {1, 1, 1}};
}

int edit_option(struct edit *e, const char *key, const char *value)
{
    static const char axes[] = "xyz";
    int64_t n;
    if (strcmp(key, "crop") == 0) {
        TRY(take_numbers(e->crop, 6, key, value));
        e->has_crop = true;
    } else if (strcmp(key, "shift") == 0) {
        TRY(take_numbers(e->shift, 3, key, value));
        e->has_shift = true;
    } else if (strcmp(key, "scale") == 0) {
        TRY(take_scale(e, value));
    } else if (strcmp(key, "up") == 0 && strlen(value) == 1 && strchr(axes, value[0])) {
        e->up = (int)(strchr(axes, value[0]) - axes);
    } else if (strcmp(key, "subsample") == 0 && number_is_int(&n, value) && n > 0) {
        e->subsample = n;
    } else if (strcmp(key, "seed") == 0 && number_is_int(&n, value) && n >= 0) {
        e->seed = (uint64_t)n;
    } else if (strcmp(key, "map") == 0) {
        TRY(take_map(e, value));
    } else {
        return error_set(GLT_EARGUMENT,
                         "edit option %s=%s: known are crop=x,y,z,X,Y,Z, subsample=N, seed=N, "
                         "up=x|y|z, scale=FACTOR|x,y,z, shift=x,y,z and map=old:new,...",
                         key, value);
    }
    return 0;
}

/* Rows that stay, ascending; *n of them. */
static int choose_rows(int64_t *rows, int64_t *n, const struct glt_cloud *c, const struct edit *e)
{
    static const char *const axes[] = {"x", "y", "z"};
    const struct column *xyz[3];
    *n = 0;
    for (int d = 0; d < 3; d++)
        if (!(xyz[d] = cloud_attribute(c, axes[d])) && e->has_crop)
            return error_set(GLT_EDATA, "the cloud has no coordinates to crop by");
    for (int64_t i = 0; i < c->n; i++) {
        bool inside = true;
        for (int d = 0; d < 3 && e->has_crop; d++) {
            double v = column_value(xyz[d], i);
            inside = inside && v >= e->crop[d] && v <= e->crop[3 + d];
        }
        if (inside)
            rows[(*n)++] = i;
    }
    if (!e->subsample || e->subsample >= *n)
        return 0;
    if (*n > INT32_MAX)
        return error_set(GLT_ELIMIT, "at most 2^31 points can be subsampled: crop first");
    int32_t *drawn = memory_alloc((size_t)e->subsample, sizeof *drawn);
    if (!drawn)
        return GLT_ENOMEM;
    struct random r = random_start(random_stream(e->seed, 0, 0, RANDOM_CONVERT), 0);
    random_sample(&r, drawn, (int32_t)e->subsample, (int32_t)*n);
    for (int64_t i = 0; i < e->subsample; i++) /* drawn ascends, so nothing is overwritten early */
        rows[i] = rows[drawn[i]];
    *n = e->subsample;
    memory_free(drawn);
    return 0;
}

/* What was called x, y, z (nx, ny, nz) is now called y, z, x until `up` is called z: the axes
 * change places in a ring, which is a turn in space (no mirror image), and no number changes. */
static int turn(struct glt_cloud *c, int up, const char *const axes[3], bool needed)
{
    struct column *a[3], old[3];
    for (int d = 0; d < 3; d++) {
        if (!(a[d] = cloud_attribute(c, axes[d])))
            return needed ? error_set(GLT_EDATA, "the cloud has no coordinate %s to turn", axes[d])
                          : 0;
        old[d] = *a[d];
    }
    for (int d = 0; d < 3; d++) {
        const struct column *from = &old[(up + 1 + d) % 3];
        char *name = a[d]->name, *source = a[d]->source;
        *a[d] = *from;
        a[d]->name = name;
        a[d]->source = source;
    }
    return 0;
}

/* v * scale + by. Scaled integers change their scale and offset; reals become double, so that
 * nothing is lost. */
static int move(struct glt_cloud *c, const double scale[3], const double by[3])
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int d = 0; d < 3; d++) {
        struct column *x = cloud_attribute(c, axes[d]);
        if (!x || x->start || x->width != 1)
            return error_set(GLT_EDATA, "the cloud has no coordinate %s to move", axes[d]);
        if (x->type != GLT_F32 && x->type != GLT_F64) {
            x->scale *= scale[d];
            x->offset = x->offset * scale[d] + by[d];
            continue;
        }
        double *v = memory_alloc((size_t)c->n, sizeof *v);
        if (!v)
            return GLT_ENOMEM;
        for (int64_t i = 0; i < c->n; i++)
            v[i] = column_value(x, i) * scale[d] + by[d];
        memory_free(x->data);
        x->data = v;
        x->type = GLT_F64;
    }
    return 0;
}

/* A surface that is stretched along one axis turns: its normals go by the inverse factors, and get
 * their length back. Integers are left, and told. */
static void turn_normals(struct glt_cloud *c, const double scale[3])
{
    static const char *const names[] = {"nx", "ny", "nz"};
    struct column *x[3];
    if (scale[0] == scale[1] && scale[1] == scale[2])
        return;
    for (int d = 0; d < 3; d++) {
        if (!(x[d] = cloud_attribute(c, names[d])))
            return;
        bool real = x[d]->type == GLT_F32 || x[d]->type == GLT_F64;
        if (x[d]->start || x[d]->width != 1 || !real) {
            log_message(GLT_LOG_WARNING, "normals that are integers stay as they are, which is "
                                         "wrong where factors differ");
            return;
        }
    }
    for (int64_t i = 0; i < c->n; i++) {
        double v[3], before = 0, after = 0;
        for (int d = 0; d < 3; d++) {
            double old = column_value(x[d], i);
            v[d] = old / scale[d];
            before += old * old;
            after += v[d] * v[d];
        }
        for (int d = 0; d < 3 && after > 0; d++) {
            double unit = v[d] * sqrt(before / after);
            if (x[d]->type == GLT_F32)
                ((float *)x[d]->data)[i] = (float)unit;
            else
                ((double *)x[d]->data)[i] = unit;
        }
    }
}

/* The number a value becomes; false if the map does not name it. */
static bool find_pair(double *to, const struct edit *e, double v)
{
    for (int32_t k = 0; k < e->n_map; k++)
        if (v == e->map[k][0]) {
            *to = e->map[k][1];
            return true;
        }
    return false;
}

/* Whether a type of integers does. */
static bool holds(enum glt_type type, double min, double max)
{
    static const double least[] = {INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0, -0x1p63, 0};
    static const double most[] = {INT8_MAX,  UINT8_MAX,  INT16_MAX,     UINT16_MAX,
                                  INT32_MAX, UINT32_MAX, 0x1p63 - 1024, 0x1p64 - 2048};
    return min >= least[type] && max <= most[type];
}

/* The column's own type if it holds the new numbers, else the smallest that holds them beside the
 * values that stay; scaled integers become doubles. */
static int choose_type(enum glt_type *out, const struct column *x, int64_t n, const struct edit *e)
{
    static const enum glt_type wider[] = {GLT_U8, GLT_I32, GLT_I64};
    bool exact = true;
    double min = 0, max = 0, low = 0, high = 0; /* of the new numbers, of those that stay */
    *out = x->scale != 1 || x->offset != 0 ? GLT_F64 : x->type;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(x, i), to;
        if (find_pair(&to, e, v)) {
            min = to < min ? to : min;
            max = to > max ? to : max;
            exact = exact && (double)(float)to == to;
        } else {
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    }
    if (*out == GLT_F32 && !exact)
        *out = GLT_F64;
    if (*out == GLT_F32 || *out == GLT_F64 || holds(*out, min, max))
        return 0;
    for (int i = 0; i < 3; i++)
        if (holds(wider[i], min < low ? min : low, max > high ? max : high)) {
            *out = wider[i];
            return 0;
        }
    return error_set(GLT_EDATA, "%s from %g to %g: no type holds these beside %g", x->name, low,
                     high, min);
}

/* Values that the map does not name stay what they are, to the last bit. */
static int map_labels(struct glt_cloud *c, const struct edit *e)
{
    const char *name = cloud_attribute(c, "label") ? "label" : "classification";
    const struct column *from = NULL;
    enum glt_type type = GLT_F64;
    TRY(column_plain(&from, c, name));
    TRY(choose_type(&type, from, c->n, e));
    struct column *x = cloud_attribute(c, name);
    size_t size = type_size(type);
    unsigned char *data = memory_alloc((size_t)c->n, size);
    if (!data)
        return GLT_ENOMEM;
    column_convert(data, type, 0, x, 0, c->n);
    for (int64_t i = 0; i < c->n; i++) {
        double to;
        struct column number = {.type = GLT_F64, .width = 1, .scale = 1, .data = &to};
        if (find_pair(&to, e, column_value(x, i)))
            column_convert(data + (size_t)i * size, type, 0, &number, 0, 1);
    }
    memory_free(x->data);
    x->data = data;
    x->type = type;
    x->scale = 1;
    x->offset = 0;
    cloud_remove_attribute(c, "scalar_label"); /* it would tell the old numbers */
    return cloud_map_classes(c, e->map, e->n_map);
}

/* Most often the box is in another unit, or around another origin. */
static void tell_empty(const struct glt_cloud *c)
{
    struct bounds b;
    if (cloud_bounds(&b, c) == 0)
        log_message(GLT_LOG_WARNING,
                    "crop leaves no point: the cloud reaches from %.10g,%.10g,%.10g to "
                    "%.10g,%.10g,%.10g",
                    b.min[0], b.min[1], b.min[2], b.max[0], b.max[1], b.max[2]);
}

int edit_cloud(struct glt_cloud **out, const struct glt_cloud *c, const struct edit *e)
{
    static const char *const axes[] = {"x", "y", "z"}, *const normals[] = {"nx", "ny", "nz"};
    struct glt_cloud *to = NULL;
    int64_t *rows = memory_alloc((size_t)c->n, sizeof *rows), n = 0;
    int code = rows ? choose_rows(rows, &n, c, e) : GLT_ENOMEM;
    if (code == 0)
        code = cloud_select(&to, c, rows, n);
    memory_free(rows);
    if (code == 0 && n == 0 && c->n > 0)
        tell_empty(c);
    for (int32_t i = 0; code == 0 && i < c->n_elements - to->n_elements; i++)
        log_message(GLT_LOG_WARNING,
                    "the element %s (%lld of them) is left out: it names points "
                    "that are gone",
                    c->elements[i].name, (long long)c->elements[i].n);
    if (code == 0 && e->up != 2)
        code = turn(to, e->up, axes, true);
    if (code == 0 && e->up != 2)
        code = turn(to, e->up, normals, false);
    if (code == 0 && (e->has_shift || e->has_scale))
        code = move(to, e->scale, e->shift);
    if (code == 0 && e->has_scale)
        turn_normals(to, e->scale);
    if (code == 0 && (e->up != 2 || e->has_shift || e->has_scale))
        code = cloud_set_note(to, "moved", "", 0);
    if (code == 0 && e->n_map)
        code = map_labels(to, e);
    if (code < 0)
        cloud_free(to);
    else
        *out = to;
    return code;
}
