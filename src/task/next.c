/* Which tiles a person should look at next (glt_next).
 *
 * Each tile gets a few passes over one sample of it, each turned by 90 degrees and with other
 * random neighbours. Three values count, as means over its points that are not reviewed:
 * - doubt: 1 - (p1 - p2), of the mean probabilities of the passes;
 * - votes: the Jensen-Shannon divergence of the passes, H(mean p) - mean H(p), as a share of its
 *   largest value;
 * - auxiliary: the same divergence of an auxiliary output and the main one, over all four.
 * Each is divided by its mean over all tiles, so that they weigh the same: the score is their mean
 *     * min(1, 4 points / mean points).
 * Only tiles of few points count less: among all others, many points mean fewer errors
 * (results/teach.md).
 *
 * Tiles are then taken one after the other: the one with the largest
 *     score * (1 - exp(-2 d^2 / h^2)),
 * where d is the distance of its mean decoder feature to the nearest of the tiles taken before and
 * of those that are reviewed already, and h^2 the mean squared distance of two tiles. */
#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "config/inputs.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "core/random.h"
#include "model/engine.h"
#include "model/model.h"
#include "model/softmax.h"
#include "sampling/item.h"
#include "sampling/sampler.h"
#include "sampling/tiling.h"
#include "task/predict.h"

#include <math.h>
#include <string.h>

enum { PASSES = 4, AUXILIARY = 4, POINTS_MIN = 16 };
static const double FEW_POINTS = 0.25;     /* of the mean of the tiles */
static const double REVIEWED_ENOUGH = 0.9; /* share of a tile's points: little is left to review */

struct candidate {
    struct glt_tile tile;
    bool known;       /* reviewed: similar tiles are known too */
    bool taken;       /* chosen */
    double distance2; /* to the nearest known or chosen tile */
};

struct next {
    struct call call;
    struct model *model;
    struct inputs inputs;
    int passes;
    uint64_t seed;
    struct engine *engine;
    int32_t classes, channels; /* of the features */

    struct candidate *list;
    int32_t n;
    float *features; /* (n, channels) means */

    /* for one tile of up to `points` points */
    int32_t points;
    int32_t *places, *rows, *order;
    float *xyz, *extra, *logits, *mean, *first, *feature;
    double *entropy; /* (points) mean over the passes */
    uint8_t *seen;   /* (points) reviewed */
};

/* --- memory of a tile --- */

static void release(struct next *x)
{
    void *const all[] = {x->places, x->rows,  x->order,   x->xyz,     x->extra, x->logits,
                         x->mean,   x->first, x->feature, x->entropy, x->seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memory_free(all[i]);
    x->points = 0;
}

static int reserve(struct next *x, int32_t points)
{
    size_t n = (size_t)points, c = (size_t)x->classes;
    if (points <= x->points)
        return 0;
    release(x);
    x->places = memory_alloc(n, sizeof *x->places);
    x->rows = memory_alloc(n, sizeof *x->rows);
    x->order = memory_alloc(n, sizeof *x->order);
    x->xyz = memory_alloc(n, 3 * sizeof *x->xyz);
    x->extra = memory_alloc(n, (size_t)x->inputs.extra * sizeof *x->extra);
    x->logits = memory_alloc(n, c * sizeof *x->logits);
    x->mean = memory_alloc(n, c * sizeof *x->mean);
    x->first = memory_alloc(n, c * sizeof *x->first);
    x->feature = memory_alloc(n, (size_t)x->channels * sizeof *x->feature);
    x->entropy = memory_alloc(n, sizeof *x->entropy);
    x->seen = memory_alloc(n, sizeof *x->seen);
    if (!x->places || !x->rows || !x->order || !x->xyz || !x->extra || !x->logits || !x->mean ||
        !x->first || !x->feature || !x->entropy || !x->seen)
        return GLT_ENOMEM;
    x->points = points;
    return 0;
}

/* --- one tile --- */

static double entropy(const float *p, int32_t n)
{
    double h = 0;
    for (int32_t k = 0; k < n; k++)
        if (p[k] > 0)
            h -= (double)p[k] * log((double)p[k]);
    return h;
}

/* A quarter turn about z of coordinates, and of normals if the network uses them. */
static void turn(struct next *x, int32_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float *p = x->xyz + 3 * i, was = p[0];
        p[0] = -p[1];
        p[1] = was;
        if (x->inputs.normals >= 0) {
            float *q = x->extra + i * x->inputs.extra + x->inputs.normals;
            was = q[0];
            q[0] = -q[1];
            q[1] = was;
        }
    }
}

