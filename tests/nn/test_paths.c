/* Collapsed against direct: the same outputs and gradients to 1e-10 in double, in every variant the
 * algebra covers, also with scores spread so far that tables of exponentials underflow.
 * labels: quick
 * library: f64 */
#include "miniature.h"

#include "core/error.h"
#include "nn/running.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double largest(const real *a, int64_t n)
{
    double max = 0;
    for (int64_t i = 0; i < n; i++)
        max = fmax(max, fabs((double)a[i]));
    return max;
}

static double distance(const real *a, const real *b, int64_t n)
{
    double max = 0;
    for (int64_t i = 0; i < n; i++)
        max = fmax(max, fabs((double)a[i] - (double)b[i]));
    return max;
}

/* Multiplies the weights behind the scores, so that they spread over +-`spread`. */
static void spread_scores(struct model *m, double factor)
{
    for (int32_t i = 0; i < m->count; i++) {
        struct parameter *p = &m->parameters[i];
        if (strstr(p->name, "att.weight"))
            for (int64_t k = 0; k < p->rows * p->cols; k++)
                m->block[p->offset + k] *= (real)factor;
    }
}

/* The largest score of any block. */
static double score_spread(const struct miniature *m)
{
    double max = 0;
    for (int i = 0; i < m->network.plan->ops_count; i++) {
        const struct op *op = m->network.plan->ops[i];
        if (!strcmp(op->kind, "attend"))
            max = fmax(
                max, largest(op->in[1]->x, rows_of(m->network.plan, op->in[1]) * op->in[1]->cols));
    }
    return max;
}

static void compare_outputs(const struct miniature *a, const struct miniature *b, const char *what)
{
    const struct tensor *x = a->network.main, *y = b->network.main;
    int64_t n = rows_of(a->network.plan, x) * x->cols;
    double error = distance(x->x, y->x, n) / largest(x->x, n);
    if (!(error <= 1e-10))
        fail_msg("%s: outputs differ by %.1e", what, error);
}

/* The norms' statistics after one step: not in the outputs of training, but in all that follows. */
static void compare_statistics(const struct miniature *a, const struct miniature *b,
                               const char *what)
{
    running_apply(a->network.plan, a->record);
    running_apply(b->network.plan, b->record);
    for (int32_t i = 0; i < a->model->count; i++) {
        const struct parameter *p = &a->model->parameters[i];
        const real *x = a->model->block + p->offset, *y = b->model->block + p->offset;
        double error = distance(x, y, p->rows * p->cols);
        if (p->statistic && !(error <= 1e-10 * fmax(1, largest(x, p->rows * p->cols))))
            fail_msg("%s: %s differs by %.1e", what, p->name, error);
    }
}

static void compare(const char *settings, uint64_t seed, double spread)
{
    struct miniature a, b;
    char direct[256], collapsed[256];
    snprintf(direct, sizeof direct, "%s path=direct", settings);
    snprintf(collapsed, sizeof collapsed, "%s path=auto", settings);
    for (int training = 0; training < 2; training++) {
        mini_open(&a, direct, seed, training);
        mini_open(&b, collapsed, seed, training);
        spread_scores(a.model, spread);
        spread_scores(b.model, spread);
        if (!training) { /* constants were folded before the weights changed */
            network_free(&a.network);
            network_free(&b.network);
            mini_bind(&a, false);
            mini_bind(&b, false);
        }
        mini_loss(&a);
        mini_loss(&b);
        compare_outputs(&a, &b, collapsed);
        if (training) {
            plan_backward(a.network.plan);
            plan_backward(b.network.plan);
            compare_statistics(&a, &b, collapsed);
            double scale = largest(a.gradient, a.model->size), worst = 0;
            const char *where = "";
            for (int32_t i = 0; i < a.model->count; i++) {
                const struct parameter *p = &a.model->parameters[i];
                int64_t n = p->rows * p->cols;
                double own = largest(a.gradient + p->offset, n);
                double error = distance(a.gradient + p->offset, b.gradient + p->offset, n) /
                               fmax(own, 1e-3 * scale);
                if (error > worst) {
                    worst = error;
                    where = p->name;
                }
            }
            print_message("%-44s scores to %5.1f: worst gradient %.1e at %s\n", settings,
                          score_spread(&b), worst, where);
            assert_true(spread == 1 || score_spread(&b) > 200);
            assert_true(worst <= 1e-10);
        }
        mini_close(&a);
        mini_close(&b);
    }
}

