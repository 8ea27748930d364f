/* The float engine against the double oracle on a cloud of 6144 points: `tiny`, and `paper` with
 * every kind of maps in tier nightly.
 * labels: full slow nightly */
#include "engine_check.h"
#include "room_points.h"
#include "tier.h"

#include "core/arena.h"
#include "core/error.h"
#include "model/model_create.h"
#include "sampling/sampler.h"

enum { POINTS = 6144, CLASSES = 13 };

static void must(int code)
{
    if (code < 0)
        fail_msg("%s", glt_error_message());
}

static void check(const char *preset, const char *maps, bool training)
{
    struct config c;
    struct model *m;
    struct engine_case both = {0};
    struct pyramid pyramid;
    struct arena arena;
    size_t bytes;
    float *xyz = oracle_memory(POINTS * 3, sizeof *xyz), *colour = oracle_memory(POINTS * 3, 4);
    float *features = oracle_memory(POINTS * 6, sizeof *features);
    double *wide = oracle_memory(POINTS * 6, sizeof *wide);
    int32_t *label = oracle_memory(POINTS, sizeof *label);
    config_default(&c);
    must(config_set(&c, "preset", preset));
    must(config_set(&c, "maps", maps));
    must(config_set(&c, "dropout", "0"));
    must(model_create(&m, &c, CLASSES));
    room_points(xyz, colour, NULL, POINTS, 0);
    struct pyramid_options o = sampler_pyramid(&m->config.network, m->config.task, m->config.seed);
    must(pyramid_bytes(&bytes, &o, POINTS));
    must(arena_init(&arena, bytes));
    must(pyramid_build(&pyramid, &arena, &o, xyz, POINTS));
    for (int i = 0; i < POINTS * 6; i++) {
        int row = pyramid.order[i / 6], k = i % 6;
        wide[i] = features[i] = k < 3 ? xyz[3 * row + k] : colour[3 * row + k - 3];
        label[i / 6] = row % (CLASSES + 1) - 1;
    }
    real *gradient = training ? oracle_memory(m->size, sizeof(real)) : NULL;
    remember(&both, m);
    struct batch batch = {
        .features = features, .pyramid = pyramid, .labels = {label, label, label, label, label}};
    both.config = oracle_config_of(&m->config, 6, CLASSES);
    oracle_batch_make(&both.batch, &pyramid, wide, 6, label, 0);
    struct oracle_result r = ask(&both, training);
    print_message("%s maps=%s %s\n", preset, maps, training ? "training" : "inference");
    for (int trace = 0; trace < 2; trace++) {
        struct network_options n = {.training = training,
                                    .aux = true,
                                    .trace = trace,
                                    .batch = 1,
                                    .points = POINTS,
                                    .gradient = gradient};
        open_engine(&both, &n, &batch);
        compare_pass(&both, &r, trace ? 18 : 5);
        close_engine(&both);
    }
    oracle_result_free(&r);
    oracle_batch_free(&both.batch);
    model_free(m);
    arena_free(&arena);
    void *blocks[] = {xyz, colour, features, wide, label, gradient, both.block};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        free(blocks[i]);
}

static void tiny_computes_what_the_oracle_computes(void **state)
{
    (void)state;
    check("tiny", "linear", false);
    check("tiny", "linear", true);
    check("tiny", "value-relu", false);
}

static void paper_computes_what_the_oracle_computes(void **state)
{
    (void)state;
    static const char *const maps[] = {"linear", "bn", "value-relu", "bn-relu", "score-mlp"};
    for (int i = 0; i < 5; i++)
        check("paper", maps[i], false);
    check("paper", "linear", true);
}

int main(void)
{
    if (tier() < TIER_NIGHTLY)
        cmocka_set_skip_filter("paper_computes_what_the_oracle_computes");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_computes_what_the_oracle_computes),
        cmocka_unit_test(paper_computes_what_the_oracle_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