/* Means over the passes: probabilities, entropies. The last pass is not turned: its outputs stay in
 * the engine and in x->first. */
static int run_passes(struct next *x, int32_t n, struct random_key key)
{
    int64_t all = (int64_t)n * x->classes;
    memset(x->mean, 0, (size_t)all * sizeof *x->mean);
    memset(x->entropy, 0, (size_t)n * sizeof *x->entropy);
    for (int i = x->passes; i < 5 && x->passes > 1; i++)
        turn(x, n);
    for (int pass = x->passes - 1; pass >= 0; pass--) {
        key.epoch = (uint32_t)pass;
        struct sampler_cloud c = {.n = n, .xyz = x->xyz, .features = x->extra, .key = key};
        TRY(engine_run(x->engine, x->logits, &c));
        TRY(softmax(x->first, x->logits, n, x->classes, 0, x->classes));
        for (int64_t i = 0; i < all; i++)
            x->mean[i] += x->first[i] / (float)x->passes;
        for (int64_t i = 0; i < n; i++)
            x->entropy[i] += entropy(x->first + i * x->classes, x->classes) / x->passes;
        if (pass > 0)
            turn(x, n);
    }
    return 0;
}

static double margin_of(const float *p, int32_t n)
{
    float best = 0, second = 0;
    for (int32_t k = 0; k < n; k++) {
        second = p[k] > best ? best : p[k] > second ? p[k] : second;
        best = p[k] > best ? p[k] : best;
    }
    return (double)best - (double)second;
}

/* How far the auxiliary outputs disagree with the main one. */
static int measure_auxiliary(double *out, struct next *x)
{
    double sum = 0;
    int64_t count = 0;
    for (int a = 1; a <= AUXILIARY; a++) {
        int32_t m = engine_auxiliary(x->engine, a, x->logits, x->order);
        TRY(softmax(x->logits, x->logits, m, x->classes, 0, x->classes));
        for (int64_t i = 0; i < m; i++) {
            float *q = x->logits + i * x->classes;
            const float *p = x->first + (int64_t)x->order[i] * x->classes;
            if (x->seen[x->order[i]])
                continue;
            double parts = (entropy(p, x->classes) + entropy(q, x->classes)) / 2;
            for (int32_t k = 0; k < x->classes; k++)
                q[k] = (p[k] + q[k]) / 2;
            sum += fmax(0, entropy(q, x->classes) - parts) / log(2);
            count++;
        }
    }
    *out = count ? sum / (double)count : 0;
    return 0;
}

/* Means over the points that are not reviewed; for the features, over all points. */
static int measure_tile(struct next *x, struct candidate *c, float *feature, int32_t n)
{
    double doubt = 0, votes = 0;
    double largest = log(x->passes < x->classes ? x->passes : x->classes);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        const float *p = x->mean + i * x->classes;
        if (x->seen[i])
            continue;
        doubt += 1 - margin_of(p, x->classes);
        votes += largest > 0 ? fmax(0, entropy(p, x->classes) - x->entropy[i]) / largest : 0;
        count++;
    }
    c->tile.doubt = count ? doubt / (double)count : 0;
    c->tile.votes = count ? votes / (double)count : 0;
    TRY(measure_auxiliary(&c->tile.auxiliary, x));
    engine_features(x->engine, x->feature);
    for (int32_t k = 0; k < x->channels; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)x->feature[i * x->channels + k];
        feature[k] = (float)(sum / n);
    }
    return 0;
}

/* --- one cloud --- */

/* Whether each point of the item is reviewed (n). */
static int find_reviewed(uint8_t **out, struct next *x, const struct glt_cloud *c,
                         const struct item *item)
{
    const struct column *seen = cloud_attribute(c, "reviewed");
    *out = call_alloc(&x->call, (size_t)item->n, sizeof **out);
    if (!*out)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < item->n; i++)
        (*out)[i] = column_is_single(seen) && column_value(seen, item->row[i]) > 0;
    return 0;
}

