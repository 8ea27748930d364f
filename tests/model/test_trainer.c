/* Losses against values worked out by hand, Adam against a plain one in double.
 * labels: quick
 * library: f64 */
#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "model/trainer.h"
#include "nn/ops.h"
#include "sampling/sampler.h"
#include "settings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4, CLASSES = 3 };

/* Two clouds of two rows at level 0; logits that give round probabilities. */
static double logits[ROWS * CLASSES], gradient[ROWS * CLASSES];
static const double shares[ROWS][CLASSES] = {
    {0.5, 0.25, 0.25}, {0.1, 0.2, 0.7}, {0.25, 0.25, 0.5}, {0.8, 0.1, 0.1}};

struct loss_case {
    const int32_t *labels, *first, *count;
    const real *weight;
    double smoothing;
};

static double run_loss(const struct loss_case *k)
{
    static const int32_t clouds[3] = {0, 2, 4};
    int64_t capacity[ROWS_KINDS] = {0};
    struct plan *p = plan_create(true);
    assert_non_null(p);
    for (int i = 0; i < ROWS * CLASSES; i++) {
        logits[i] = log(shares[i / CLASSES][i % CLASSES]) + i / CLASSES; /* a shift is harmless */
        gradient[i] = 77;
    }
    struct tensor *x = plan_outside(p, ROWS_LEVEL, 0, CLASSES, logits, gradient);
    op_loss(p, x, 0, 0);
    capacity[ROWS_LEVEL] = ROWS;
    capacity[ROWS_CLOUDS] = 2;
    assert_int_equal(plan_bind(p, capacity, true), 0);
    p->batch.rows[ROWS_LEVEL] = ROWS;
    p->batch.rows[ROWS_CLOUDS] = p->batch.clouds = 2;
    p->batch.first[0] = clouds;
    p->batch.labels[0] = k->labels;
    p->batch.class_first = k->first;
    p->batch.class_count = k->count;
    p->batch.class_weight = k->weight;
    p->label_smoothing = k->smoothing;
    p->loss_weight[0] = 2;
    plan_forward(p);
    plan_backward(p);
    double loss = p->loss[0];
    plan_free(p);
    return loss;
}

static void losses_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    const int32_t labels[ROWS] = {0, 2, 2, 0};
    double loss = run_loss(&(struct loss_case){.labels = labels});
    assert_float_equal(loss, -(log(0.5) + log(0.7) + log(0.5) + log(0.8)) / 4, 1e-12);
    for (int i = 0; i < ROWS * CLASSES; i++) /* weight 2: 2/4 (p - onehot) */
        assert_float_equal(
            gradient[i],
            0.5 * (shares[i / CLASSES][i % CLASSES] - (i % CLASSES == labels[i / CLASSES])), 1e-12);
}

static void ignored_labels_take_no_part(void **state)
{
    (void)state;
    const int32_t labels[ROWS] = {-1, 1, -1, 99}, none[ROWS] = {-1, -1, -1, -1};
    double loss = run_loss(&(struct loss_case){.labels = labels});
    assert_float_equal(loss, -log(0.2), 1e-12);
    for (int i = 0; i < ROWS * CLASSES; i++)
        assert_true((gradient[i] == 0) == (i / CLASSES != 1));
    assert_true(run_loss(&(struct loss_case){.labels = none}) == 0);
    for (int i = 0; i < ROWS * CLASSES; i++)
        assert_true(gradient[i] == 0);
}

/* s = 0.3: the target of row 0 is 0.8, 0.1, 0.1. */
static void smoothed_targets_give_the_loss_by_hand(void **state)
{
    (void)state;
    const int32_t labels[ROWS] = {0, -1, -1, -1};
    double loss = run_loss(&(struct loss_case){.labels = labels, .smoothing = 0.3});
    assert_float_equal(loss, -(0.8 * log(0.5) + 0.2 * log(0.25)), 1e-12);
    assert_float_equal(gradient[0], 2 * (0.5 - 0.8), 1e-12);
    assert_float_equal(gradient[1], 2 * (0.25 - 0.1), 1e-12);
}

static void class_weights_scale_the_loss(void **state)
{
    (void)state;
    const int32_t labels[ROWS] = {0, 2, -1, 1};
    const real weight[CLASSES] = {1, 2, 5};
    double loss = run_loss(&(struct loss_case){.labels = labels, .weight = weight});
    assert_float_equal(loss, -(1 * log(0.5) + 5 * log(0.7) + 2 * log(0.1)) / 8, 1e-12);
    assert_float_equal(gradient[2 * CLASSES - 1], 2 * 5.0 / 8 * (0.7 - 1), 1e-12);
}

