/* Metrics against cases computed by hand.
 * labels: quick */
#include "core/error.h"
#include "sampling/confusion.h"
#include "sampling/part_scores.h"
#include "sampling/scores.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void near(double got, double want)
{
    if (!(fabs(got - want) < 1e-12))
        fail_msg("%.17g, expected %.17g", got, want);
}

/* truth    0 0 0 0 1 1 1 2 -1
 * predicts 0 0 0 1 1 1 2 2  0
 * class 0: 3 of 4, IoU 3/4; class 1: 2 of 3, IoU 2/4; class 2: 1 of 1, IoU 1/2; class 3 absent */
static void scores_of_a_matrix_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    const int32_t truth[] = {0, 0, 0, 0, 1, 1, 1, 2, -1};
    const int32_t predicted[] = {0, 0, 0, 1, 1, 1, 2, 2, 0};
    struct confusion c;
    struct scores s;
    assert_int_equal(confusion_create(&c, 4), 0);
    assert_int_equal(scores_create(&s, 4), 0);
    assert_int_equal(confusion_add(&c, truth, predicted, 9), 0);
    scores_of(&s, &c);
    assert_int_equal(s.points, 8);
    near(s.iou[0], 0.75);
    near(s.iou[1], 0.5);
    near(s.iou[2], 0.5);
    assert_true(isnan(s.iou[3]) && isnan(s.accuracy[3]));
    near(s.accuracy[0], 0.75);
    near(s.accuracy[1], 2.0 / 3);
    near(s.accuracy[2], 1);
    near(s.miou, (0.75 + 0.5 + 0.5) / 3);
    near(s.macc, (0.75 + 2.0 / 3 + 1) / 3);
    near(s.oa, 6.0 / 8);
    /* a class that is predicted but never true has an IoU of 0 and no accuracy */
    const int32_t more_truth[] = {2}, more_predicted[] = {3};
    assert_int_equal(confusion_add(&c, more_truth, more_predicted, 1), 0);
    scores_of(&s, &c);
    near(s.iou[3], 0);
    assert_true(isnan(s.accuracy[3]));
    near(s.miou, (0.75 + 0.5 + 1.0 / 3 + 0) / 4);
    const int32_t bad[] = {4};
    assert_int_equal(confusion_add(&c, bad, more_predicted, 1), GLT_EDATA);
    assert_int_equal(confusion_add(&c, more_truth, bad, 1), GLT_EDATA);
    confusion_free(&c);
    scores_free(&s);
}

/* Fold 1: class 0 right 9 of 10, the rest called 1. Fold 2: class 1 right 1 of 2, rest called 0. */
static void folds_are_pooled_or_averaged(void **state)
{
    (void)state;
    struct confusion fold[2];
    struct scores s[2], mean, pooled;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(confusion_create(&fold[i], 2), 0);
        assert_int_equal(scores_create(&s[i], 2), 0);
    }
    assert_int_equal(scores_create(&mean, 2), 0);
    assert_int_equal(scores_create(&pooled, 2), 0);
    fold[0].count[0] = 9;
    fold[0].count[1] = 1;
    fold[1].count[2] = 1;
    fold[1].count[3] = 1;
    for (int i = 0; i < 2; i++)
        scores_of(&s[i], &fold[i]);
    scores_average(&mean, s, 2);
    near(mean.oa, (0.9 + 0.5) / 2);
    near(mean.iou[0], (0.9 + 0) / 2); /* in fold 2 class 0 was predicted, wrongly */
    near(mean.accuracy[0], 0.9);      /* only fold 1 has class 0 */
    near(mean.accuracy[1], 0.5);      /* only fold 2 has class 1 */
    near(mean.miou, ((0.9 + 0) / 2 + (0 + 0.5) / 2) / 2);
    assert_int_equal(confusion_merge(&fold[0], &fold[1]), 0);
    scores_of(&pooled, &fold[0]);
    near(pooled.oa, 10.0 / 12);
    near(pooled.iou[0], 9.0 / 11);
    near(pooled.iou[1], 1.0 / 3);
    near(pooled.macc, (0.9 + 0.5) / 2);
    for (int i = 0; i < 2; i++) {
        confusion_free(&fold[i]);
        scores_free(&s[i]);
    }
    scores_free(&mean);
    scores_free(&pooled);
}

