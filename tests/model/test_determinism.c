/* The same bits for 1, 2, 3 and 8 threads: outputs, gradients, and the parameters after 20 steps,
 * with dropout, new random inputs and new random neighbours in every step. The network is wide
 * enough for 16 partitions of work and more; that several threads had some of it is checked.
 * labels: quick full nightly threads slow */
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "model/engine.h"
#include "model/trainer.h"
#include "settings.h"
#include "tier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 2100, CLOUDS = 2, CLASSES = 13, STEPS = 20 };

static const int threads[] = {1, 2, 3, 8};

static struct model *new_model(const char *settings)
{
    return settings_model("levels=2048,256,64,32 k=8 stem=64 width=128,32,32,32 "
                          "decoder=32,32,32,32,32,32,64,64 head_hidden=64 lr=1e-3",
                          settings, CLASSES);
}

/* A cloud that every step scales, turns and jitters anew, as augmentation would. */
static void make_points(struct glt_points *p, float *xyz, float *rgb, int32_t *labels, int step,
                        int b)
{
    struct random r = random_start(random_stream(21, (uint32_t)step, (uint32_t)b, RANDOM_TEST), 0);
    float scale = 0.8f + 0.4f * (float)random_uniform(&r);
    int turn = (int)random_below(&r, 2);
    for (int i = 0; i < POINTS * 3; i++) {
        float v = scale * (float)random_uniform(&r) + 0.01f * (float)random_normal(&r);
        xyz[i] = i % 3 == 0 && turn ? -v : v;
        rgb[i] = (float)random_uniform(&r);
    }
    for (int i = 0; i < POINTS; i++)
        labels[i] = (int32_t)random_below(&r, CLASSES + 1) - 1;
    *p = (struct glt_points){.size = sizeof *p,
                             .n = POINTS,
                             .xyz = xyz,
                             .type = GLT_F32,
                             .channels = 3,
                             .features = rgb,
                             .labels = labels};
}

/* Bits of the parameters and the losses after `steps` steps on t threads. */
static real *train(const char *settings, int t, int steps, int64_t *n, double losses[6])
{
    static float xyz[CLOUDS][POINTS * 3], rgb[CLOUDS][POINTS * 3];
    static int32_t labels[CLOUDS][POINTS];
    struct glt_points clouds[CLOUDS];
    struct model *m = new_model(settings);
    struct glt_trainer *trainer;
    assert_int_equal(glt_threads_set(t), 0);
    assert_int_equal(glt_trainer_create(&trainer, (struct glt_model *)m, CLOUDS, POINTS), 0);
    for (int step = 0; step < steps; step++) {
        for (int b = 0; b < CLOUDS; b++)
            make_points(&clouds[b], xyz[b], rgb[b], labels[b], step, b);
        assert_int_equal(glt_trainer_step(trainer, clouds, CLOUDS, 0, losses), 0);
    }
    glt_trainer_free(trainer);
    real *block = m->block;
    *n = m->size;
    m->block = NULL;
    model_free(m);
    return block;
}

/* One thread against so many. */
static void same_training(const char *settings, int steps, const int *many, int n_many)
{
    double losses[6], other[6];
    int64_t n;
    real *one = train(settings, 1, steps, &n, losses);
    for (int i = 0; i < n_many; i++) {
        parallel_witnesses();
        real *more = train(settings, many[i], steps, &n, other);
        assert_int_equal(parallel_witnesses(), many[i]); /* all of them worked */
        if (memcmp(one, more, (size_t)n * sizeof(real)) || memcmp(losses, other, sizeof losses))
            fail_msg("%s: %d threads give other bits than one", settings, many[i]);
        memory_free(more);
    }
    memory_free(one);
}

/* Every kind of maps and every baseline. */
static const char *const kinds[] = {
    "maps=bn features_per_head=2",
    "maps=bn k2=4",
    "maps=value-relu k=4",
    "maps=bn-relu k=4",
    "maps=score-mlp k=4",
    "maps=bn maps.value=bn-relu maps.score=mlp k=4",
    "maps=bn-relu maps.value=linear maps.score=bn k=4",
    "heads=geometric maps=bn",
    "heads=latent maps=bn-relu k=4",
    "heads=pool clip=0.5",
    "heads=mean maps=bn",
    "heads=mean maps=bn-relu k=4",
    "heads=none k2=4",
};

/* After one step Adam's moments are the gradient: its bits stand in the parameters. A kind meets
 * one number of threads in tier full, all of them in tier nightly. */
static void training_has_the_same_bits_for_any_threads(void **state)
{
    (void)state;
    enum { KINDS = sizeof kinds / sizeof *kinds };
    same_training("", (int)tier_pick(2, STEPS, STEPS), threads + 2, 1);
    if (tier() == TIER_QUICK)
        return;
    same_training("", (int)tier_pick(0, 3, STEPS), threads + 1, 1);
    same_training("", (int)tier_pick(0, 2, STEPS), threads + 3, 1); /* of 2 cores: mostly waiting */
    for (int i = 0; i < KINDS; i++)
        if (tier() == TIER_NIGHTLY)
            same_training(kinds[i], 2, threads + 1, 3);
        else
            same_training(kinds[i], 1, threads + 1 + i % 3, 1);
}

static void same_inference(const char *settings)
{
    static float xyz[POINTS * 3], rgb[POINTS * 3], logits[4][POINTS * CLASSES];
    static int32_t labels[POINTS];
    struct glt_points p;
    struct model *m = new_model(settings);
    struct sampler_cloud c = {.n = POINTS, .xyz = xyz, .features = rgb};
    make_points(&p, xyz, rgb, labels, 0, 0);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct engine *e;
        assert_int_equal(glt_threads_set(threads[i]), 0);
        assert_int_equal(engine_create(&e, m, POINTS, ENGINE_LOGITS), 0);
        parallel_witnesses();
        assert_int_equal(engine_run(e, logits[i], &c), 0);
        assert_true(threads[i] == 1 || parallel_witnesses() == threads[i]);
        engine_free(e);
        assert_memory_equal(logits[i], logits[0], sizeof logits[0]);
    }
    model_free(m);
}

static void inference_has_the_same_bits_for_any_threads(void **state)
{
    (void)state;
    same_inference("");
    if (tier() == TIER_QUICK)
        return;
    same_inference("maps=bn");
    same_inference("maps=value-relu");
    same_inference("maps=bn-relu");
    same_inference("maps=score-mlp");
    same_inference("path=direct k=4");
    same_inference("maps=bn-relu maps.score=mlp");
    same_inference("heads=mean maps=value-relu");
    same_inference("heads=none");
}

/* Enough partitions for this to test anything. */
static void work_is_divided_into_enough_partitions(void **state)
{
    (void)state;
    struct model *m = new_model("");
    struct trainer *t;
    assert_int_equal(trainer_create(&t, m, CLOUDS, POINTS), 0);
    int wide = 0;
    const struct plan *p = t->network.plan;
    for (int i = 0; i < p->ops_count; i++) {
        const struct tensor *y = p->ops[i]->out[0];
        if (y->kind != ROWS_FIXED)
            wide += parallel_chunks(rows_max(p, y), plan_grain(y->cols)) >= 16;
    }
    print_message("%d of %d ops have 16 partitions or more\n", wide, p->ops_count);
    assert_true(wide >= 16);
    trainer_free(t);
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_divided_into_enough_partitions),
        cmocka_unit_test(inference_has_the_same_bits_for_any_threads),
        cmocka_unit_test(training_has_the_same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
