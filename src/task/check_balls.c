/* What the balls of the network hold on this data: how many hold nothing but their own centre (the
 * layer learns nothing there), how many hold more than k (a random choice is made), and the radii
 * at which a ball of each level would hold about k points. */
#include "task/check.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "sampling/loader.h"
#include "sampling/sampler.h"

#include <math.h>

/* Samples looked at; a ball is counted up to this many points. */
enum { SAMPLES = 8, BALL_MOST = 512 };

struct level {
    int64_t centres[2], alone[2], over[2]; /* of block 1 and 2 */
    double *radius;                        /* (n) distances to the k-th nearest */
    int64_t n;
};

struct balls {
    struct level level[PYRAMID_LEVELS];
    int64_t samples;
};

static void count_balls(struct balls *b, const struct pyramid *p, const int32_t *k)
{
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        for (int block = 0; block < 2; block++) {
            const struct neighbours *x = &p->block[l][block];
            b->level[l].centres[block] += x->centres;
            for (int32_t i = 0; i < x->centres; i++) {
                int32_t n = x->start[i + 1] - x->start[i];
                b->level[l].alone[block] += n <= 1;
                b->level[l].over[block] += n > k[l];
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
static int pass(struct balls *b, struct dataset *d, enum split s, bool knn)
{
    struct loader *l;
    const struct batch *batch = NULL;
    const struct config *c = &d->config;
    struct loader_options o = {.samples = {.task = d->task,
                                           .inputs = d->inputs,
                                           .sampling = c->sampling,
                                           .augment = c->augment,
                                           .seed = (uint64_t)c->seed},
                               .train = true,
                               .batch = 1,
                               .pyramid = sampler_pyramid(&c->network, d->task, c->seed),
                               .ahead = 1};
    o.pyramid.decoder = 0;
    o.pyramid.rule = knn ? NEIGHBOURS_KNN : NEIGHBOURS_FIRST;
    for (int i = 0; i < PYRAMID_LEVELS && !knn; i++)
        o.pyramid.k[i] = BALL_MOST > o.pyramid.k[i] ? BALL_MOST : o.pyramid.k[i] + 1;
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
            count_balls(b, &batch->pyramid, d->config.network.k);
        b->samples += !knn;
    }
    loader_close(l);
    return code;
}

/* Two digits are plenty for a suggestion. */
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

/* Radii that do not are no advice: the levels have the same points, or fewer than k. */
static bool grows(const double ladder[PYRAMID_LEVELS])
{
    for (int l = 1; l < PYRAMID_LEVELS; l++)
        if (!(ladder[l] > ladder[l - 1]))
            return false;
    return ladder[0] > 0;
}

static void tell(struct check *c, struct balls *b)
{
    const struct config *o = &c->data->config;
    double ladder[PYRAMID_LEVELS];
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        struct level *v = &b->level[l];
        ladder[l] = rounded(check_median(v->radius, v->n));
        for (int block = 0; block < 2; block++) {
            double r = o->network.radius[l] * (block ? o->network.radius2_factor : 1);
            check_say(c, "balls", CHECK_NOTE,
                      "level %d block %d, radius %g: %.1f %% hold only their centre, %.1f %% more "
                      "than k = %d",
                      l + 1, block + 1, r, share(v->alone[block], v->centres[block]),
                      share(v->over[block], v->centres[block]), o->network.k[l]);
        }
    }
    if (!grows(ladder)) {
        check_say(
            c, "radius", CHECK_NOTE,
            "balls of about k points would not grow from level to level (%g, %g, %g, %g): let "
            "each level leave points out, then look again",
            ladder[0], ladder[1], ladder[2], ladder[3]);
        return;
    }
    check_say(c, "radius", CHECK_NOTE,
              "balls of about k points (median of %lld samples): --set radius=%g,%g,%g,%g",
              (long long)b->samples, ladder[0], ladder[1], ladder[2], ladder[3]);
}

int check_balls(struct check *c)
{
    struct dataset *d = c->data;
    enum split s = SPLIT_TRAIN;
    while (s < SPLIT_TEST && dataset_count(d, s) == 0)
        s++;
    struct balls b = {0};
    int code = pass(&b, d, s, false);
    if (code == 0)
        code = pass(&b, d, s, true);
    if (code == 0)
        tell(c, &b);
    for (int l = 0; l < PYRAMID_LEVELS; l++)
        memory_free(b.level[l].radius);
    return code;
}
