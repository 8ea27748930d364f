/* From points to batches: see sampler.h. A cloud becomes a batch of one, whose labels at coarser
 * levels are a prefix of those at level 0; joining copies those batches one after the other. */
#include "sampling/sampler.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "geometry/order.h"
#include "geometry/pyramid.h"
#include "sampling/normalise.h"

#include <math.h>
#include <string.h>

_Static_assert((int)NEIGHBOURS_RANDOM == (int)CONFIG_RANDOM &&
                   (int)NEIGHBOURS_FIRST == (int)CONFIG_FIRST &&
                   (int)NEIGHBOURS_NEAREST == (int)CONFIG_NEAREST &&
                   (int)NEIGHBOURS_KNN == (int)CONFIG_KNN,
               "the words of `neighbours` and geometry's rules are numbered alike");

struct pyramid_options sampler_pyramid(const struct network_settings *n, int32_t task, int64_t seed)
{
    struct pyramid_options o = {.radius2_factor = (float)n->radius2_factor,
                                .rule = (enum neighbour_rule)n->neighbours,
                                .fps_start = n->fps_start,
                                .pad = n->underfull == UNDERFULL_PAD,
                                .decoder = task != TASK_CLASSIFY,
                                .seed = (uint64_t)seed};
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        o.levels[l] = n->levels[l];
        o.k[l] = n->k[l];
        o.k2[l] = n->k2[l];
        o.radius[l] = (float)n->radius[l];
    }
    return o;
}

/* --- memory --- */

/* Takes the arrays of a batch except its pyramid: rows n[l] at each level. */
static void take_rows(struct batch *x, struct arena *a, const int32_t n[PYRAMID_LEVELS + 1],
                      bool labels)
{
    x->features = arena_take(a, (size_t)n[0], (size_t)x->channels * sizeof *x->features);
    x->row = arena_take(a, (size_t)n[0], sizeof *x->row);
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        x->labels[l] = labels ? arena_take(a, (size_t)n[l], sizeof *x->labels[l]) : NULL;
    int32_t **each[] = {&x->category, &x->class_first, &x->class_count, &x->item};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = arena_take(a, (size_t)x->clouds, sizeof(int32_t));
}

/* One cloud stores its labels only once. */
static void take_part(struct batch *x, struct arena *a, int32_t points, bool labels)
{
    take_rows(x, a, (int32_t[PYRAMID_LEVELS + 1]){points}, labels);
    for (int l = 1; l <= PYRAMID_LEVELS; l++)
        x->labels[l] = x->labels[0];
}

/* Scratch of one cloud. */
struct work {
    int32_t *order; /* (n) canonical */
    float *xyz;     /* (n, 3) in that order */
    float *placed;  /* (n, 3) normalised, as given */
};

static struct work take_work(struct arena *a, int32_t points)
{
    return (struct work){.order = arena_take(a, (size_t)points, sizeof(int32_t)),
                         .xyz = arena_take(a, (size_t)points, 3 * sizeof(float)),
                         .placed = arena_take(a, (size_t)points, 3 * sizeof(float))};
}

static int measure(size_t *part, size_t *work, const struct pyramid_options *o, int32_t channels,
                   int32_t points)
{
    struct arena a = arena_measuring(), w = arena_measuring();
    struct batch x = {.clouds = 1, .channels = channels};
    TRY(pyramid_bytes(part, o, points));
    take_part(&x, &a, points, true);
    take_work(&w, points);
    order_measure(&w, points);
    *part += a.peak;
    *work = w.peak;
    return 0;
}

int sampler_bytes(size_t *bytes, const struct pyramid_options *o, int32_t channels, int32_t clouds,
                  int32_t points)
{
    size_t part, work;
    TRY(measure(&part, &work, o, channels, points));
    *bytes = (size_t)clouds * part + work;
    return 0;
}

int sampler_batch_bytes(size_t *bytes, const struct pyramid_options *o, int32_t channels,
                        int32_t clouds, int32_t points)
{
    enum { ARRAYS = 16 }; /* further arrays of a joined pyramid, each rounded up */
    struct arena a = arena_measuring();
    struct batch x = {.clouds = clouds, .channels = channels};
    int32_t n[PYRAMID_LEVELS + 1] = {points};
    size_t kept;
    TRY(pyramid_kept_bytes(&kept, o, points));
    for (int l = 1; l <= PYRAMID_LEVELS; l++) {
        n[l] = o->levels[l - 1] < n[l - 1] ? o->levels[l - 1] : n[l - 1];
        kept += (size_t)n[l] * 4 * sizeof(float); /* shared by the levels before joining */
    }
    take_rows(&x, &a, n, true);
    *bytes = (size_t)clouds * (kept + a.peak) + ARRAYS * (size_t)64;
    return 0;
}

int sampler_reserve(struct sampler *s, int32_t clouds, int32_t points)
{
    if (clouds <= s->clouds && points <= s->points)
        return 0;
    size_t part, work;
    sampler_free(s);
    TRY(measure(&part, &work, &s->pyramid, s->channels, points));
    s->parts = memory_alloc((size_t)clouds, sizeof *s->parts);
    s->pyramids = memory_alloc((size_t)clouds, sizeof *s->pyramids);
    int code = s->parts && s->pyramids ? arena_init(&s->arena, (size_t)clouds * part) : GLT_ENOMEM;
    if (code == 0)
        code = arena_init(&s->work, work);
    if (code < 0) {
        sampler_free(s);
        return code;
    }
    s->clouds = clouds;
    s->points = points;
    return 0;
}

void sampler_free(struct sampler *s)
{
    memory_free(s->parts);
    memory_free(s->pyramids);
    arena_free(&s->arena);
    arena_free(&s->work);
    *s = (struct sampler){.pyramid = s->pyramid, .channels = s->channels};
}