/* The first cloud has classes 0 and 1, the second 1 and 2: others take no part. */
static void parts_of_other_categories_take_no_part(void **state)
{
    (void)state;
    const int32_t labels[ROWS] = {0, 2, 2, 1}, first[2] = {0, 1}, count[2] = {2, 2};
    struct loss_case k = {.labels = labels, .first = first, .count = count, .smoothing = 0.2};
    double loss = run_loss(&k);
    double a = -(0.9 * log(0.5 / 0.75) + 0.1 * log(0.25 / 0.75));
    double b = -(0.9 * log(0.5 / 0.75) + 0.1 * log(0.25 / 0.75)), c = -log(0.5);
    assert_float_equal(loss, (a + b + c) / 3, 1e-12); /* row 1: label 2 is not of its category */
    assert_true(gradient[2] == 0 && gradient[2 * CLASSES] == 0 && gradient[3] == 0);
    assert_float_equal(gradient[0], 2.0 / 3 * (0.5 / 0.75 - 0.9), 1e-12);
}

/* --- Adam --- */

static struct model *new_model(const char *settings)
{
    return settings_model("task=classify inputs=xyz levels=32,16,8,4 width=8,8,8,8 stem=8 k=4 "
                          "cls_hidden=8",
                          settings, CLASSES);
}

static void check_adam(const char *settings, double lr)
{
    enum { POINTS = 60, STEPS = 5 };
    struct model *m = new_model(settings);
    struct trainer *t;
    struct arena arena;
    struct pyramid part, joined;
    const struct pyramid *list[1] = {&part};
    float xyz[POINTS * 3];
    int32_t label[1] = {1};
    size_t bytes, n = (size_t)m->size;
    struct pyramid_options o = sampler_pyramid(&m->config.network, m->config.task, m->config.seed);
    struct random r = random_start(random_stream(41, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < POINTS * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    assert_int_equal(pyramid_bytes(&bytes, &o, POINTS), 0);
    assert_int_equal(arena_init(&arena, 2 * bytes + 4096), 0);
    assert_int_equal(pyramid_build(&part, &arena, &o, xyz, POINTS), 0);
    pyramid_join(&joined, &arena, list, 1);
    assert_int_equal(trainer_create(&t, m, 1, POINTS), 0);
    double *w = memory_alloc(n, sizeof *w), *first = memory_alloc(n, sizeof *w);
    double *second = memory_alloc(n, sizeof *w);
    for (size_t i = 0; i < n; i++)
        w[i] = m->block[i];
    const struct config *c = &m->config;
    for (int step = 1; step <= STEPS; step++) {
        struct batch b = {
            .pyramid = joined, .features = joined.xyz, .category = label, .number = step};
        assert_int_equal(trainer_step(t, &b, lr), 0);
        double clip = c->training.clip > 0 && t->norm > c->training.clip ? 1 : 0, norm = 0;
        for (size_t i = 0; i < n; i++) { /* the trainer's gradient is already clipped */
            double g = t->gradient[i];
            norm += g * g;
            first[i] = c->training.beta1 * first[i] + (1 - c->training.beta1) * g;
            second[i] = c->training.beta2 * second[i] + (1 - c->training.beta2) * g * g;
            double mh = first[i] / (1 - pow(c->training.beta1, step));
            double vh = second[i] / (1 - pow(c->training.beta2, step));
            w[i] -= lr * mh / (sqrt(vh) + c->training.eps);
        }
        assert_float_equal(sqrt(norm), clip ? c->training.clip : t->norm, 1e-9 * t->norm);
    }
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i];
        for (int64_t e = p->offset; e < p->offset + p->rows * p->cols && !p->statistic; e++)
            if (fabs(m->block[e] - w[e]) > 1e-9)
                fail_msg("%s: %.12g, a plain Adam has %.12g", p->name, (double)m->block[e], w[e]);
        /* running statistics are the norm's business, not Adam's */
        for (int64_t e = p->offset; e < p->offset + p->rows * p->cols && p->statistic; e++)
            assert_true(t->gradient[e] == 0 && t->m[e] == 0 && t->v[e] == 0);
    }
    memory_free(w);
    memory_free(first);
    memory_free(second);
    trainer_free(t);
    arena_free(&arena);
    model_free(m);
}

static void adam_is_a_plain_one_in_double(void **state)
{
    (void)state;
    glt_threads_set(1);
    check_adam("", 1e-3);
    check_adam("beta1=0 beta2=0.5 eps=0.01", 0.1);
    check_adam("clip=0.01", 1e-3);
}

