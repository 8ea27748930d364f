/* Items from clouds: see item.h. */
#include "sampling/item.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/angle.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "geometry/order.h"
#include "sampling/normalise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRAIN = 1 << 14 }; /* the fewest rows worth a thread */

int item_new(struct item *x, int64_t n, int32_t extra, bool labels)
{
    if (n > INT32_MAX)
        return error_topic(error_set(GLT_ELIMIT,
                                     "%" PRId64 " points are more than %d: cut the cloud up", n,
                                     INT32_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    struct item y = {.n = (int32_t)n, .extra = extra, .rows = n, .category = -1};
    y.xyz = memory_alloc((size_t)n, 3 * sizeof *y.xyz);
    y.row = memory_alloc((size_t)n, sizeof *y.row);
    y.features = extra ? memory_alloc((size_t)n, (size_t)extra * sizeof *y.features) : NULL;
    y.labels = labels ? memory_alloc((size_t)n, sizeof *y.labels) : NULL;
    if (!y.xyz || !y.row || (extra && !y.features) || (labels && !y.labels)) {
        item_clear(&y);
        return GLT_ENOMEM;
    }
    for (int32_t i = 0; i < y.n; i++)
        y.row[i] = i;
    *x = y;
    return 0;
}

void item_clear(struct item *x)
{
    memory_free(x->xyz);
    memory_free(x->features);
    memory_free(x->labels);
    memory_free(x->row);
    *x = (struct item){.category = -1};
}

int64_t item_bytes(const struct item *x)
{
    return (int64_t)x->n * (16 + 4 * x->extra + (x->labels ? 4 : 0));
}

/* The divisor that brings readings to 0..1. It depends on their range, as for colours, because
 * their type may be an accident of the file. 1 % of the readings that are not 0 may exceed it, so
 * that a few glints do not change the unit of a whole cloud. */
static double intensity_scale(const float *v, int64_t n, int32_t stride)
{
    int64_t readings = 0, above_1 = 0, above_255 = 0;
    for (int64_t i = 0; i < n; i++) {
        float size = isfinite(v[i * stride]) ? fabsf(v[i * stride]) : 0;
        readings += size > 0;
        above_1 += size > 1;
        above_255 += size > 255;
    }
    return above_255 > readings / 100 ? 65535 : above_1 > readings / 100 ? 255 : 1;
}

struct fill_job {
    float *dst; /* (n; stride) */
    const struct column *from;
    int64_t stride;
    double scale;
};

static void convert_rows(void *user, int64_t begin, int64_t end)
{
    const struct fill_job *f = user;
    column_convert(f->dst + begin * f->stride, GLT_F32, (size_t)f->stride * sizeof *f->dst, f->from,
                   begin, end - begin);
}

static void scale_rows(void *user, int64_t begin, int64_t end)
{
    const struct fill_job *f = user;
    for (int64_t i = begin * f->stride; i < end * f->stride; i += f->stride)
        f->dst[i] = isfinite(f->dst[i]) ? (float)((double)f->dst[i] / f->scale) : 0;
}

static int fill_attribute(float *dst, const struct glt_cloud *c, const char *attribute,
                          const char *input, int32_t stride, const char *name)
{
    const struct column *x = cloud_attribute(c, attribute);
    if (!x || x->start || x->width != 1)
        return error_topic(
            error_in(GLT_EDATA, name,
                     "no attribute '%s', which inputs name as %s; take another of inputs "
                     "(xyz needs nothing but coordinates)",
                     attribute, input),
            GLT_TOPIC_INPUTS, attribute);
    struct fill_job f = {dst, x, stride, 1};
    parallel_for(c->n, GRAIN, convert_rows, &f);
    if (!strcmp(attribute, "intensity"))
        f.scale = intensity_scale(dst, c->n, stride);
    parallel_for(c->n, GRAIN, scale_rows, &f);
    return 0;
}

/* An optional attribute: 0 if the cloud lacks it or if all points have the same, since a file
 * without real numbers of returns has 1 everywhere. */
static int fill_optional(float *dst, const struct glt_cloud *c, const struct inputs *inputs,
                         const char *attribute, int32_t stride, const char *name)
{
    bool there = !inputs->hidden && cloud_attribute(c, attribute), varies = false;
    if (there)
        TRY(fill_attribute(dst, c, attribute, attribute, stride, name));
    for (int64_t i = 1; there && !varies && i < c->n; i++)
        varies = dst[i * stride] != dst[0];
    for (int64_t i = 0; !varies && i < c->n; i++)
        dst[i * stride] = 0;
    return 0;
}

static void fill_grey(struct item *x, float *dst)
{
    for (int64_t i = 0; i < x->n; i++)
        for (int k = 0; k < 3; k++)
            dst[i * x->extra + k] = INPUTS_GREY;
    x->grey = true;
}

static int fill_rgb(float *dst, const struct glt_cloud *c, int32_t stride, const char *name)
{
    static const char *const channels[] = {"red", "green", "blue"};
    for (int k = 0; k < 3; k++)
        TRY(fill_attribute(dst + k, c, channels[k], "rgb", stride, name));
    /* A division: 257 v / 65535 and v / 255 are the same float, so that LAS agrees with PLY. */
    double scale = cloud_colour_scale(c);
    for (int k = 0; k < 3; k++) {
        struct fill_job f = {dst + k, NULL, stride, scale > 0 ? round(1 / scale) : 1};
        parallel_for(c->n, GRAIN, scale_rows, &f);
    }
    return 0;
}

static int fill_features(struct item *x, const struct glt_cloud *c, const struct inputs *inputs,
                         const char *name)
{
    static const char *const normals[] = {"nx", "ny", "nz"};
    for (int32_t i = 0; i < inputs->n; i++) {
        float *dst = x->features + inputs->list[i].first;
        const char *input = inputs->list[i].name;
        bool rgb = inputs->list[i].first == inputs->rgb;
        if (rgb && inputs->rgb_optional && (inputs->rgb_hidden || cloud_colour_scale(c) == 0)) {
            fill_grey(x, dst);
        } else if (rgb) {
            TRY(fill_rgb(dst, c, x->extra, name));
        } else if (inputs->list[i].first == inputs->normals) {
            for (int k = 0; k < 3; k++)
                TRY(fill_attribute(dst + k, c, normals[k], input, x->extra, name));
        } else if (inputs->list[i].optional) {
            TRY(fill_optional(dst, c, inputs, input, x->extra, name));
        } else {
            TRY(fill_attribute(dst, c, input, input, x->extra, name));
        }
    }
    return 0;
}

int item_keep_finite(struct item *x, const char *name)
{
    int32_t kept = 0;
    size_t width = (size_t)x->extra * sizeof *x->features;
    for (int32_t i = 0; i < x->n; i++) {
        const float *p = x->xyz + 3 * (int64_t)i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            continue;
        memmove(x->xyz + 3 * (int64_t)kept, p, 3 * sizeof *p);
        if (width)
            memmove(x->features + (int64_t)kept * x->extra, x->features + (int64_t)i * x->extra,
                    width);
        if (x->labels)
            x->labels[kept] = x->labels[i];
        x->row[kept++] = x->row[i];
    }
    if (kept < x->n)
        log_warning(GLT_TOPIC_COORDINATES, "finite",
                    "%s: %d of %d points have coordinates that are not finite and are left out",
                    name, x->n - kept, x->n);
    x->n = kept;
    return kept ? 0
                : error_topic(error_in(GLT_EDATA, name, "no points with finite coordinates"),
                              GLT_TOPIC_COORDINATES, NULL);
}

static int find_step(struct item *x, const struct glt_cloud *c, const char *name)
{
    double step;
    TRY(cloud_step(&step, c));
    x->step = (float)step;
    if (step > 0)
        log_warning(GLT_TOPIC_COORDINATES, "precision",
                    "%s: coordinates are 32-bit floats of steps of %.3g: export doubles, or shift "
                    "before saving",
                    name, step);
    return 0;
}

int item_from_cloud(struct item *x, const struct glt_cloud *c, const struct inputs *inputs,
                    const char *name)
{
    return item_from_cloud_steps(x, c, inputs, 0, name);
}

int item_from_cloud_steps(struct item *x, const struct glt_cloud *c, const struct inputs *inputs,
                          double step, const char *name)
{
    struct item y;
    int code = item_new(&y, c->n, inputs->extra, false);
    if (code < 0)
        return error_prefix_file(code, name);
    y.lattice = step;
    code = step > 0 ? cloud_local_steps(y.origin, y.xyz, c, step) : cloud_local(y.origin, y.xyz, c);
    if (code == 0)
        code = fill_features(&y, c, inputs, name);
    if (code == 0)
        code = item_keep_finite(&y, name);
    if (code == 0)
        code = find_step(&y, c, name);
    if (code < 0)
        item_clear(&y);
    else
        *x = y;
    return code;
}

static int sort(struct item *x)
{
    if (order_holds(NULL, x->xyz, x->features, x->n, x->extra))
        return 0;
    struct arena scratch = arena_measuring();
    size_t widest = 4 * (size_t)(x->extra > 3 ? x->extra : 3);
    order_measure(&scratch, x->n);
    size_t bytes = scratch.peak + ((size_t)x->n * 4 + 64) + ((size_t)x->n * widest + 64);
    TRY(arena_init(&scratch, bytes));
    int32_t *order = arena_take(&scratch, (size_t)x->n, sizeof *order);
    order_rows(order, &scratch, x->xyz, x->features, x->n, x->extra);
    unsigned char *copy = arena_take(&scratch, (size_t)x->n, widest);
    order_apply(x->xyz, copy, order, x->n, 3 * sizeof *x->xyz);
    order_apply(x->features, copy, order, x->n, (size_t)x->extra * sizeof *x->features);
    order_apply(x->labels, copy, order, x->n, sizeof *x->labels);
    order_apply(x->row, copy, order, x->n, sizeof *x->row);
    arena_free(&scratch);
    return 0;
}

size_t item_sort_bytes(int32_t n, int32_t extra)
{
    struct arena a = arena_measuring();
    arena_take(&a, (size_t)n, 3 * sizeof(float));
    arena_take(&a, (size_t)n, (size_t)extra * sizeof(float));
    arena_take(&a, (size_t)n, sizeof(int32_t));
    arena_take(&a, (size_t)n, sizeof(int32_t));
    order_measure(&a, n);
    return a.peak;
}

void item_sort_rows(int32_t *rows, int32_t n, const struct item *x, const float centre[3],
                    struct arena *scratch)
{
    size_t mark = arena_mark(scratch);
    float *xyz = arena_take(scratch, (size_t)n, 3 * sizeof *xyz);
    float *features = arena_take(scratch, (size_t)n, (size_t)x->extra * sizeof *features);
    int32_t *order = arena_take(scratch, (size_t)n, sizeof *order);
    int32_t *copy = arena_take(scratch, (size_t)n, sizeof *copy);
    item_gather(xyz, features, x, rows, n, centre);
    if (order_rows(order, scratch, xyz, features, n, x->extra))
        order_apply(rows, copy, order, n, sizeof *rows);
    arena_reset(scratch, mark);
}

void item_gather(float *xyz, float *features, const struct item *x, const int32_t *rows, int32_t n,
                 const float centre[3])
{
    for (int64_t i = 0; i < n; i++) {
        int64_t from = rows[i];
        for (int k = 0; k < 3; k++)
            xyz[3 * i + k] = x->xyz[3 * from + k] - centre[k];
        if (x->extra)
            memcpy(features + i * x->extra, x->features + from * x->extra,
                   (size_t)x->extra * sizeof *features);
    }
}

int item_select(struct item *out, const struct item *x, const bool *kept)
{
    struct item y;
    int64_t extra = x->extra, n = 0, to = 0;
    for (int64_t i = 0; i < x->n; i++)
        n += kept[i];
    TRY(item_new(&y, n, x->extra, x->labels != NULL));
    for (int64_t i = 0; i < x->n; i++) {
        if (!kept[i])
            continue;
        memcpy(y.xyz + 3 * to, x->xyz + 3 * i, 3 * sizeof *y.xyz);
        if (extra)
            memcpy(y.features + to * extra, x->features + i * extra,
                   (size_t)extra * sizeof *y.features);
        if (x->labels)
            y.labels[to] = x->labels[i];
        y.row[to++] = x->row[i];
    }
    *out = *x;
    out->n = y.n;
    out->xyz = y.xyz;
    out->features = y.features;
    out->labels = y.labels;
    out->row = y.row;
    return 0;
}

int item_keep(struct item *x, const bool *kept)
{
    struct item y;
    TRY(item_select(&y, x, kept));
    item_clear(x);
    *x = y;
    return 0;
}

void item_find_low(struct item *x)
{
    memcpy(x->low, x->xyz, sizeof x->low);
    for (int64_t i = 0; i < x->n; i++)
        for (int k = 0; k < 3; k++)
            x->low[k] = x->xyz[3 * i + k] < x->low[k] ? x->xyz[3 * i + k] : x->low[k];
}

int item_finish(struct item *x, bool unit_sphere)
{
    TRY(sort(x)); /* so that the mean has the same bits for a shuffled file */
    if (unit_sphere) {
        normalise_sphere(x->xyz, NULL, x->n);
        TRY(sort(x));
    }
    item_find_low(x);
    return 0;
}

/* Turns the two level coordinates of a vector; `to` may be `from`. */
static void turn_vector(float *to, const float *from, int32_t up, float c, float s)
{
    int32_t a = (up + 1) % 3, b = (up + 2) % 3;
    float x = from[a], y = from[b];
    to[a] = c * x - s * y;
    to[b] = s * x + c * y;
}

void item_turn(struct item *to, const struct item *from, int32_t up, int32_t normals, double angle)
{
    double sine, cosine;
    angle_sincos(angle, &sine, &cosine);
    float c = (float)cosine, s = (float)sine;
    for (int64_t i = 0; i < from->n; i++)
        turn_vector(to->xyz + 3 * i, from->xyz + 3 * i, up, c, s);
    for (int64_t i = 0; normals >= 0 && i < from->n; i++)
        turn_vector(to->features + i * to->extra + normals,
                    from->features + i * from->extra + normals, up, c, s);
}

/* --- the source of one item --- */

static int take_alone(const struct item **out, void *user, int32_t i)
{
    (void)i;
    *out = user;
    return 0;
}

static void give_alone(void *user, int32_t i)
{
    (void)user;
    (void)i;
}

static int64_t points_alone(void *user, int32_t i)
{
    (void)i;
    return ((const struct item *)user)->n;
}

static const char *name_alone(void *user, int32_t i)
{
    (void)user;
    (void)i;
    return NULL;
}

int item_source_blame(const struct item_source *s, int32_t i, int code)
{
    const char *name = s->name(s->user, i);
    return name ? error_prefix_file(code, name) : code;
}

struct item_source item_alone(const struct item *x)
{
    return (struct item_source){.user = (struct item *)x,
                                .count = 1,
                                .take = take_alone,
                                .give = give_alone,
                                .points = points_alone,
                                .name = name_alone};
}