/* --- one cloud --- */

void sampler_begin(struct sampler *s)
{
    s->n = 0;
    arena_reset(&s->arena, 0);
}

/* The canonical order of the points in network coordinates: w->order, w->xyz. */
static void place(struct work *w, struct sampler *s, const struct sampler_cloud *c)
{
    const float *xyz = c->xyz;
    int32_t extra = s->channels - 3;
    order_rows(w->order, &s->work, xyz, c->features, c->n, extra);
    if (c->sphere) {
        memcpy(w->placed, xyz, (size_t)c->n * 3 * sizeof *xyz);
        xyz = w->placed;
        normalise_sphere(w->placed, w->order, c->n);
        /* rounding may have made different coordinates equal */
        if (!order_holds(w->order, xyz, c->features, c->n, extra))
            order_rows(w->order, &s->work, xyz, c->features, c->n, extra);
    }
    for (int64_t i = 0; i < c->n; i++)
        memcpy(w->xyz + 3 * i, xyz + 3 * (int64_t)w->order[i], 3 * sizeof *xyz);
}

/* Fills the network rows of the only cloud of x; order maps canonical rows to rows of the cloud. */
static void fill_rows(struct batch *x, const struct sampler_cloud *c, const int32_t *order)
{
    int64_t channels = x->channels, extra = channels - 3;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t from = order[x->pyramid.order[i]];
        float *dst = x->features + i * channels;
        memcpy(dst, c->seen ? c->seen + 3 * from : x->pyramid.xyz + 3 * i, 3 * sizeof *dst);
        if (extra)
            memcpy(dst + 3, c->features + from * extra, (size_t)extra * sizeof *dst);
        x->row[i] = c->row ? c->row[from] : (int32_t)from;
        if (c->labels)
            x->labels[0][i] = c->labels[x->row[i]];
    }
    x->item[0] = c->item;
    x->category[0] = c->category;
    x->class_first[0] = c->class_first;
    x->class_count[0] = c->class_count;
}

static int check_finite(const float *values, int64_t n, int64_t width, const char *what)
{
    for (int64_t i = 0; i < n * width; i++)
        if (!isfinite(values[i]))
            return error_topic(error_place(error_set(GLT_EARGUMENT, "row %lld: a %s is not finite",
                                                     (long long)(i / width), what),
                                           GLT_PLACE_POINT, (i / width)),
                               GLT_TOPIC_COORDINATES, what);
    return 0;
}

int sampler_add(struct sampler *s, const struct sampler_cloud *c)
{
    ASSERT(c->n > 0 && !(c->seen && c->sphere));
    if (s->n == s->clouds || c->n > s->points)
        return error_topic(error_set(GLT_ELIMIT, "cloud %d of %d points: the capacity is %d of %d",
                                     s->n + 1, c->n, s->clouds, s->points),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    TRY(check_finite(c->xyz, c->n, 3, "coordinate"));
    TRY(check_finite(c->features, c->n, s->channels - 3, "feature"));
    struct batch *x = &s->parts[s->n];
    struct pyramid_options o = s->pyramid;
    o.seed = c->key.seed;
    o.epoch = c->key.epoch;
    o.sample = c->key.sample;
    arena_reset(&s->work, 0);
    struct work w = take_work(&s->work, c->n);
    place(&w, s, c);
    *x = (struct batch){.clouds = 1, .channels = s->channels};
    take_part(x, &s->arena, c->n, c->labels != NULL);
    TRY(pyramid_build(&x->pyramid, &s->arena, &o, w.xyz, c->n));
    fill_rows(x, c, w.order);
    s->pyramids[s->n++] = &x->pyramid;
    return 0;
}

/* --- a batch --- */

static void copy_cloud(struct batch *x, const struct batch *part, int32_t b)
{
    int64_t first = x->pyramid.first[0][b], n = part->pyramid.n[0];
    memcpy(x->features + first * x->channels, part->features,
           (size_t)(n * x->channels) * sizeof *x->features);
    memcpy(x->row + first, part->row, (size_t)n * sizeof *x->row);
    for (int l = 0; l <= PYRAMID_LEVELS && x->labels[l]; l++)
        memcpy(x->labels[l] + x->pyramid.first[l][b], part->labels[l],
               (size_t)part->pyramid.n[l] * sizeof *x->labels[l]);
    x->item[b] = part->item[0];
    x->category[b] = part->category[0];
    x->class_first[b] = part->class_first[0];
    x->class_count[b] = part->class_count[0];
}

int sampler_join(struct batch *out, const struct sampler *s, struct arena *slot)
{
    if (!slot) {
        ASSERT(s->n == 1);
        *out = s->parts[0];
        return 0;
    }
    struct batch x = {.clouds = s->n, .channels = s->channels};
    struct arena a = arena_measuring();
    int32_t n[PYRAMID_LEVELS + 1] = {0};
    bool labels = true;
    for (int32_t b = 0; b < s->n; b++) {
        labels &= s->parts[b].labels[0] != NULL;
        for (int l = 0; l <= PYRAMID_LEVELS; l++)
            n[l] += s->parts[b].pyramid.n[l];
    }
    take_rows(&x, &a, n, labels);
    TRY(arena_reserve(slot, a.peak + pyramid_join_bytes(s->pyramids, s->n)));
    take_rows(&x, slot, n, labels);
    pyramid_join(&x.pyramid, slot, s->pyramids, s->n);
    for (int32_t b = 0; b < s->n; b++)
        copy_cloud(&x, &s->parts[b], b);
    *out = x;
    return 0;
}
