/* Whether the configuration suits the clouds: see check_network.h. */
#include "task/check_network.h"

#include "config/config.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/print.h"
#include "core/random.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "geometry/lists.h"
#include "geometry/pyramid.h"
#include "sampling/batch.h"
#include "sampling/item.h"
#include "sampling/loader.h"
#include "sampling/sample.h"
#include "sampling/sampler.h"

#include <math.h>
#include <stdio.h>

/* --- tiles and levels --- */

/* Number of tiles examined, maximum number of their scenes, and edges tried. */
enum { TILES = 32, SCENES = 8, ROUNDS = 16 };

struct look {
    struct check *check;
    enum split split;
    double held[TILES]; /* points in each tile */
    int64_t n;
    double widest; /* of the scenes, along x or y */
};

static int draw_tiles(struct look *k, const struct item *x, double edge, int tiles)
{
    struct random_key key = {.seed = (uint64_t)k->check->config.seed, .epoch = 1};
    struct sampling_settings s = {.block = edge};
    float centre[3];
    struct call *call = &k->check->call;
    int64_t mark = call_mark(call);
    int32_t *rows = call_alloc(call, (size_t)x->n + 1, sizeof *rows);
    if (!rows)
        return GLT_ENOMEM;
    for (int i = 0; i < tiles && k->n < TILES; i++, k->n++) {
        key.sample = (uint32_t)k->n;
        k->held[k->n] = sample_tile(rows, centre, x, &s, key);
    }
    call_reset(call, mark);
    return 0;
}

/* The median number of points in tiles of this edge, around points of scenes spread over the
 * split. */
static int hold(int32_t *out, struct look *k, double edge)
{
    struct dataset *d = k->check->data;
    int32_t all = dataset_count(d, k->split), scenes = all < SCENES ? all : SCENES;
    k->n = 0;
    for (int32_t i = 0; i < scenes; i++) {
        const struct item *x;
        int32_t at = (int32_t)((int64_t)i * all / scenes);
        TRY(dataset_take(&x, d, k->split, at));
        int code = draw_tiles(k, x, edge, (TILES + scenes - 1) / scenes);
        dataset_give(d, k->split, at);
        TRY(code);
    }
    *out = (int32_t)check_median(k->held, k->n);
    return 0;
}

/* Rounds up to two digits. */
static double rounded_up(double x)
{
    double unit = pow(10, floor(log10(x)) - 1);
    return ceil(x / unit - 1e-9) * unit;
}

/* An edge at which tiles hold about a sample, or the scenes are whole. */
static int widen(double *edge, int32_t *held, struct look *k)
{
    double points = k->check->config.sampling.points;
    for (int i = 0; i < ROUNDS && *held < 0.75 * points && *edge < 2 * k->widest; i++) {
        *edge = rounded_up(*edge * fmin(16, fmax(1.1, sqrt(points / (*held > 1 ? *held : 1)))));
        TRY(hold(held, k, *edge));
    }
    return 0;
}

/* *sample: points of one, with the proposal applied. */
static int report_tiles(int32_t *sample, struct look *k)
{
    const struct config *o = &k->check->config;
    double edge = o->sampling.block;
    int32_t now, held;
    char advice[128] = "";
    TRY(hold(&now, k, edge));
    *sample = now < o->sampling.points ? now : o->sampling.points;
    if (now >= o->sampling.points / 4) {
        check_say(k->check, "tiles", CHECK_NOTE, "",
                  "tiles of edge %g hold %d points (median), samples up to %d", edge, now,
                  o->sampling.points);
        return 0;
    }
    held = now;
    TRY(widen(&edge, &held, k));
    *sample = held < o->sampling.points ? held : o->sampling.points;
    int len = 0;
    if (held > now) /* else each scene is one tile */
        len += print_to(advice, sizeof advice, "block=%g", edge);
    if (held < o->sampling.points / 4)
        len += snprintf(advice + len, sizeof advice - (size_t)len, "%spoints=%d", len ? " " : "",
                        held);
    if (held < o->sampling.block_min)
        snprintf(advice + len, sizeof advice - (size_t)len, "%sblock_min=%d", len ? " " : "",
                 held / 2);
    check_propose(
        k->check, "tiles", advice,
        "tiles of edge %g hold %d points (median), but a sample has %d: %s%sgives samples "
        "of about %d",
        o->sampling.block, now, o->sampling.points, advice, *advice ? " " : "", *sample);
    return 0;
}