static const char *const variants[] = {
    "maps=linear",
    "maps=bn",
    "heads=geometric",
    "heads=latent",
    "heads=pool",
    "heads=pool maps=bn",
    "cross=off",
    "heads=latent cross=off maps=bn",
    "features_per_head=2",
    "features_per_head=all",
    "features_per_head=4 maps=bn",
    "shortcut2=identity",
    "task=classify inputs=xyz",
    "task=classify inputs=xyz cls_norm=bn maps=bn",
    "underfull=pad",
    "underfull=pad maps=bn",
    "neighbours=nearest",
    "maps=linear k=2",
    "maps=value-relu",
    "maps=bn-relu",
    "maps=score-mlp",
    "maps=value-relu heads=pool",
    "maps=value-relu heads=latent features_per_head=2",
    "maps=bn-relu heads=geometric",
    "maps=bn-relu heads=latent cross=off",
    "maps=bn-relu heads=pool underfull=pad",
    "maps=bn-relu cross=off features_per_head=all",
    "maps=score-mlp heads=pool",
    "maps=score-mlp heads=geometric cross=off features_per_head=4",
    "maps=score-mlp task=classify inputs=xyz",
    "maps.inner=bn",
    "maps.value=bn",
    "maps.score=bn",
    "maps.inner=bn maps.value=bn-relu",
    "maps.score=bn-relu",
    "maps=bn maps.score=mlp",
    "maps=bn maps.score=bn-relu heads=latent features_per_head=2",
    "maps=value-relu maps.score=bn",
    "maps=value-relu maps.score=bn-relu",
    "maps=value-relu maps.score=mlp",
    "maps=bn-relu maps.value=linear",
    "maps=bn-relu maps.value=bn maps.score=bn",
    "maps=bn-relu maps.score=bn-relu heads=geometric",
    "maps=bn-relu maps.score=mlp",
    "maps=bn-relu maps.value=linear maps.score=mlp",
    "maps.init=kaiming k=8,8,6,4 k2=5",
    "k2=3 underfull=pad maps=bn",
    "heads=mean",
    "heads=mean maps=bn",
    "heads=mean maps=bn-relu",
    "heads=mean maps=value-relu",
    "maps=bn-relu features_per_head=2",
    "maps=bn-relu underfull=pad",
    "maps=bn-relu task=classify inputs=xyz",
    "heads=mean underfull=pad",
    "heads=none",
    "heads=none underfull=pad k=16",
    "heads=none task=classify inputs=xyz",
};

static void the_collapsed_path_is_the_direct_one_in_every_variant(void **state)
{
    (void)state;
    glt_threads_set(1);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        compare(variants[i], i + 1, 1);
}

/* Scores over +-200: some centres see nothing but zeros in the table, and take the guard. */
static void paths_agree_when_scores_are_far_apart(void **state)
{
    (void)state;
    glt_threads_set(1);
    compare("maps=linear", 1, 100);
    compare("maps=linear", 2, 170);
    compare("features_per_head=2", 3, 200);
    compare("task=classify inputs=xyz", 4, 200);
}

/* Folded norms cost no product that linear maps do not have. */
static void inference_of_bn_multiplies_what_linear_does(void **state)
{
    (void)state;
    struct miniature a, b;
    mini_open(&a, "maps=linear", 1, false);
    mini_open(&b, "maps=bn", 1, false);
    assert_true(plan_macs(a.network.plan, false) > 0);
    assert_int_equal(plan_macs(a.network.plan, false), plan_macs(b.network.plan, false));
    mini_close(&a);
    mini_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_collapsed_path_is_the_direct_one_in_every_variant),
        cmocka_unit_test(paths_agree_when_scores_are_far_apart),
        cmocka_unit_test(inference_of_bn_multiplies_what_linear_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
