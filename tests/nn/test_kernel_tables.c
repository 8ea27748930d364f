/* Training with the kernels of every instruction set: the gradients are those of the plain C
 * reference, in every variant of the miniature network. The oracle checks the double build, which
 * has the reference only.
 * labels: quick */
#include "miniature.h"

#include "gelatto.h"
#include "kernels/kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double TOLERANCE = 5e-4; /* of the largest gradient */
enum { DRAWS = 6 };

static double step(struct miniature *m, const char *table)
{
    assert_int_equal(kernels_force(table), 0);
    double loss = mini_loss(m);
    plan_backward(m->network.plan);
    return loss;
}

/* The largest difference, as a share of the largest gradient. */
static double difference(const struct miniature *m, const real *wanted)
{
    double size = 0, worst = 0;
    for (int64_t i = 0; i < m->model->size; i++)
        size = fmax(size, fabs((double)wanted[i]));
    for (int64_t i = 0; i < m->model->size; i++) {
        double error = fabs((double)m->gradient[i] - (double)wanted[i]);
        worst = fmax(worst, isnan(error) ? INFINITY : error);
    }
    assert_true(size > 0);
    return worst / size;
}

/* The largest difference of any table from the reference. */
static double worst_table(const char *settings, uint64_t seed)
{
    double worst = 0;
    struct miniature m;
    int can_run;
    const struct kernels *table;
    mini_open(&m, settings, seed, true);
    double loss = step(&m, "ref");
    size_t bytes = (size_t)m.model->size * sizeof(real);
    real *wanted = malloc(bytes);
    assert_non_null(wanted);
    memcpy(wanted, m.gradient, bytes);
    for (int i = 1; (table = kernels_at(i, &can_run)) != NULL; i++) {
        if (!can_run)
            continue;
        memset(m.gradient, 0, bytes);
        assert_true(fabs(step(&m, table->name) - loss) <= TOLERANCE * loss);
        worst = fmax(worst, difference(&m, wanted));
    }
    free(wanted);
    mini_close(&m);
    return worst;
}

/* A ReLU whose input rounds to another side of zero changes the gradients of one draw: the best of
 * a few counts. A wrong kernel is wrong in all of them. */
static void check(const char *settings)
{
    double best = INFINITY;
    for (uint64_t seed = 1; seed <= DRAWS && !(best <= TOLERANCE); seed++)
        best = fmin(best, worst_table(settings, seed));
    print_message("%-60s %.1e\n", settings, best);
    assert_true(best <= TOLERANCE);
}

static void every_table_has_the_gradients_of_the_reference(void **state)
{
    (void)state;
    glt_threads_set(1); /* so small a network only waits for its threads */
    for (int i = 0; mini_variants[i]; i++)
        check(mini_variants[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_has_the_gradients_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