/* Shapes are taken whole; for parts, some points are taken twice. */
static int shape_sample(int32_t *sample, struct look *k)
{
    struct dataset *d = k->check->data;
    *sample = k->check->config.sampling.points;
    if (d->task == TASK_PARTS)
        return 0;
    TRY(dataset_measure(d, k->split));
    int32_t n = dataset_count(d, k->split);
    double *sizes = call_alloc(&k->check->call, (size_t)n + 1, sizeof *sizes);
    if (!sizes)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        sizes[i] = (double)d->split[k->split].list[i].n;
    double size = check_median(sizes, n);
    *sample = size < *sample ? (int32_t)size : *sample;
    return 0;
}

/* The paper's first level keeps two points in three. */
static void report_levels(struct check *c, int32_t sample)
{
    const struct config *o = &c->config;
    int l = 0;
    while (l < CONFIG_LEVELS && o->network.levels[l] >= sample)
        l++;
    if (l == 0 || sample < 1)
        return;
    int32_t first = sample * 2 / 3 > 32 ? sample * 2 / 3 / 32 * 32 : sample * 2 / 3;
    char advice[32];
    snprintf(advice, sizeof advice, "levels=%d", first > 1 ? first : 1);
    check_propose(c, "levels", advice,
                  "level %d keeps %d points, but a sample has %d: it keeps them all; set %s, or "
                  "take samples of more points",
                  l, o->network.levels[l - 1], sample, advice);
}

int check_tiles(struct check *c)
{
    struct look k = {.check = c, .split = SPLIT_TRAIN};
    int32_t sample = 0;
    while (k.split < SPLIT_TEST && dataset_count(c->data, k.split) == 0)
        k.split++;
    for (int32_t i = 0; i < c->n; i++)
        for (int a = 0; a < 2; a++)
            k.widest = fmax(k.widest, c->clouds[i].extent[a]);
    TRY(c->data->task == TASK_SEGMENT ? report_tiles(&sample, &k) : shape_sample(&sample, &k));
    report_levels(c, sample);
    return 0;
}

/* --- balls --- */

/* Samples examined; points of a ball are counted up to this number. */
enum { SAMPLES = 8, BALL_MAX = 512 };

struct level {
    int64_t centres[2], alone[2], over[2]; /* of block 1 and 2 */
    double *radius;                        /* (n) distances to the k-th nearest */
    int64_t n;
};

struct balls {
    struct level level[PYRAMID_LEVELS];
    int64_t samples;
};

static void count_balls(struct balls *b, const struct pyramid *p, const struct config *c)
{
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        for (int block = 0; block < 2; block++) {
            const struct neighbours *x = &p->block[l][block];
            b->level[l].centres[block] += x->centres;
            for (int32_t i = 0; i < x->centres; i++) {
                int32_t n = x->start[i + 1] - x->start[i];
                b->level[l].alone[block] += n <= 1;
                b->level[l].over[block] += n > config_k(c, l, block);
            }
        }
    }
}

/* Distance to the farthest of the k nearest, for every centre of block 1. */
static int measure_balls(struct balls *b, const struct pyramid *p)
{
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        struct level *v = &b->level[l];
        const struct neighbours *x = &p->block[l][0];
        TRY(array_reserve(&v->radius, v->n, x->centres, sizeof *v->radius));
        for (int32_t i = 0; i < x->centres; i++) {
            const float *c = p->level_xyz[l + 1] + 3 * (int64_t)i;
            double far = 0;
            for (int32_t e = x->start[i]; e < x->start[i + 1]; e++) {
                const float *q = p->level_xyz[l] + 3 * (int64_t)x->index[e];
                double dx = (double)(q[0] - c[0]), dy = (double)(q[1] - c[1]),
                       dz = (double)(q[2] - c[2]);
                far = fmax(far, dx * dx + dy * dy + dz * dz);
            }
            v->radius[v->n++] = sqrt(far);
        }
    }
    return 0;
}

