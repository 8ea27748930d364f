/* Soft-max over rows against exponentials in double.
 * labels: quick */
#include "gelatto.h"
#include "model/softmax.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 700, C = 13, FIRST = 4, COUNT = 5 };
static float logits[N * C], y[N * C];

static void fill(float spread)
{
    for (int i = 0; i < N * C; i++)
        logits[i] = spread * (float)sin(0.7 * i) + (float)(i % 5);
}

static void check(int first, int count, double tolerance)
{
    for (int i = 0; i < N; i++) {
        const float *x = logits + i * C;
        double best = -INFINITY, sum = 0;
        for (int c = first; c < first + count; c++)
            best = fmax(best, (double)x[c]);
        for (int c = first; c < first + count; c++)
            sum += exp((double)x[c] - best);
        for (int c = 0; c < C; c++) {
            bool allowed = c >= first && c < first + count;
            double want = allowed ? exp((double)x[c] - best) / sum : 0;
            assert_true(fabs((double)y[i * C + c] - want) <= tolerance * (want + 1e-30));
        }
    }
}

static void probabilities_are_those_of_double_exponentials(void **state)
{
    (void)state;
    static const float spreads[] = {0, 3, 60};
    for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++) {
        fill(spreads[s]);
        assert_int_equal(softmax(y, logits, N, C, 0, C), 0);
        check(0, C, 1e-5);
    }
}

static void classes_that_are_not_allowed_have_no_probability(void **state)
{
    (void)state;
    fill(3);
    logits[0] = 1e30f; /* outside: neither counted nor an overflow */
    logits[1] = NAN;
    assert_int_equal(softmax(y, logits, N, C, FIRST, COUNT), 0);
    check(FIRST, COUNT, 1e-5);
}

static void scores_far_below_the_best_get_nothing(void **state)
{
    (void)state;
    float x[2] = {0, -2000}, p[2];
    assert_int_equal(softmax(p, x, 1, 2, 0, 2), 0);
    assert_true(p[0] == 1 && p[1] == 0);
}

static void a_score_that_is_not_finite_is_an_error(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fill(3);
        memset(y, 0, sizeof y);
        logits[C * (N - 1) + 2] = bad[i];
        assert_int_equal(softmax(y, logits, N, C, 0, C), GLT_ENUMERIC);
        assert_true(y[0] == 0); /* nothing is written */
    }
}

static void the_result_may_overwrite_the_scores(void **state)
{
    (void)state;
    fill(3);
    assert_int_equal(softmax(y, logits, N, C, 0, C), 0);
    assert_int_equal(softmax(logits, logits, N, C, 0, C), 0);
    assert_memory_equal(logits, y, sizeof y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_are_those_of_double_exponentials),
        cmocka_unit_test(classes_that_are_not_allowed_have_no_probability),
        cmocka_unit_test(scores_far_below_the_best_get_nothing),
        cmocka_unit_test(a_score_that_is_not_finite_is_an_error),
        cmocka_unit_test(the_result_may_overwrite_the_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
