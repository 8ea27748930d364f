/* The engine's pyramid, through the bridge, against the oracle's geometry of the same clouds; and
 * the paper's configuration through the bridge against the oracle's parameter count.
 * labels: quick */
#include "core/arena.h"
#include "oracle_bridge.h"
#include "oracle_check.h"

enum { CLOUDS = 3 };
static const int32_t sizes[CLOUDS] = {300, 90, 1};

static struct pyramid_options make_options(enum neighbour_rule rule)
{
    return (struct pyramid_options){
        .levels = {128, 64, 32, 8},
        .k = {12, 12, 12, 6},
        .radius = {0.2f, 0.4f, 0.8f, 1.6f},
        .radius2_factor = 2,
        .rule = rule,
        .decoder = 1,
    };
}

static void build(struct pyramid *p, struct arena *a, const struct pyramid_options *o,
                  const float *xyz, int32_t n)
{
    size_t bytes;
    assert_int_equal(pyramid_bytes(&bytes, o, n), 0);
    assert_int_equal(arena_init(a, bytes), 0);
    assert_int_equal(pyramid_build(p, a, o, xyz, n), 0);
}

static void check_cloud(const struct oracle_cloud *c, const struct pyramid_options *o,
                        const float *xyz, const int32_t *order, int32_t n)
{
    int32_t *want = oracle_memory(n, sizeof *want), start[129], index[128 * 12], up[3 * 300];
    float *sorted = oracle_memory(3 * n, sizeof *sorted);
    double weight[3 * 300];
    oracle_sample(want, xyz, n, c->n[1], o->fps_start);
    assert_memory_equal(order, want, (size_t)n * sizeof *want);
    for (int32_t i = 0; i < 3 * n; i++) {
        sorted[i] = xyz[3 * want[i / 3] + i % 3];
        assert_true(c->xyz[i] == sorted[i]);
    }
    for (int l = 0; l < ORACLE_LEVELS; l++) {
        enum oracle_rule rule = o->rule == NEIGHBOURS_FIRST     ? ORACLE_FIRST
                                : o->rule == NEIGHBOURS_NEAREST ? ORACLE_NEAREST
                                                                : ORACLE_KNN;
        for (int b = 0; b < 2; b++) {
            float radius = o->radius[l] * (b ? o->radius2_factor : 1);
            int32_t edges = oracle_neighbours(start, index, sorted, c->n[l + 1], c->n[l + b],
                                              radius, o->k[l], rule);
            assert_memory_equal(c->start[l][b], start, (size_t)(c->n[l + 1] + 1) * sizeof *start);
            assert_memory_equal(c->index[l][b], index, (size_t)edges * sizeof *index);
        }
        oracle_upsample(up, weight, sorted, c->n[l], c->n[l + 1]);
        assert_memory_equal(c->up_index[l], up, (size_t)c->n[l] * 3 * sizeof *up);
        assert_true(difference(c->up_weight[l], weight, 3 * (int64_t)c->n[l]) < 1e-6);
    }
    free(want);
    free(sorted);
}

static void the_engines_pyramid_is_the_oracles(void **state)
{
    (void)state;
    static const enum neighbour_rule rules[3] = {NEIGHBOURS_FIRST, NEIGHBOURS_NEAREST,
                                                 NEIGHBOURS_KNN};
    for (int r = 0; r < 3; r++) {
        struct pyramid_options o = make_options(rules[r]);
        struct pyramid part[CLOUDS], joined;
        const struct pyramid *parts[CLOUDS];
        struct arena arena[CLOUDS], whole;
        float *xyz[CLOUDS];
        double features[391] = {0};
        uint64_t random = 40;
        for (int b = 0; b < CLOUDS; b++) {
            xyz[b] = oracle_memory(3 * sizes[b], sizeof(float));
            for (int32_t i = 0; i < 3 * sizes[b]; i++) /* a coarse grid: many exact ties */
                xyz[b][i] = (float)round(toy_random(&random) * 12) / 16;
            build(&part[b], &arena[b], &o, xyz[b], sizes[b]);
            parts[b] = &part[b];
        }
        assert_int_equal(arena_init(&whole, pyramid_join_bytes(parts, CLOUDS)), 0);
        pyramid_join(&joined, &whole, parts, CLOUDS);
        struct oracle_batch batch;
        oracle_batch_make(&batch, &joined, features, 1, NULL, 0);
        for (int b = 0; b < CLOUDS; b++)
            check_cloud(&batch.clouds[b], &o, xyz[b], part[b].order, sizes[b]);
        oracle_batch_free(&batch);
        arena_free(&whole);
        for (int b = 0; b < CLOUDS; b++) {
            arena_free(&arena[b]);
            free(xyz[b]);
        }
    }
}

static const double *count_param(void *user, const char *name, int64_t *count)
{
    static const double zeros[1536 * 1024];
    if (!strstr(name, "running_"))
        *(int64_t *)user += *count;
    return zeros;
}

static void the_engines_configuration_becomes_the_oracles(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *key, *value;
        int32_t inputs, classes;
        int64_t parameters;
    } rows[] = {
        {"paper", "maps", "linear", 6, 13, 15297601},
        {"paper", "maps", "score-mlp", 6, 13, 15297601},
        {"paper", "shortcut2", "identity", 6, 13, 13924161},
        {"paper", "heads", "latent", 6, 13, 13227841},
        {"paper", "inputs", "xyz", 3, 50, 15344314},
        {"paper-cls", "maps", "linear", 3, 40, 12772072},
        {"small", "maps", "linear", 6, 13, 3838529},
        {"tiny", "maps", "linear", 6, 13, 966721},
        {"small-cls", "maps", "linear", 3, 40, 3208328},
        {"tiny-cls", "maps", "linear", 3, 40, 809816},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct config c;
        config_default(&c);
        assert_int_equal(config_set(&c, "preset", rows[i].preset), 0);
        assert_int_equal(config_set(&c, rows[i].key, rows[i].value), 0);
        struct oracle_config o = oracle_config_of(&c, rows[i].inputs, rows[i].classes);
        struct toy_cloud m;
        toy_cloud_make(&m, &o, 1, 1);
        struct oracle_result r;
        int64_t count = 0;
        assert_int_equal(oracle_run(&r, &o, count_param, &count, &m.cloud, 1, 0), 0);
        assert_int_equal(count, rows[i].parameters);
        oracle_result_free(&r);
        toy_cloud_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_engines_pyramid_is_the_oracles),
        cmocka_unit_test(the_engines_configuration_becomes_the_oracles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
