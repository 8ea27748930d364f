/* Changes that convert makes to a cloud, in this order: crop, subsample, up, scale, shift, other
 * numbers for the labels. */
#include "io/edit.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/random.h"
#include "io/cloud.h"

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

struct edit edit_start(void)
{
    return (struct edit){.up = 2};
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
        TRY(take_numbers(&e->scale, 1, key, value));
        if (!(e->scale > 0 && isfinite(e->scale)))
            return error_set(GLT_EARGUMENT, "scale=%s: a factor above 0 is needed", value);
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
                         "up=x|y|z, scale=FACTOR, shift=x,y,z and map=old:new,...",
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
static int move(struct glt_cloud *c, double scale, const double by[3])
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int d = 0; d < 3; d++) {
        struct column *x = cloud_attribute(c, axes[d]);
        if (!x || x->start || x->width != 1)
            return error_set(GLT_EDATA, "the cloud has no coordinate %s to move", axes[d]);
        if (x->type != GLT_F32 && x->type != GLT_F64) {
            x->scale *= scale;
            x->offset = x->offset * scale + by[d];
            continue;
        }
        double *v = memory_alloc((size_t)c->n, sizeof *v);
        if (!v)
            return GLT_ENOMEM;
        for (int64_t i = 0; i < c->n; i++)
            v[i] = column_value(x, i) * scale + by[d];
        memory_free(x->data);
        x->data = v;
        x->type = GLT_F64;
    }
    return 0;
}

static int map_labels(struct glt_cloud *c, const struct edit *e)
{
    const char *name = cloud_attribute(c, "label") ? "label" : "classification";
    struct column *x = cloud_attribute(c, name);
    int32_t *v = memory_alloc((size_t)c->n, sizeof *v), min = 0, max = 0;
    int code = v ? cloud_attribute_as_i32(v, c, name) : GLT_ENOMEM;
    for (int64_t i = 0; code == 0 && i < c->n; i++) {
        for (int32_t k = 0; k < e->n_map; k++)
            if (v[i] == e->map[k][0]) {
                v[i] = e->map[k][1];
                break;
            }
        min = v[i] < min ? v[i] : min;
        max = v[i] > max ? v[i] : max;
    }
    if (code < 0) {
        memory_free(v);
        return code;
    }
    bool small = min >= 0 && max <= UINT8_MAX;
    struct column from = {.type = GLT_I32, .width = 1, .scale = 1, .data = v};
    void *data = memory_alloc((size_t)c->n, small ? 1 : 4);
    if (data) {
        column_convert(data, small ? GLT_U8 : GLT_I32, 0, &from, 0, c->n);
        memory_free(x->data);
        x->data = data;
        x->type = small ? GLT_U8 : GLT_I32;
        x->scale = 1;
        x->offset = 0;
        cloud_remove_attribute(c, "scalar_label"); /* it would tell the old numbers */
    }
    memory_free(v);
    return data ? cloud_map_classes(c, e->map, e->n_map) : GLT_ENOMEM;
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
    for (int32_t i = 0; code == 0 && i < c->n_elements - to->n_elements; i++)
        log_message(GLT_LOG_WARNING,
                    "the element %s (%lld of them) is left out: it names points "
                    "that are gone",
                    c->elements[i].name, (long long)c->elements[i].n);
    if (code == 0 && e->up != 2)
        code = turn(to, e->up, axes, true);
    if (code == 0 && e->up != 2)
        code = turn(to, e->up, normals, false);
    if (code == 0 && (e->has_shift || e->scale > 0))
        code = move(to, e->scale > 0 ? e->scale : 1, e->shift);
    if (code == 0 && e->n_map)
        code = map_labels(to, e);
    if (code < 0)
        cloud_free(to);
    else
        *out = to;
    return code;
}