/* Counts that a file claims: a sum of them must not overflow. */
static void counts_are_checked(void **state)
{
    (void)state;
    struct confusion c;
    assert_int_equal(confusion_create(&c, 2), 0);
    c.count[0] = (int64_t)1 << 53;
    assert_int_equal(confusion_check(&c), 0);
    c.count[3] = 1;
    assert_int_equal(confusion_check(&c), GLT_EDATA);
    c.count[3] = INT64_MAX;
    assert_int_equal(confusion_check(&c), GLT_EDATA);
    c.count[0] = 0;
    c.count[3] = -1;
    assert_int_equal(confusion_check(&c), GLT_EDATA);
    confusion_free(&c);
}

/* Category 0 has parts 0..1, category 1 parts 2..4.
 * Shape A (0): truth 0 0 1 1, labels 0 0 0 1: (2/3 + 1/2) / 2 = 7/12.
 * Shape B (0): truth 0 0, labels 0 0: part 1 absent in both: (1 + 1) / 2 = 1.
 * Shape C (1): truth 2 3, labels 2 4: (1 + 0 + 0) / 3. */
static void scores_of_parts_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    struct part_scores p;
    double iou;
    assert_int_equal(part_scores_create(&p, 3), 0);
    const int32_t a[] = {0, 0, 1, 1}, a2[] = {0, 0, 0, 1}, b[] = {0, 0}, c[] = {2, 3},
                  c2[] = {2, 4};
    assert_int_equal(part_scores_add(&p, &iou, 0, a, a2, 4, 0, 2), 0);
    near(iou, 7.0 / 12);
    assert_int_equal(part_scores_add(&p, &iou, 0, b, b, 2, 0, 2), 0);
    near(iou, 1);
    assert_int_equal(part_scores_add(&p, &iou, 1, c, c2, 2, 2, 3), 0);
    near(iou, 1.0 / 3);
    near(part_scores_instance(&p), (7.0 / 12 + 1 + 1.0 / 3) / 3);
    near(part_scores_category(&p), ((7.0 / 12 + 1) / 2 + 1.0 / 3) / 2); /* category 2: no shapes */
    const int32_t none[] = {-1, -1}; /* nobody said what this shape is: it counts nowhere */
    assert_int_equal(part_scores_add(&p, &iou, 0, none, b, 2, 0, 2), 0);
    assert_true(isnan(iou));
    near(part_scores_instance(&p), (7.0 / 12 + 1 + 1.0 / 3) / 3);
    assert_int_equal(part_scores_shapes(&p), 3);
    assert_int_equal(part_scores_add(&p, &iou, 3, c, c2, 2, 2, 3), GLT_EDATA);
    part_scores_free(&p);
}

/* Parts 0, 1, 2: of truth 0 0 0 1 always 0 gets (3/4 + 0 + 1) / 3, always 2 (0 + 0 + 0) / 3. */
static void scores_of_constant_parts_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    double sum[3] = {0}, iou;
    struct part_scores p;
    const int32_t truth[][5] = {{0, 0, 0, 1, -1}, {2, 2, 2, 2, -1}, {-1, -1, -1, -1, -1}};
    part_scores_constant(sum, truth[0], 5, 0, 3);
    near(sum[0], 1.75 / 3);
    near(sum[1], 1.25 / 3);
    near(sum[2], 0);
    for (int i = 1; i < 3; i++)
        part_scores_constant(sum, truth[i], 5, 0, 3);
    for (int32_t part = 0; part < 3; part++) { /* as if it were predicted */
        const int32_t predicted[] = {part, part, part, part, part};
        double want = 0;
        assert_int_equal(part_scores_create(&p, 1), 0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(part_scores_add(&p, &iou, 0, truth[i], predicted, 5, 0, 3), 0);
            want += i < 2 ? iou : 0; /* the last has no labels */
        }
        near(sum[part], want);
        part_scores_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_a_matrix_are_those_worked_out_by_hand),
        cmocka_unit_test(folds_are_pooled_or_averaged),
        cmocka_unit_test(scores_of_parts_are_those_worked_out_by_hand),
        cmocka_unit_test(scores_of_constant_parts_are_those_worked_out_by_hand),
        cmocka_unit_test(counts_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
