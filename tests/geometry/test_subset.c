/* Stratified subsets: size, order and spread of the points taken, and their owners against a search
 * over all of them.
 * labels: quick threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clouds.h"
#include "geometry/grid.h"
#include "geometry/subset.h"

#include <math.h>
#include <string.h>

enum { N = 5000 };
static float xyz[3 * N];
static int32_t rows[N], again[N], owner[N];

static void rows_ascend_and_all_are_there(void **state)
{
    (void)state;
    struct call call = {0};
    for (int kind = 0; kind < CLOUD_KINDS; kind++)
        for (int64_t m = 1; m <= N; m = m * 3 + 1) {
            cloud_make(xyz, N, (enum cloud_kind)kind, 7);
            assert_int_equal(subset_rows(rows, m, &call, xyz, N), m);
            for (int64_t i = 1; i < m; i++)
                assert_true(rows[i] > rows[i - 1]);
            assert_true(rows[0] >= 0 && rows[m - 1] < N);
            assert_int_equal(subset_rows(again, m, &call, xyz, N), m);
            assert_memory_equal(rows, again, (size_t)m * sizeof *rows);
        }
    call_free(&call);
}

static void points_without_coordinates_are_left_out(void **state)
{
    (void)state;
    struct call call = {0};
    cloud_make(xyz, N, CLOUD_RANDOM, 1);
    for (int i = 0; i < N; i += 2)
        xyz[3 * i + i % 3] = i % 4 ? NAN : INFINITY;
    assert_int_equal(subset_rows(rows, N, &call, xyz, N), N / 2);
    for (int i = 0; i < N / 2; i++)
        assert_int_equal(rows[i], 2 * i + 1);
    assert_int_equal(subset_rows(rows, 100, &call, xyz, N), 100);
    assert_int_equal(subset_owners(owner, rows, 100, &call, xyz, N), 0);
    for (int i = 0; i < N; i++)
        assert_true((owner[i] >= 0) == (i % 2 == 1));
    for (int i = 0; i < N; i++)
        xyz[3 * i] = NAN;
    assert_int_equal(subset_rows(rows, N, &call, xyz, N), 0);
    assert_int_equal(subset_owners(owner, rows, 0, &call, xyz, N), 0);
    assert_int_equal(owner[0], -1);
    call_free(&call);
}

/* A point that was taken is its own. */
static int32_t nearest_by_hand(int64_t i, int64_t m)
{
    int32_t best = -1;
    float least = INFINITY;
    for (int64_t k = 0; k < m; k++) {
        if (rows[k] == i)
            return (int32_t)k;
        float d2 = grid_d2(xyz + 3 * i, xyz + 3 * (int64_t)rows[k]);
        if (d2 < least) {
            least = d2;
            best = (int32_t)k;
        }
    }
    return best;
}

static void owners_are_the_nearest_with_the_lowest_row(void **state)
{
    (void)state;
    struct call call = {0};
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        cloud_make(xyz, N, (enum cloud_kind)kind, 3);
        for (int k = 0; k < 3; k++) /* strays far away: cells stay small, all points count */
            xyz[3 * (500 * k + 7)] = xyz[3 * (500 * k + 7) + 1] = (k - 1) * 5e6f;
        int64_t m = subset_rows(rows, 200, &call, xyz, N);
        assert_int_equal(subset_owners(owner, rows, m, &call, xyz, N), 0);
        for (int64_t i = 0; i < N; i += 7)
            assert_int_equal(owner[i], nearest_by_hand(i, m));
    }
    memset(xyz, 0, sizeof xyz); /* all in one place */
    int64_t m = subset_rows(rows, 200, &call, xyz, N);
    assert_int_equal(subset_owners(owner, rows, m, &call, xyz, N), 0);
    for (int64_t i = 0; i < N; i++)
        assert_int_equal(owner[i], nearest_by_hand(i, m));
    call_free(&call);
}

/* A thousandth of the points is far away: it keeps its share, to one. */
static void places_are_covered_in_proportion(void **state)
{
    (void)state;
    struct call call = {0};
    cloud_make(xyz, N, CLOUD_ROOM, 5);
    for (int i = 0; i < N; i++)
        xyz[3 * i] += i % 10 == 3 ? 500.0f : 0.0f;
    assert_int_equal(subset_rows(rows, 500, &call, xyz, N), 500);
    int far = 0;
    for (int i = 0; i < 500; i++)
        far += rows[i] % 10 == 3;
    assert_in_range(far, 49, 51);
    call_free(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_ascend_and_all_are_there),
        cmocka_unit_test(points_without_coordinates_are_left_out),
        cmocka_unit_test(owners_are_the_nearest_with_the_lowest_row),
        cmocka_unit_test(places_are_covered_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
