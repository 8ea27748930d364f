/* Whether block, points and levels suit the clouds: what the columns of training hold, an edge at
 * which they would hold a sample, and levels that leave nothing out. */
#include "task/check.h"

#include "core/error.h"
#include "core/memory.h"
#include "sampling/blocks.h"

#include <math.h>
#include <stdio.h>

/* Columns looked at, of at most so many scenes; edges tried for a better one. */
enum { COLUMNS = 32, SCENES = 8, ROUNDS = 16 };

struct look {
    struct check *check;
    enum split split;
    double held[COLUMNS]; /* points in each column */
    int64_t n;
    double widest; /* of the scenes, along x or y */
};

static int draw_columns(struct look *k, const struct item *x, double edge, int columns)
{
    const struct config *c = &k->check->data->config;
    struct block_options o = {
        .edge = edge, .points = c->sampling.points, .seed = (uint64_t)c->seed};
    float centre[3];
    int32_t *rows = memory_alloc((size_t)x->n + 1, sizeof *rows);
    if (!rows)
        return GLT_ENOMEM;
    for (int i = 0; i < columns && k->n < COLUMNS; i++, k->n++)
        k->held[k->n] = block_draw(rows, centre, x, &o, 1, (uint32_t)k->n);
    memory_free(rows);
    return 0;
}

/* The median number of points in columns of this edge, around points of scenes spread over the
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
        int code = draw_columns(k, x, edge, (COLUMNS + scenes - 1) / scenes);
        dataset_give(d, k->split, at);
        TRY(code);
    }
    *out = (int32_t)check_median(k->held, k->n);
    return 0;
}

/* Up to two digits. */
static double rounded_up(double x)
{
    double unit = pow(10, floor(log10(x)) - 1);
    return ceil(x / unit - 1e-9) * unit;
}

/* An edge at which columns hold about a sample, or the scenes are whole. */
static int widen(double *edge, int32_t *held, struct look *k)
{
    double points = k->check->data->config.sampling.points;
    for (int i = 0; i < ROUNDS && *held < 0.75 * points && *edge < 2 * k->widest; i++) {
        *edge = rounded_up(*edge * fmin(16, fmax(1.1, sqrt(points / (*held > 1 ? *held : 1)))));
        TRY(hold(held, k, *edge));
    }
    return 0;
}

/* *sample: points of one, once what is proposed has been set. */
static int tell_blocks(int32_t *sample, struct look *k)
{
    const struct config *o = &k->check->data->config;
    double edge = o->sampling.block;
    int32_t now, held;
    char advice[128] = "";
    TRY(hold(&now, k, edge));
    *sample = now < o->sampling.points ? now : o->sampling.points;
    if (now >= o->sampling.points / 4) {
        check_say(k->check, "blocks", CHECK_NOTE,
                  "columns of edge %g hold %d points (median), samples up to %d", edge, now,
                  o->sampling.points);
        return 0;
    }
    held = now;
    TRY(widen(&edge, &held, k));
    *sample = held < o->sampling.points ? held : o->sampling.points;
    int len = 0;
    if (held > now) /* else the scenes are in one column each */
        len += snprintf(advice, sizeof advice, "--set block=%g ", edge);
    if (held < o->sampling.points / 4)
        len += snprintf(advice + len, sizeof advice - (size_t)len, "--set points=%d ", held);
    if (held < o->sampling.block_min)
        snprintf(advice + len, sizeof advice - (size_t)len, "--set block_min=%d ", held / 2);
    check_say(
        k->check, "blocks", CHECK_NOTE,
        "columns of edge %g hold %d points (median), where samples are of %d: %sgives samples "
        "of about %d",
        o->sampling.block, now, o->sampling.points, advice, *sample);
    return 0;
}

/* Shapes are taken whole, of parts some points twice. */
static int shape_sample(int32_t *sample, struct look *k)
{
    struct dataset *d = k->check->data;
    *sample = d->config.sampling.points;
    if (d->task == TASK_PARTS)
        return 0;
    TRY(dataset_measure(d, k->split));
    int32_t n = dataset_count(d, k->split);
    double *sizes = memory_alloc((size_t)n + 1, sizeof *sizes);
    if (!sizes)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        sizes[i] = (double)d->split[k->split].list[i].n;
    double size = check_median(sizes, n);
    *sample = size < *sample ? (int32_t)size : *sample;
    memory_free(sizes);
    return 0;
}

/* The paper's first level keeps two points of three. */
static void tell_levels(struct check *c, int32_t sample)
{
    const struct config *o = &c->data->config;
    int l = 0;
    while (l < CONFIG_LEVELS && o->network.levels[l] >= sample)
        l++;
    if (l == 0 || sample < 1)
        return;
    int32_t first = sample * 2 / 3 > 32 ? sample * 2 / 3 / 32 * 32 : sample * 2 / 3;
    check_say(c, "levels", CHECK_NOTE,
              "level %d keeps %d points where samples are of %d: it leaves none out; --set "
              "levels=%d, or samples of more points",
              l, o->network.levels[l - 1], sample, first > 1 ? first : 1);
}

int check_blocks(struct check *c)
{
    struct look k = {.check = c, .split = SPLIT_TRAIN};
    int32_t sample = 0;
    while (k.split < SPLIT_TEST && dataset_count(c->data, k.split) == 0)
        k.split++;
    for (int32_t i = 0; i < c->n; i++)
        for (int a = 0; a < 2; a++)
            k.widest = fmax(k.widest, c->clouds[i].extent[a]);
    TRY(c->data->task == TASK_SEGMENT ? tell_blocks(&sample, &k) : shape_sample(&sample, &k));
    tell_levels(c, sample);
    return 0;
}