/* One pass over the first samples of an epoch; knn: distances instead of counts. */
static int pass(struct balls *b, const struct check *check, enum split s, bool knn)
{
    struct dataset *d = check->data;
    struct loader *l;
    const struct batch *batch = NULL;
    const struct config *c = &check->config;
    struct loader_options o = {.samples = {.task = d->task,
                                           .inputs = d->inputs,
                                           .sampling = c->sampling,
                                           .augment = c->augment,
                                           .seed = (uint64_t)c->seed},
                               .batch = 1,
                               .pyramid = sampler_pyramid(&c->network, d->task, c->seed),
                               .ahead = 1};
    o.pyramid.decoder = 0;
    o.pyramid.pad = 0; /* repeated points are no neighbours */
    o.pyramid.rule = knn ? NEIGHBOURS_KNN : NEIGHBOURS_FIRST;
    for (int i = 0; i < PYRAMID_LEVELS && !knn; i++) {
        int32_t k = o.pyramid.k[i] > o.pyramid.k2[i] ? o.pyramid.k[i] : o.pyramid.k2[i];
        o.pyramid.k[i] = BALL_MAX > k ? BALL_MAX : k + 1;
        o.pyramid.k2[i] = 0;
    }
    TRY(dataset_items(&o.items, d, s));
    TRY(loader_open(&l, &o));
    int code = loader_start(l, 1, 0);
    for (int64_t i = 0; code == 0 && i < SAMPLES; i++) {
        code = loader_next(l, &batch);
        if (code < 0 || !batch)
            break;
        if (knn)
            code = measure_balls(b, &batch->pyramid);
        else
            count_balls(b, &batch->pyramid, c);
        b->samples += !knn;
    }
    loader_close(l);
    return code;
}

/* Two digits are enough for a suggestion. */
static double rounded(double x)
{
    if (!(x > 0))
        return 0;
    double unit = pow(10, floor(log10(x)) - 1);
    return round(x / unit) * unit;
}

static double share(int64_t part, int64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

/* Radii that do not grow are no advice: the levels have the same points, or fewer than k. */
static bool grows(const double ladder[PYRAMID_LEVELS])
{
    for (int l = 1; l < PYRAMID_LEVELS; l++)
        if (!(ladder[l] > ladder[l - 1]))
            return false;
    return ladder[0] > 0;
}

static void report_balls(struct check *c, struct balls *b)
{
    const struct config *o = &c->config;
    double ladder[PYRAMID_LEVELS];
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        struct level *v = &b->level[l];
        ladder[l] = rounded(check_median(v->radius, v->n));
        for (int block = 0; block < 2; block++) {
            double r = o->network.radius[l] * (block ? o->network.radius2_factor : 1);
            check_say(c, "balls", CHECK_NOTE, "",
                      "level %d block %d, radius %g: %.1f %% hold only their centre, %.1f %% more "
                      "than k = %d",
                      l + 1, block + 1, r, share(v->alone[block], v->centres[block]),
                      share(v->over[block], v->centres[block]), config_k(o, l, block));
        }
    }
    if (!grows(ladder)) {
        check_say(
            c, "radius", CHECK_NOTE, "",
            "balls of about k points would not grow from level to level (%g, %g, %g, %g): let "
            "each level leave points out, then look again",
            ladder[0], ladder[1], ladder[2], ladder[3]);
        return;
    }
    char advice[128];
    print_to(advice, sizeof advice, "radius=%g,%g,%g,%g", ladder[0], ladder[1], ladder[2],
             ladder[3]);
    check_propose(c, "radius", advice, "balls of about k points (median of %lld samples): set %s",
                  (long long)b->samples, advice);
}

int check_balls(struct check *c)
{
    struct dataset *d = c->data;
    enum split s = SPLIT_TRAIN;
    while (s < SPLIT_TEST && dataset_count(d, s) == 0)
        s++;
    struct balls b = {0};
    if (c->config.network.neighbours == CONFIG_KNN) /* the nearest are taken, however far */
        return 0;
    int code = pass(&b, c, s, false);
    if (code == 0)
        code = pass(&b, c, s, true);
    if (code == 0)
        report_balls(c, &b);
    for (int l = 0; l < PYRAMID_LEVELS; l++)
        memory_free(b.level[l].radius);
    return code;
}