/* The box of a tile: its square, and the heights of its points. */
static void place_tile(struct glt_tile *t, const struct item *item, const struct tile *tile,
                       double edge)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < tile->n; i++) {
        double z = (double)item->xyz[3 * (int64_t)tile->rows[i] + 2];
        low = fmin(low, z);
        high = fmax(high, z);
    }
    for (int k = 0; k < 2; k++) {
        t->low[k] = item->origin[k] + (double)tile->centre[k] - edge / 2;
        t->high[k] = t->low[k] + edge;
    }
    t->low[2] = item->origin[2] + low;
    t->high[2] = item->origin[2] + high;
}

static int add_tile(struct next *x, const struct tiling *t, int32_t number, const struct item *item,
                    const uint8_t *reviewed, int cloud)
{
    struct tile tile = tiling_tile(t, number);
    struct candidate c = {.tile = {.cloud = cloud}, .distance2 = INFINITY};
    for (int32_t i = 0; i < tile.n; i++)
        c.tile.points += !reviewed[tile.rows[i]];
    c.known = (double)c.tile.points <= (1 - REVIEWED_ENOUGH) * tile.n;
    place_tile(&c.tile, item, &tile, t->options.sampling.block);
    TRY(reserve(x, tile.n < t->options.sampling.points ? tile.n : t->options.sampling.points));
    int32_t n = tiling_draw(x->places, t, &tile, 0);
    for (int32_t i = 0; i < n; i++) {
        x->rows[i] = tile.rows[x->places[i]];
        x->seen[i] = reviewed[x->rows[i]];
    }
    item_gather(x->xyz, x->extra, item, x->rows, n, tile.centre);
    TRY(run_passes(x, n, tiling_key(t, &tile, 0)));
    TRY(array_reserve(&x->list, x->n, 1, sizeof *x->list));
    TRY(array_reserve(&x->features, (int64_t)x->n * x->channels, x->channels, sizeof *x->features));
    TRY(measure_tile(x, &c, x->features + (int64_t)x->n * x->channels, n));
    x->list[x->n++] = c;
    return 0;
}

static int add_tiles(struct next *x, const struct glt_cloud *c, const struct item *item, int cloud)
{
    struct tiling t = {0};
    uint8_t *reviewed;
    struct tiling_options o = {
        .sampling = x->model->config.sampling, .seed = x->seed, .tilings = 1};
    TRY(find_reviewed(&reviewed, x, c, item));
    TRY(tiling_make(&t, item, &o));
    int code = 0;
    for (int32_t i = 0; i < t.tiles && code == 0; i++) {
        code = progress_report("rank tiles", i, t.tiles);
        if (code == 0)
            code = add_tile(x, &t, i, item, reviewed, cloud);
    }
    tiling_free(&t);
    return code < 0 ? code : progress_report("rank tiles", t.tiles, t.tiles);
}

static int add_cloud(struct next *x, const struct glt_cloud *c, int cloud)
{
    struct item item = {0};
    int code = predict_check_inputs(c, x->model);
    if (code == 0)
        code = predict_item(&item, c, x->model, cloud_name(c));
    if (code == 0)
        code = add_tiles(x, c, &item, cloud);
    item_clear(&item);
    return code;
}

/* --- choosing --- */

static double mean_points(const struct next *x)
{
    double sum = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < x->n; i++)
        if (!x->list[i].known) {
            sum += (double)x->list[i].tile.points;
            n++;
        }
    return n ? sum / n : 1;
}

/* Each of the three weighs the same. */
static void score_tiles(struct next *x)
{
    double mean[3] = {0}, few = FEW_POINTS * mean_points(x);
    int32_t n = 0;
    for (int32_t i = 0; i < x->n; i++) {
        const struct glt_tile *t = &x->list[i].tile;
        if (x->list[i].known)
            continue;
        mean[0] += t->doubt;
        mean[1] += t->votes;
        mean[2] += t->auxiliary;
        n++;
    }
    for (int32_t i = 0; i < x->n; i++) {
        struct glt_tile *t = &x->list[i].tile;
        const double values[] = {t->doubt, t->votes, t->auxiliary};
        t->score = 0;
        for (int k = 0; k < 3; k++)
            t->score += mean[k] > 0 ? values[k] * n / mean[k] / 3 : 0;
        t->score *= fmin(1, (double)t->points / few);
    }
}

