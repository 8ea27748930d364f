/* The attention weights of a trained network, recomputed in double by the oracle: every one agrees
 * to 1e-3 where a norm bounds the scores (maps = bn, bn-relu), and at most 20 % of the scores of a
 * head are saturated. Under `linear` nothing bounds them; the numbers are printed for comparison.
 * Shipped models whose maps are bn are checked in tier nightly, and what their cards say of their
 * validation in every tier; those that were trained with linear maps saturate and are left out.
 * labels: quick full nightly slow */
#include "engine_check.h"
#include "room_points.h"
#include "settings.h"
#include "tier.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "kernels/attention_statistics.h"
#include "model/model_file.h"
#include "sampling/sampler.h"

#include <limits.h>

enum { POINTS = 1024, CLOUDS = 2 };

static const double AGREES = 1e-3, SATURATED = 0.2;

/* What is said of the weights of a pass. */
struct weights {
    double worst;     /* difference from double */
    double sharpest;  /* weight below 0.999: 1 is that of a list of one */
    double saturated; /* share of a head's scores, of centres with 8 neighbours or more */
};

static void must(int code)
{
    if (code < 0)
        fail_msg("%s", glt_error_message());
}

/* A small network, and a few steps of training at a high rate: weights far from their start. */
static struct model *train(const char *settings, int steps)
{
    static float xyz[CLOUDS][POINTS * 3], colour[CLOUDS][POINTS * 3];
    static int32_t label[CLOUDS][POINTS];
    struct model *m = settings_model("levels=512,256,64,16 k=16 radius=0.25 stem=16 "
                                     "width=32,64,128,256 decoder=64,64,64,64,32,32,32,32 "
                                     "head_hidden=32 lr=3e-3 dropout=0",
                                     settings, ROOM_SURFACES);
    struct glt_trainer *t;
    struct glt_points clouds[CLOUDS];
    must(glt_trainer_create(&t, (struct glt_model *)m, CLOUDS, POINTS));
    for (int step = 0; step < steps; step++) {
        for (int b = 0; b < CLOUDS; b++) {
            room_points(xyz[b], colour[b], label[b], POINTS, (uint32_t)(CLOUDS * step + b + 1));
            clouds[b] = (struct glt_points){.size = sizeof clouds[b],
                                            .n = POINTS,
                                            .xyz = xyz[b],
                                            .type = GLT_F32,
                                            .channels = 3,
                                            .features = colour[b],
                                            .labels = label[b]};
        }
        must(glt_trainer_step(t, clouds, CLOUDS, 0, NULL));
    }
    glt_trainer_free(t);
    return m;
}

/* Of one head: scores (edges, cols; ld). */
static double saturation_of(const real *scores, int64_t cols, int64_t ld,
                            const struct neighbours *lists)
{
    double sum = 0;
    int64_t counted = 0;
    for (int32_t i = 0; i < lists->centres; i++) {
        int32_t first = lists->start[i], len = lists->start[i + 1] - first;
        struct attention_statistics a =
            attention_statistics(scores + first * ld, lists->index + first, len, cols, ld);
        if (a.saturation < 0)
            continue;
        sum += a.saturation;
        counted++;
    }
    return counted ? sum / (double)counted : 0;
}

static void compare_head(struct weights *found, const real *scores, int64_t ld,
                         const struct oracle_tensor *o)
{
    for (int64_t n = 0; n < o->rows; n++)
        for (int64_t c = 0; c < o->cols; c++) {
            double w = o->at[n * o->cols + c];
            found->worst = fmax(found->worst, fabs((double)scores[n * ld + c] - w));
            found->sharpest = w < 0.999 ? fmax(found->sharpest, w) : found->sharpest;
        }
}

static bool is_attention(const struct tensor *t, int *level, int *block)
{
    return strstr(t->name, "/attention") && sscanf(t->name, "enc%d/block%d", level, block) == 2;
}

static struct weights compare_weights(const struct engine_case *f, const struct oracle_result *r,
                                      const struct pyramid *pyramid)
{
    /* side by side in one tensor, or, on the direct path, one tensor each */
    static const char *const tails[] = {"", "_geometric", "_latent"};
    const struct plan *p = f->network.plan;
    struct weights found = {0};
    int heads = 0, level, block;
    for (int i = 0; i < p->tensors_count; i++) {
        const struct tensor *t = p->tensors[i];
        int64_t first = 0;
        for (int k = 0; k < 3 && is_attention(t, &level, &block); k++) {
            const struct oracle_tensor *o =
                oracle_tensor(r, oracle_format("%s%s", t->name, tails[k]).text);
            if (!o)
                continue;
            assert_int_equal(rows_of(p, t), o->rows);
            compare_head(&found, t->x + first, t->ld, o);
            double s =
                saturation_of(t->x + first, o->cols, t->ld, &pyramid->block[level - 1][block - 1]);
            found.saturated = fmax(found.saturated, s);
            first += o->cols;
            heads++;
        }
    }
    assert_int_equal(heads, 16); /* levels, blocks, heads */
    return found;
}