/* aux: weights of the auxiliary losses from the coarsest, beside the main loss. */
static void each_auxiliary_loss_has_its_own_weight(void **state)
{
    (void)state;
    static const double weights[] = {1, 0.125, 0.25, 0.5, 0.75};
    struct model *m = settings_model("preset=tiny levels=16,8,4,2", "aux=0.125,0.25,0.5,0.75", 4);
    struct trainer *t;
    assert_int_equal(trainer_create(&t, m, 1, 32), 0);
    for (int i = 0; i < PLAN_LOSSES; i++)
        assert_true(t->network.plan->loss_weight[i] == weights[i]);
    trainer_free(t);
    model_free(m);
}

/* Half of the units are zero, the others twice as large: the mean stays. */
static void dropout_keeps_the_mean(void **state)
{
    (void)state;
    enum { N = 500, C = 16 };
    static real x[N * C], dx[N * C];
    int64_t capacity[ROWS_KINDS] = {0};
    int dropped = 0;
    struct plan *p = plan_create(true);
    assert_non_null(p);
    for (int i = 0; i < N * C; i++)
        x[i] = 1;
    p->dropout = 0.5;
    struct tensor *y = op_dropout(p, plan_outside(p, ROWS_LEVEL, 0, C, x, dx), 0);
    strcpy(y->name, "kept"); /* to the end of the walk */
    capacity[ROWS_LEVEL] = N;
    assert_int_equal(plan_bind(p, capacity, true), 0);
    p->batch.rows[ROWS_LEVEL] = N;
    p->batch.dropout = random_stream(1, 2, 3, RANDOM_DROPOUT);
    plan_forward(p);
    for (int i = 0; i < N * C; i++) {
        assert_true(y->x[i] == 0 || y->x[i] == 2);
        dropped += y->x[i] == 0;
    }
    assert_in_range(dropped, N * C / 2 - 200, N * C / 2 + 200);
    plan_free(p);
}

/* part_loss=mixed: batches 0, 4, 8.. have the loss of all parts, the others that of the category.
 */