/* The mean squared distance of the features of two tiles: twice their variance. */
static double spread(const struct next *x)
{
    double sum = 0;
    for (int32_t k = 0; k < x->channels; k++) {
        double mean = 0, squares = 0;
        for (int64_t i = 0; i < x->n; i++) {
            double v = (double)x->features[i * x->channels + k];
            mean += v / x->n;
            squares += v * v / x->n;
        }
        sum += 2 * fmax(0, squares - mean * mean);
    }
    return sum;
}

/* Updates distances: candidate `from` is now known. */
static void know(struct next *x, int32_t from)
{
    const float *a = x->features + (int64_t)from * x->channels;
    for (int32_t i = 0; i < x->n; i++) {
        const float *b = x->features + (int64_t)i * x->channels;
        double d2 = 0;
        for (int32_t k = 0; k < x->channels; k++)
            d2 += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
        x->list[i].distance2 = fmin(x->list[i].distance2, d2);
    }
}

/* The best of those that are left; -1: none. */
static int32_t find_best(const struct next *x, double h2)
{
    int32_t best = -1;
    double largest = -1;
    for (int32_t i = 0; i < x->n; i++) {
        const struct candidate *c = &x->list[i];
        if (c->known || c->taken || c->tile.points < POINTS_MIN)
            continue;
        double new = h2 > 0 ? 1 - exp(-2 * c->distance2 / h2) : 1;
        double gain = c->tile.score * new;
        if (gain > largest) {
            largest = gain;
            best = i;
        }
    }
    return best;
}

/* tiles: of `size` bytes each, as in the caller's header */
static int choose(void *tiles, size_t size, int capacity, struct next *x)
{
    int n = 0;
    double h2 = spread(x);
    score_tiles(x);
    for (int32_t i = 0; i < x->n; i++)
        if (x->list[i].known)
            know(x, i);
    for (int32_t best; n < capacity && (best = find_best(x, h2)) >= 0; n++) {
        x->list[best].taken = true;
        x->list[best].tile.size = size;
        memcpy((char *)tiles + (size_t)n * size, &x->list[best].tile, sizeof x->list[best].tile);
        know(x, best);
    }
    return n;
}

/* --- the public function --- */

static int rank(struct next *x, const struct glt_cloud *const *clouds, int n)
{
    const struct config *c = &x->model->config;
    if (c->task != TASK_SEGMENT)
        return error_topic(error_set(GLT_EMODEL, "only tiles of scenes are ranked: this model is "
                                                 "not for scenes"),
                           GLT_TOPIC_TASK, NULL);
    TRY(inputs_parse(&x->inputs, c->data.inputs));
    x->classes = x->model->classes.n;
    x->channels = engine_feature_channels(x->model);
    TRY(engine_create(&x->engine, x->model, 1, ENGINE_OUTPUTS));
    for (int i = 0; i < n; i++) {
        int64_t mark = call_mark(&x->call);
        TRY(add_cloud(x, clouds[i], i));
        call_reset(&x->call, mark);
    }
    return 0;
}

int glt_next(struct glt_tile *tiles, int *n, const struct glt_model *m,
             const struct glt_cloud *const *clouds, int n_clouds, const char *words)
{
    REQUIRE(tiles, n, m, clouds);
    TRY(error_size("glt_tile", tiles->size, sizeof *tiles));
    if (*n < 1 || n_clouds < 1)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "%d tiles of %d clouds: give at least one of each", *n,
                                     n_clouds),
                           GLT_TOPIC_ARGUMENT, *n < 1 ? "n" : "n_clouds");
    for (int i = 0; i < n_clouds; i++)
        REQUIRE(clouds[i]);
    struct next x = {.model = (struct model *)m, .passes = PASSES};
    x.seed = (uint64_t)x.model->config.seed;
    const struct option_field table[] = {{"passes", FIELD_INT, &x.passes, 1, PASSES},
                                         {"seed", FIELD_SEED, &x.seed, 0, 0}};
    int code = option_string_read(&x.call, words, table, sizeof table / sizeof *table);
    if (code == 0)
        code = rank(&x, clouds, n_clouds);
    if (code == 0)
        *n = choose(tiles, tiles->size, *n, &x);
    engine_free(x.engine);
    release(&x);
    memory_free(x.list);
    memory_free(x.features);
    call_free(&x.call);
    return code;
}
