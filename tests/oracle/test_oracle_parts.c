/* The oracle's losses and brute-force geometry, worked out by hand.
 * labels: quick */
#include "oracle_check.h"

/* --- losses --- */

static void put(struct oracle_tensor *t, const char *name, int64_t rows, int64_t cols, double *at)
{
    memset(t, 0, sizeof *t);
    strncpy(t->name, name, sizeof t->name - 1);
    t->rows = rows;
    t->cols = cols;
    t->at = at;
}

static void the_loss_is_that_worked_out_by_hand(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.classes = 2;
    /* p = (3/4, 1/4); row 1 is ignored, row 2 has p = (1/2, 1/2) */
    double logits[6] = {log(3), 0, 100, -100, 7, 7}, flat[2] = {0, 0}, none_left[2] = {9, 1};
    struct oracle_tensor t[5];
    put(&t[0], "out/main", 3, 2, logits);
    put(&t[1], "out/aux1", 1, 2, flat);
    put(&t[2], "out/aux2", 1, 2, flat);
    put(&t[3], "out/aux3", 1, 2, flat);
    put(&t[4], "out/aux4", 1, 2, none_left);
    struct oracle_result r = {.count = 5, .tensor = t};
    int32_t label[3] = {0, -1, 1};
    struct oracle_cloud cloud = {.n = {3, 1, 1, 1, 1}, .label = label};
    c.aux[0] = 0.5;
    c.aux[1] = c.aux[2] = 0;
    c.aux[3] = 1;
    struct oracle_losses loss;
    oracle_loss(&loss, &c, &r, &cloud, 1);
    double first = -0.95 * log(0.75) - 0.05 * log(0.25), third = log(2);
    assert_true(fabs(loss.output[0] - (first + third) / 2) < 1e-14);
    assert_int_equal(loss.labelled[0], 2);
    assert_true(fabs(loss.output[1] - log(2)) < 1e-14);
    double sharp = -0.95 * -log(1 + exp(-8)) - 0.05 * (-8 - log(1 + exp(-8)));
    assert_true(fabs(loss.output[4] - sharp) < 1e-14);
    assert_true(fabs(loss.total - loss.output[0] - 0.5 * log(2) - sharp) < 1e-14);
    label[0] = label[2] = -1; /* nothing labelled: a loss of 0, not 0/0 */
    oracle_loss(&loss, &c, &r, &cloud, 1);
    assert_true(loss.total == 0);
}

static void the_loss_of_parts_is_over_their_category(void **state)
{
    (void)state;
    struct oracle_config c = toy_config();
    c.classification = 1; /* one row a cloud keeps the numbers few */
    c.classes = 4;
    double logits[8] = {50, log(3), 0, 50, 1, 1, 1, 1};
    struct oracle_tensor t;
    put(&t, "out/main", 2, 4, logits);
    struct oracle_result r = {.count = 1, .tensor = &t};
    int32_t second = 2, third = 3;
    struct oracle_cloud cloud[2] = {{.label = &second, .part_first = 1, .part_count = 2},
                                    {.label = &third, .part_first = 1, .part_count = 3}};
    struct oracle_losses loss;
    oracle_loss(&loss, &c, &r, cloud, 2);
    double first = -0.05 * log(0.75) - 0.95 * log(0.25);
    assert_true(fabs(loss.output[0] - (first + log(3)) / 2) < 1e-14);
}

/* --- geometry --- */

static void geometry_on_a_line_is_that_worked_out_by_hand(void **state)
{
    (void)state;
    float xyz[3 * 9] = {0}, sorted[3 * 9];
    for (int i = 0; i < 9; i++)
        xyz[3 * i] = (float)i;
    int32_t order[9];
    oracle_sample(order, xyz, 9, 5, 0);
    /* farthest from 0 is 8, then the middle, then the quarters (a tie: the lower row first) */
    static const int32_t expected[9] = {0, 8, 4, 2, 6, 1, 3, 5, 7};
    assert_memory_equal(order, expected, sizeof expected);
    for (int i = 0; i < 9; i++)
        memcpy(sorted + 3 * i, xyz + 3 * order[i], 3 * sizeof(float));
    int32_t start[6], index[5 * 9];
    assert_int_equal(oracle_neighbours(start, index, sorted, 5, 9, 1.0f, 9, ORACLE_FIRST), 13);
    static const int32_t first[13] = {0, 5, 1, 8, 2, 6, 7, 3, 5, 6, 4, 7, 8};
    assert_memory_equal(index, first, sizeof first);
    oracle_neighbours(start, index, sorted, 5, 9, 2.0f, 2, ORACLE_FIRST);
    assert_int_equal(index[0], 0);
    assert_int_equal(index[1], 3); /* rank 3 is at distance 2: inside, and lower than rank 5 */
    oracle_neighbours(start, index, sorted, 5, 9, 2.0f, 2, ORACLE_NEAREST);
    assert_int_equal(index[1], 5); /* distance 1 */
    assert_int_equal(oracle_neighbours(start, index, sorted, 5, 9, 0.1f, 4, ORACLE_KNN), 20);
    int32_t up[27];
    double weight[27];
    oracle_upsample(up, weight, sorted, 9, 5);
    assert_int_equal(up[3 * 4], 4); /* a coarse point is itself */
    assert_true(weight[3 * 4] == 1 && weight[3 * 4 + 1] == 0);
    /* rank 5 is x = 1: 0 and 2 at distance 1 (ranks 0 and 3), then 4 (rank 2) at distance 3 */
    assert_int_equal(up[15], 0);
    assert_int_equal(up[16], 3);
    assert_int_equal(up[17], 2);
    assert_true(fabs(weight[15] - 3.0 / 7) < 1e-7 && fabs(weight[17] - 1.0 / 7) < 1e-7);
    oracle_upsample(up, weight, sorted, 9, 2); /* fewer than three: those there are */
    assert_true(weight[26] == 0 && fabs(weight[24] + weight[25] - 1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_that_worked_out_by_hand),
        cmocka_unit_test(the_loss_of_parts_is_over_their_category),
        cmocka_unit_test(geometry_on_a_line_is_that_worked_out_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
