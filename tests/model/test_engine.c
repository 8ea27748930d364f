/* The engine: shuffled rows permute the result exactly, what does not fit is refused by name, and
 * after the first run of a size nothing is allocated.
 * labels: quick */
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "model/engine.h"
#include "settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 700, CLASSES = 13 };

static float xyz[POINTS * 3], rgb[POINTS * 3];

static struct model *new_model(const char *settings)
{
    return settings_model("preset=tiny levels=400,200,80,20", settings, CLASSES);
}

static int run(struct engine *e, float *logits, const float *points, const float *features,
               int32_t n)
{
    struct sampler_cloud c = {.n = n, .xyz = points, .features = features};
    return engine_run(e, logits, &c);
}

static int make_cloud(void **state)
{
    (void)state;
    struct random r = random_start(random_stream(11, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS * 3; i++) {
        xyz[i] = (float)random_uniform(&r) - 0.5f;
        rgb[i] = (float)random_uniform(&r);
    }
    return 0;
}

static void shuffled(const char *settings)
{
    static float logits[POINTS * CLASSES], other[POINTS * CLASSES];
    static float xyz2[POINTS * 3], rgb2[POINTS * 3];
    struct model *m = new_model(settings);
    struct engine *e;
    int32_t rows[POINTS];
    bool classify = m->config.task == TASK_CLASSIFY;
    const float *f = m->channels > 3 ? rgb : NULL, *f2 = f ? rgb2 : NULL;
    assert_int_equal(engine_create(&e, m, POINTS, ENGINE_LOGITS), 0);
    assert_int_equal(run(e, logits, xyz, f, POINTS), 0);
    for (int turn = 0; turn < 3; turn++) {
        struct random r = random_start(random_stream(12, 0, (uint32_t)turn, RANDOM_TEST), 0);
        for (int i = 0; i < POINTS; i++)
            rows[i] = i;
        random_shuffle(&r, rows, POINTS);
        for (int i = 0; i < POINTS; i++) {
            memcpy(xyz2 + 3 * i, xyz + 3 * rows[i], 3 * sizeof *xyz);
            memcpy(rgb2 + 3 * i, rgb + 3 * rows[i], 3 * sizeof *rgb);
        }
        assert_int_equal(run(e, other, xyz2, f2, POINTS), 0);
        for (int i = 0; i < (classify ? 1 : POINTS); i++)
            assert_memory_equal(other + i * CLASSES, logits + (classify ? 0 : rows[i]) * CLASSES,
                                CLASSES * sizeof *logits);
    }
    engine_free(e);
    model_free(m);
}

static void a_shuffled_cloud_gets_the_same_logits(void **state)
{
    (void)state;
    shuffled("");
    shuffled("maps=bn neighbours=knn");
    shuffled("maps=score-mlp features_per_head=4");
    shuffled("maps=value-relu");
    shuffled("maps=bn-relu underfull=pad");
    shuffled("task=classify inputs=xyz");
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    (void)state;
    static float logits[POINTS * CLASSES], bad[POINTS * 3];
    struct model *m = new_model("");
    struct engine *e;
    assert_int_equal(engine_create(&e, m, POINTS, ENGINE_LOGITS), 0);
    assert_int_equal(run(e, logits, xyz, NULL, POINTS), GLT_EMODEL);
    assert_error("INPUTS inputs");
    assert_int_equal(run(e, logits, xyz, rgb, 0), GLT_EARGUMENT);
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        memcpy(bad, xyz, sizeof bad);
        bad[POINTS * 3 - 1] = wrong[i];
        assert_int_equal(run(e, logits, bad, rgb, POINTS), GLT_EARGUMENT);
        assert_error("COORDINATES coordinate point 699");
        memcpy(bad, rgb, sizeof bad);
        bad[0] = wrong[i];
        assert_int_equal(run(e, logits, xyz, bad, POINTS), GLT_EARGUMENT);
        assert_error("COORDINATES feature point 0");
    }
    assert_int_equal(run(e, logits, xyz, rgb, POINTS), 0); /* it still works */
    for (int i = 0; i < POINTS * CLASSES; i++)
        assert_true(isfinite(logits[i]));
    engine_free(e);
    model_free(m);
}

/* Any size up to the largest met runs without an allocation, in the plan it already has. */
static void smaller_clouds_run_without_an_allocation(void **state)
{
    (void)state;
    static float logits[POINTS * CLASSES], fresh[POINTS * CLASSES];
    static const int sizes[] = {POINTS, 1, 2, 3, 20, 81, 399, 401, 650, POINTS};
    struct model *m = new_model("");
    struct engine *e, *own;
    assert_int_equal(engine_create(&e, m, 16, ENGINE_LOGITS), 0);
    assert_int_equal(run(e, logits, xyz, rgb, POINTS), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t requests = memory_stats().requests;
        assert_int_equal(run(e, logits, xyz, rgb, sizes[i]), 0);
        assert_int_equal(memory_stats().requests, requests);
        assert_int_equal(engine_create(&own, m, sizes[i], ENGINE_LOGITS), 0);
        assert_int_equal(run(own, fresh, xyz, rgb, sizes[i]), 0);
        for (int k = 0; k < sizes[i] * CLASSES; k++) /* sums may be cut differently */
            assert_float_equal(logits[k], fresh[k], 1e-4);
        engine_free(own);
    }
    engine_free(e);
    model_free(m);
}

/* Points at one place, on a line, all alike: few distances, but labels. */
static void degenerate_clouds_are_labelled(void **state)
{
    (void)state;
    static float odd[POINTS * 3], logits[POINTS * CLASSES];
    struct model *m = new_model("");
    struct engine *e;
    assert_int_equal(engine_create(&e, m, POINTS, ENGINE_LOGITS), 0);
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < POINTS * 3; i++)
            odd[i] = kind == 0 ? 1 : kind == 1 ? (float)(i / 3) : kind == 2 ? 1e30f * xyz[i] : 0;
        assert_int_equal(run(e, logits, odd, rgb, POINTS), 0);
        for (int i = 0; i < POINTS * CLASSES && kind != 2; i++)
            assert_true(isfinite(logits[i]));
    }
    engine_free(e);
    model_free(m);
}

int main(void)
{
    glt_threads_set(2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shuffled_cloud_gets_the_same_logits),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(smaller_clouds_run_without_an_allocation),
        cmocka_unit_test(degenerate_clouds_are_labelled),
    };
    return cmocka_run_group_tests(tests, make_cloud, NULL);
}
