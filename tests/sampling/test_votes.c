/* Votes: sums per point, over samples and over tilings.
 * labels: quick */
#include "sampling/votes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void votes_are_summed(void **state)
{
    (void)state;
    struct votes v = {0};
    const int32_t rows[] = {2, 0};
    const float p[] = {0.25f, 0.75f, 0.5f, 0.5f}, q[] = {1, 0};
    for (int again = 0; again < 2; again++) { /* votes_begin forgets them */
        assert_int_equal(votes_begin(&v, 3, 2), 0);
        votes_add(&v, rows, p, 2);
        votes_add(&v, rows, q, 1);
        assert_true(v.sum[0] == 0.5f && v.sum[1] == 0.5f);
        assert_true(v.sum[2] == 0 && v.sum[3] == 0);
        assert_true(v.sum[4] == 1.25f && v.sum[5] == 0.75f);
        assert_int_equal(v.count[0], 1);
        assert_int_equal(v.count[1], 0);
        assert_int_equal(v.count[2], 2);
    }
    assert_int_equal(votes_best(v.sum, 2), 0); /* the lower of equals */
    assert_int_equal(votes_best(v.sum + 4, 2), 0);
    votes_free(&v);
}

static void votes_of_tiles_are_merged(void **state)
{
    (void)state;
    struct votes all = {0}, tile = {0};
    const int32_t places[] = {1, 0}, rows[] = {5, 3};
    const float p[] = {0.25f, 0.75f, 0, 1};
    assert_int_equal(votes_begin(&all, 6, 2), 0);
    for (int tiling = 0; tiling < 3; tiling++) {
        assert_int_equal(votes_begin(&tile, 2, 2), 0);
        votes_add(&tile, places, p, 2);
        votes_merge(&all, rows, &tile);
    }
    assert_true(all.sum[2 * 3] == 0.75f && all.sum[2 * 3 + 1] == 2.25f);
    assert_true(all.sum[2 * 5] == 0 && all.sum[2 * 5 + 1] == 3);
    assert_int_equal(all.count[3], 3);
    assert_int_equal(all.count[4], 0);
    votes_free(&all);
    votes_free(&tile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_are_summed),
        cmocka_unit_test(votes_of_tiles_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
