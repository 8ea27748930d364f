/* Canonical order against a comparison sort, and its independence of the order of the rows.
 * labels: quick */
#include "core/arena.h"
#include "geometry/order.h"

#include "clouds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1500, C = 2 };
static float xyz[3 * N], features[C * N], moved[3 * N], moved_features[C * N];
static int32_t order[N], expected[N], shuffled[N];

static int compare(const void *a, const void *b)
{
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    for (int axis = 0; axis < 3; axis++) {
        float u = xyz[3 * i + axis], v = xyz[3 * j + axis];
        if (u != v)
            return u < v ? -1 : 1;
    }
    for (int f = 0; f < C; f++) {
        float u = features[C * i + f], v = features[C * j + f];
        if (u != v)
            return u < v ? -1 : 1;
    }
    return i < j ? -1 : i > j;
}

static void sort(int32_t *out, const float *p, const float *f, int32_t n)
{
    struct arena measure = arena_measuring(), a;
    order_measure(&measure, n);
    assert_int_equal(arena_init(&a, measure.peak), 0);
    order_rows(out, &a, p, f, n, f ? C : 0);
    assert_int_equal(arena_mark(&a), 0);
    arena_free(&a);
}

static void the_order_is_that_of_a_comparison_sort(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 50, N};
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int32_t n = sizes[s];
            struct random r = random_start(random_stream(s, 0, 0, RANDOM_TEST), 1);
            cloud_make(xyz, n, (enum cloud_kind)kind, s);
            for (int32_t i = 0; i < C * n; i++)
                features[i] = (float)random_below(&r, 20) - 10; /* twins in all but the row too */
            for (int32_t i = 0; i < n; i++)
                expected[i] = shuffled[i] = i;
            qsort(expected, (size_t)n, sizeof *expected, compare);
            sort(order, xyz, features, n);
            assert_memory_equal(order, expected, (size_t)n * sizeof *order);

            random_shuffle(&r, shuffled, n);
            for (int32_t i = 0; i < n; i++) {
                memcpy(moved + 3 * i, xyz + 3 * shuffled[i], 3 * sizeof *xyz);
                memcpy(moved_features + C * i, features + C * shuffled[i], C * sizeof *features);
            }
            sort(order, moved, moved_features, n);
            for (int32_t i = 0; i < n; i++) {
                assert_memory_equal(moved + 3 * order[i], xyz + 3 * expected[i], 12);
                assert_memory_equal(moved_features + C * order[i], features + C * expected[i],
                                    C * sizeof *features);
            }
        }
    }
}

/* Coordinates in steps, as scanners write them: long runs of one x, and of one x and y. */
static void runs_of_equal_coordinates_are_sorted_by_what_follows(void **state)
{
    (void)state;
    for (uint32_t steps = 1; steps <= 512; steps *= 8) {
        struct random r = random_start(random_stream(steps, 0, 0, RANDOM_TEST), 1);
        for (int32_t i = 0; i < 3 * N; i++)
            xyz[i] = (float)random_below(&r, i % 3 ? steps : 3) - 1;
        for (int32_t i = 0; i < C * N; i++)
            features[i] = (float)random_below(&r, 3);
        for (int32_t i = 0; i < N; i++)
            expected[i] = i;
        qsort(expected, N, sizeof *expected, compare);
        sort(order, xyz, features, N);
        assert_memory_equal(order, expected, sizeof order);
    }
}

static void an_order_needs_no_features(void **state)
{
    (void)state;
    cloud_make(xyz, N, CLOUD_DUPLICATES, 9);
    memset(features, 0, sizeof features);
    for (int32_t i = 0; i < N; i++)
        expected[i] = i;
    qsort(expected, N, sizeof *expected, compare);
    sort(order, xyz, NULL, N);
    assert_memory_equal(order, expected, sizeof order);
}

static void negative_zero_and_signs_are_ordered(void **state)
{
    (void)state;
    static const float x[] = {0.0f, -0.0f, -1.0f, 1e-40f, -1e-40f, 3e38f, -3e38f, INFINITY};
    static const int32_t want[] = {6, 2, 4, 1, 0, 3, 5, 7};
    float p[24] = {0};
    for (int i = 0; i < 8; i++)
        p[3 * i] = x[i];
    sort(order, p, NULL, 8);
    assert_memory_equal(order, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_that_of_a_comparison_sort),
        cmocka_unit_test(runs_of_equal_coordinates_are_sorted_by_what_follows),
        cmocka_unit_test(an_order_needs_no_features),
        cmocka_unit_test(negative_zero_and_signs_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