static void mixed_losses_take_turns(void **state)
{
    (void)state;
    enum { N = 60 };
    static const char *const kinds[] = {"all", "category", "mixed"};
    double loss[3][6];
    float xyz[N * 3];
    int32_t labels[N];
    struct random r = random_start(random_stream(44, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < N * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    for (int i = 0; i < N; i++)
        labels[i] = 1 + i % 2;
    for (int kind = 0; kind < 3; kind++) {
        char pairs[64];
        struct trainer *t;
        struct sampler s = {0};
        struct batch b;
        snprintf(pairs, sizeof pairs, "part_loss=%s dropout=0 bn_momentum=0", kinds[kind]);
        struct model *m =
            settings_model("task=parts inputs=xyz levels=32,16,8,4 width=8 stem=8 k=4 "
                           "decoder=8 head_hidden=8",
                           pairs, 5);
        s.pyramid = sampler_pyramid(&m->config.network, m->config.task, 0);
        s.channels = 3;
        assert_int_equal(sampler_reserve(&s, 1, N), 0);
        sampler_begin(&s);
        struct sampler_cloud cloud = {
            .n = N, .xyz = xyz, .labels = labels, .class_first = 1, .class_count = 2};
        assert_int_equal(sampler_add(&s, &cloud), 0);
        assert_int_equal(sampler_join(&b, &s, NULL), 0);
        assert_int_equal(trainer_create(&t, m, 1, N), 0);
        for (int i = 0; i < 6; i++) {
            b.number = i;
            assert_int_equal(trainer_step(t, &b, 0), 0);
            loss[kind][i] = t->loss;
        }
        trainer_free(t);
        sampler_free(&s);
        model_free(m);
    }
    for (int i = 0; i < 6; i++) {
        assert_true(loss[0][i] != loss[1][i]);
        assert_true(loss[2][i] == loss[i % 4 ? 1 : 0][i]);
    }
}

/* Dropout is drawn anew in each epoch and for each batch, and only then: with a rate of 0 nothing
 * else changes the loss. */
static void dropout_differs_from_epoch_to_epoch_and_batch_to_batch(void **state)
{
    (void)state;
    enum { N = 60 };
    static const struct {
        uint32_t epoch;
        int64_t number;
    } places[] = {{0, 0}, {0, 0}, {1, 0}, {0, 1}};
    struct model *m = new_model("dropout=0.5 bn_momentum=0");
    struct trainer *t;
    struct sampler s = {0};
    struct batch b;
    float xyz[N * 3];
    double loss[4];
    struct random r = random_start(random_stream(43, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < N * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    s.pyramid = sampler_pyramid(&m->config.network, m->config.task, 0);
    s.channels = 3;
    assert_int_equal(sampler_reserve(&s, 1, N), 0);
    sampler_begin(&s);
    struct sampler_cloud cloud = {.n = N, .xyz = xyz, .category = 1};
    assert_int_equal(sampler_add(&s, &cloud), 0);
    assert_int_equal(sampler_join(&b, &s, NULL), 0);
    assert_int_equal(trainer_create(&t, m, 1, N), 0);
    for (int i = 0; i < 4; i++) {
        b.epoch = places[i].epoch;
        b.number = places[i].number;
        assert_int_equal(trainer_step(t, &b, 0), 0);
        loss[i] = t->loss;
    }
    assert_true(loss[0] == loss[1]);
    assert_true(loss[0] != loss[2]);
    assert_true(loss[0] != loss[3]);
    trainer_free(t);
    sampler_free(&s);
    model_free(m);
}

/* A loss that is not finite leaves the weights as they were. */
static void a_loss_that_is_not_finite_leaves_the_weights(void **state)
{
    (void)state;
    struct model *m = new_model("");
    float xyz[60 * 3];
    int32_t label = 1;
    struct glt_trainer *t;
    struct random r = random_start(random_stream(42, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < 60 * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    struct glt_points p = {
        .size = sizeof p, .n = 60, .xyz = xyz, .type = GLT_F32, .labels = &label};
    m->block[model_find(m, "cls.logits.bias")->offset] = INFINITY;
    assert_int_equal(glt_trainer_create(&t, (struct glt_model *)m, 1, 60), 0);
    const struct parameter *stem = model_find(m, "stem.weight");
    real before = m->block[stem->offset];
    assert_int_equal(glt_trainer_step(t, &p, 1, 0, NULL), GLT_ENUMERIC);
    assert_error("VALUE loss");
    assert_true(m->block[stem->offset] == before);
    glt_trainer_free(t);
    model_free(m);
}

/* Features whose squares leave the range of float: the loss is finite, the variance is not. */
static void statistics_that_overflow_are_an_error(void **state)
{
    (void)state;
    struct model *m = new_model("inputs=xyz,intensity");
    enum { N = 60 };
    float xyz[N * 3], intensity[N] = {0};
    int32_t label = 1;
    struct glt_trainer *t;
    struct random r = random_start(random_stream(42, 0, 0, RANDOM_TEST), 0);
    for (int i = 0; i < N * 3; i++)
        xyz[i] = (float)random_uniform(&r);
    struct glt_points p = {.size = sizeof p,
                           .n = N,
                           .xyz = xyz,
                           .type = GLT_F32,
                           .labels = &label,
                           .features = intensity,
                           .channels = 1};
    assert_int_equal(glt_trainer_create(&t, (struct glt_model *)m, 1, N), 0);
    assert_int_equal(glt_trainer_step(t, &p, 1, 0, NULL), 0);
    real *before = memory_alloc((size_t)m->size, sizeof *before);
    memcpy(before, m->block, (size_t)m->size * sizeof *before);
    intensity[7] = 3e25f;
    assert_int_equal(glt_trainer_step(t, &p, 1, 0, NULL), GLT_ENUMERIC);
    assert_memory_equal(before, m->block, (size_t)m->size * sizeof *before);
    memory_free(before);
    glt_trainer_free(t);
    model_free(m);
}

/* What a step of the paper's network takes, measured without allocating it. */
static void edges_take_the_memory_of_one_block(void **state)
{
    (void)state;
    struct model *m = settings_model("preset=paper", "maps=bn-relu", 13);
    struct network n;
    struct network_options o = {.training = true, .batch = 2, .points = 6144, .gradient = m->block};
    assert_int_equal(network_create(&n, m, &o, false), 0);
    double numbers = (double)n.plan->bytes / sizeof(real);
    assert_true(numbers > 100e6 && numbers < 280e6); /* 1.6 billion when all edges were kept */
    network_free(&n);
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_worked_out_by_hand),
        cmocka_unit_test(ignored_labels_take_no_part),
        cmocka_unit_test(smoothed_targets_give_the_loss_by_hand),
        cmocka_unit_test(class_weights_scale_the_loss),
        cmocka_unit_test(parts_of_other_categories_take_no_part),
        cmocka_unit_test(adam_is_a_plain_one_in_double),
        cmocka_unit_test(each_auxiliary_loss_has_its_own_weight),
        cmocka_unit_test(dropout_keeps_the_mean),
        cmocka_unit_test(mixed_losses_take_turns),
        cmocka_unit_test(dropout_differs_from_epoch_to_epoch_and_batch_to_batch),
        cmocka_unit_test(a_loss_that_is_not_finite_leaves_the_weights),
        cmocka_unit_test(statistics_that_overflow_are_an_error),
        cmocka_unit_test(edges_take_the_memory_of_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
