/* Gradients of the whole miniature network, in every variant, against central differences.
 * labels: quick full slow nightly
 * library: f64 */
#include "miniature.h"

#include "core/error.h"
#include "tier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COORDINATES = 20 };
static const double TOLERANCE = 1e-6;
#define STEP 3e-7

static double loss_at(struct miniature *m, real *w, double step)
{
    real old = *w;
    *w = old + step;
    double loss = mini_loss(m);
    *w = old;
    return loss;
}

/* The central difference. */
static double slope(struct miniature *m, real *w, double step)
{
    return (loss_at(m, w, step) - loss_at(m, w, -step)) / (2 * step);
}

struct tally {
    int checked, rejected;
    double worst;
    char where[64];
};

/* Relative error against the difference of one step: large where rounding, curvature or a kink
 * (ReLU, maximum) within the step spoils it. */
static double error_of(struct miniature *m, real *w, double g, double floor_, double step)
{
    double d = slope(m, w, step);
    return fabs(g - d) / fmax(fmax(fabs(g), fabs(d)), floor_);
}

/* A wrong gradient is wrong by as much with another step and on both sides. With kinks within the
 * steps the differences are not the same; with one in the point itself the gradient is that of a
 * side. */
static bool at_kink(struct miniature *m, real *w, double g, double floor_)
{
    double d = slope(m, w, STEP);
    if (fabs(d - slope(m, w, 2 * STEP)) > TOLERANCE * fmax(fabs(d), floor_))
        return true;
    double here = mini_loss(m);
    double above = fabs((loss_at(m, w, STEP) - here) / STEP - g);
    double below = fabs((here - loss_at(m, w, -STEP)) / STEP - g);
    return fmax(above, below) > 4 * fmin(above, below);
}

/* A right gradient agrees with some step: short ones suffer from rounding, long ones meet kinks. */
static void check_coordinate(struct miniature *m, const struct parameter *p, int64_t i,
                             double floor_, struct tally *t)
{
    static const double steps[] = {STEP, 3 * STEP, 9 * STEP, STEP / 3};
    real *w = m->model->block + p->offset + i;
    double g = m->gradient[p->offset + i], error = INFINITY;
    for (int k = 0; k < 4 && error > TOLERANCE; k++)
        error = fmin(error, error_of(m, w, g, floor_, steps[k]));
    t->checked++;
    if (error > TOLERANCE && at_kink(m, w, g, floor_))
        t->rejected++;
    else if (error > t->worst) {
        t->worst = error;
        snprintf(t->where, sizeof t->where, "%.40s[%lld]", p->name, (long long)i);
    }
}

/* `scope`: all tensors, or those of the first and the last encoder level, where a variant of the
 * layer makes its difference. */
static bool in_scope(const struct parameter *p, bool all)
{
    return !p->statistic && (all || !strncmp(p->name, "enc1", 4) || !strncmp(p->name, "enc4", 4));
}

static struct tally check_seed(const char *settings, bool all, uint64_t seed, int coordinates)
{
    struct miniature m;
    mini_open(&m, settings, seed, true);
    mini_loss(&m);
    plan_backward(m.network.plan);
    double norm = 0;
    for (int64_t i = 0; i < m.model->size; i++)
        norm = fmax(norm, fabs(m.gradient[i]));
    struct tally t = {0};
    int total = 0;
    for (int32_t k = 0; k < m.model->count; k++)
        total += in_scope(&m.model->parameters[k], all) ? coordinates : 0;
    for (int32_t k = 0; k < m.model->count && t.rejected <= total / 100; k++) {
        const struct parameter *p = &m.model->parameters[k];
        struct random r = random_start(random_stream(seed, 7, (uint32_t)k, RANDOM_TEST), 0);
        for (int c = 0; c < coordinates && in_scope(p, all); c++)
            check_coordinate(&m, p, random_below(&r, (uint32_t)(p->rows * p->cols)), 1e-2 * norm,
                             &t);
    }
    mini_close(&m);
    return t;
}