/* A cloud that training has not seen, through both. It is as large for the network's radius as a
 * room is for 0.1 m. */
static struct weights look(struct model *m, int points)
{
    struct engine_case both = {0};
    struct pyramid pyramid;
    struct arena arena;
    size_t bytes;
    int channels = m->channels;
    float *xyz = oracle_memory(points * 3, sizeof *xyz), *colour = oracle_memory(points * 3, 4);
    float *features = oracle_memory(points * channels, sizeof *features);
    double *wide = oracle_memory(points * channels, sizeof *wide);
    int32_t *label = oracle_memory(points, sizeof *label);
    room_points(xyz, colour, NULL, points, 0);
    for (int i = 0; i < points * 3; i++)
        xyz[i] *= (float)(m->config.network.radius[0] / 0.1);
    struct pyramid_options o = sampler_pyramid(&m->config.network, m->config.task, m->config.seed);
    must(pyramid_bytes(&bytes, &o, points));
    must(arena_init(&arena, bytes));
    must(pyramid_build(&pyramid, &arena, &o, xyz, points));
    for (int i = 0; i < points * channels; i++) {
        int row = pyramid.order[i / channels], k = i % channels;
        wide[i] = features[i] = k < 3 ? xyz[3 * row + k] : colour[3 * row + k % 3];
    }
    struct network_options n = {.aux = true, .trace = true, .batch = 1, .points = points};
    remember(&both, m);
    must(network_create(&both.network, m, &n, true));
    struct batch batch = {.features = features, .pyramid = pyramid};
    network_batch(&both.network, &batch);
    both.config = oracle_config_of(&m->config, channels, m->classes.n);
    oracle_batch_make(&both.batch, &pyramid, wide, channels, label,
                      m->config.task == TASK_CLASSIFY);
    plan_forward(both.network.plan);
    struct oracle_result r = ask(&both, false);
    struct weights found = compare_weights(&both, &r, &pyramid);
    oracle_result_free(&r);
    oracle_batch_free(&both.batch);
    network_free(&both.network);
    arena_free(&arena);
    void *blocks[] = {xyz, colour, features, wide, label, both.block};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        free(blocks[i]);
    return found;
}

static void check_bounded(const char *name, const struct weights *w)
{
    if (!(w->worst <= AGREES))
        fail_msg("%s: a weight differs by %g", name, w->worst);
    if (!(w->saturated <= SATURATED))
        fail_msg("%s: %.0f %% of the scores of a head are saturated", name, 100 * w->saturated);
}

static void print_weights(const char *name, const struct weights *w)
{
    print_message("%-28s largest weight %.4f, largest difference %.1e, saturated %.1f %%\n", name,
                  w->sharpest, w->worst, 100 * w->saturated);
}

static void weights_of_trained_networks_agree_with_double(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        bool bounded;
    } rows[] = {{"maps=bn", true},
                {"maps=bn-relu", true},
                {"maps=bn maps.value=bn-relu", true},
                {"maps=linear", false}};
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        struct model *m = train(rows[i].settings, (int)tier_pick(12, 40, 400));
        struct weights w = look(m, POINTS);
        print_weights(rows[i].settings, &w);
        assert_true(w.sharpest > 0.2); /* it attends: a mean would have 1/16 */
        if (rows[i].bounded)
            check_bounded(rows[i].settings, &w);
        model_free(m);
    }
}

static bool is_bn(const struct model *m)
{
    const struct network_settings *n = &m->config.network;
    return n->maps == MAPS_BN || n->maps == MAPS_BN_RELU || n->map_kind[MAP_SCORE] == MAP_BN;
}

/* What the validation of the training run saw. */
static void check_card(const char *name, const struct model *m)
{
    struct json *card;
    must(json_parse(&card, name, m->card, strlen(m->card)));
    const struct json *rows = json_get(card, "attention");
    assert_int_equal(json_size(rows), 16);
    for (size_t i = 0; i < 16; i++) {
        struct weights w = {.saturated =
                                json_number_value(json_get(json_at(rows, i), "saturation"))};
        check_bounded(name, &w);
    }
    json_free(card);
}

static void check_shipped(void *user, const struct glt_installed *x)
{
    int *checked = user;
    struct model *m;
    must(model_load(&m, x->path));
    if (is_bn(m)) {
        check_card(x->name, m);
        if (tier() == TIER_NIGHTLY) {
            struct weights w = look(m, m->config.sampling.points);
            print_weights(x->name, &w);
            check_bounded(x->name, &w);
        }
        (*checked)++;
    }
    model_free(m);
}

static void shipped_models_attend(void **state)
{
    (void)state;
    int checked = 0;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/models", getenv("GELATTO_SOURCE"));
    setenv("GELATTO_MODELS", folder, 1);
    must(glt_models(check_shipped, &checked));
    assert_true(checked >= 2); /* rooms and aerial */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_trained_networks_agree_with_double),
        cmocka_unit_test(shipped_models_attend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