/* A draw that itself sits near kinks rejects many coordinates and is replaced. */
static void check_variant(const char *settings, bool all, uint64_t seed, int coordinates)
{
    struct tally t = check_seed(settings, all, seed, coordinates);
    for (uint64_t again = 1; again <= 9 && t.rejected > t.checked / 100; again++)
        t = check_seed(settings, all, seed + 1000 * again, coordinates);
    print_message("%-46s %6d checked, %3d kinks, worst %.1e at %s\n", settings, t.checked,
                  t.rejected, t.worst, t.where);
    assert_true(t.checked > 0);
    assert_true(t.rejected <= t.checked / 100);
    assert_true(t.worst <= TOLERANCE);
}

static const struct {
    const char *settings;
    bool all;
} variants[] = {
    {"maps=linear", true},
    {"maps=bn", true},
    {"maps=score-mlp path=direct", false},
    {"maps=score-mlp", false},
    {"maps=bn-relu", false},
    {"maps=linear path=direct", false},
    {"maps=bn path=direct", false},
    {"maps=value-relu path=direct", false},
    {"maps=bn-relu path=direct", false},
    {"heads=geometric", false},
    {"heads=latent", false},
    {"heads=pool", false},
    {"heads=pool path=direct", false},
    {"cross=off", false},
    {"heads=geometric cross=off", false},
    {"heads=latent cross=off maps=bn", false},
    {"features_per_head=2", false},
    {"features_per_head=all path=direct", false},
    {"features_per_head=4 maps=bn", false},
    {"shortcut2=identity", false},
    {"task=classify inputs=xyz", true},
    {"task=classify inputs=xyz cls_norm=bn maps=bn", false},
    {"underfull=pad maps=bn", false},
    {"underfull=pad path=direct", false},
    {"neighbours=knn", false},
    {"maps.inner=bn maps.value=bn-relu maps.score=bn", false},
    {"maps=bn maps.score=mlp", false},
    {"maps=bn-relu maps.value=bn maps.score=bn-relu", false},
    {"maps.value=bn maps.init=kaiming k2=5", false},
    {"maps.score=bn-relu", false},
    {"maps=value-relu maps.score=bn", false},
    {"maps=bn-relu underfull=pad", false},
    {"maps=bn-relu maps.score=mlp heads=latent", false},
    {"maps=bn-relu heads=geometric cross=off", false},
    {"maps=bn-relu features_per_head=2", false},
    {"maps=bn-relu task=classify inputs=xyz", false},
    {"heads=mean", false},
    {"heads=mean maps=bn", false},
    {"heads=mean path=direct", false},
    {"heads=mean maps=bn-relu", false},
    {"heads=none", true},
    {"heads=none path=direct", false},
    {"heads=none underfull=pad k2=5", false},
    {"heads=none task=classify inputs=xyz", false},
};

/* Whole networks with every tensor, the layer's variants with the first and the last level's: 20
 * seeds and coordinates of each in tier nightly, in tier full one seed and few coordinates, in
 * tier quick one of each for the networks. */
static void gradients_are_central_differences_in_every_variant(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof variants / sizeof *variants); i++) {
        bool all = variants[i].all;
        int64_t seeds = tier_pick(all, 1, 20), coordinates = tier_pick(1, all ? 2 : 1, COORDINATES);
        for (int64_t seed = 1; seed <= seeds; seed++)
            check_variant(variants[i].settings, all, (uint64_t)seed, (int)coordinates);
    }
}

/* test_gradients SETTINGS [SEED [COORDINATES]] is one network by hand. */
int main(int argc, char **argv)
{
    glt_threads_set(1); /* so small a network only waits for its threads */
    if (argc > 1 && strchr(argv[1], '=')) {
        check_variant(argv[1], true, argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
                      argc > 3 ? atoi(argv[3]) : COORDINATES);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_central_differences_in_every_variant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
