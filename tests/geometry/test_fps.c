/* Farthest point sampling against brute force: every order must be the same, ties included.
 * labels: quick */
#include "core/arena.h"
#include "core/memory.h"
#include "geometry/fps.h"
#include "kernels/kernels.h"

#include "clouds.h"
#include "geometry_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check(const float *xyz, int32_t n, int32_t m, int32_t start)
{
    struct arena measure = arena_measuring(), a;
    fps_measure(&measure, n);
    assert_int_equal(arena_init(&a, measure.peak), 0);
    int32_t *order = memory_alloc((size_t)n, sizeof *order);
    int32_t *expected = memory_alloc((size_t)n, sizeof *expected);
    float *gap2 = memory_alloc((size_t)m, sizeof *gap2);
    fps_order(order, gap2, &a, xyz, n, m, start);
    oracle_fps(expected, xyz, n, m, start);
    assert_memory_equal(order, expected, (size_t)n * sizeof *order);
    assert_int_equal(arena_mark(&a), 0);
    for (int32_t i = 1; i < m; i++) {
        float nearest = INFINITY;
        for (int32_t j = 0; j < i; j++) {
            float d2 = oracle_d2(xyz + 3 * (int64_t)order[i], xyz + 3 * (int64_t)order[j]);
            nearest = d2 < nearest ? d2 : nearest;
        }
        assert_true(gap2[i] == nearest);
    }
    memory_free(order);
    memory_free(expected);
    memory_free(gap2);
    arena_free(&a);
}

static void check_kinds(void)
{
    static const int32_t sizes[] = {1, 2, 3, 31, 32, 33, 64, 100, 777, 2000};
    float *xyz = memory_alloc(3 * 2000, sizeof *xyz);
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int32_t n = sizes[s];
            cloud_make(xyz, n, (enum cloud_kind)kind, s);
            check(xyz, n, n, 0);
            check(xyz, n, (n + 1) / 2, n - 1);
            check(xyz, n, 1, n / 2);
        }
    }
    memory_free(xyz);
}

static void every_kind_of_cloud_is_sampled_as_by_brute_force(void **state)
{
    (void)state;
    const char *fastest = kernels()->name;
    int can_run;
    for (int i = 0; kernels_at(i, &can_run); i++) {
        if (can_run && kernels_force(kernels_at(i, NULL)->name) == 0)
            check_kinds();
    }
    kernels_force(fastest);
}

/* Prefixes: the sampling of a sampled order is the order itself. */
static void the_sampling_of_a_sampled_order_is_that_order(void **state)
{
    (void)state;
    enum { N = 1500, M = 900 };
    static float xyz[3 * N], sorted[3 * N];
    static int32_t order[N], again[N];
    struct arena measure = arena_measuring(), a;
    fps_measure(&measure, N);
    assert_int_equal(arena_init(&a, measure.peak), 0);
    cloud_make(xyz, N, CLOUD_DUPLICATES, 3);
    fps_order(order, NULL, &a, xyz, N, M, 0);
    for (int32_t i = 0; i < N; i++)
        memcpy(sorted + 3 * i, xyz + 3 * order[i], 3 * sizeof *xyz);
    fps_order(again, NULL, &a, sorted, M, M / 2, 0);
    for (int32_t i = 0; i < M; i++)
        assert_int_equal(again[i], i);
    arena_free(&a);
}

/* Squares that underflow to 0 and that overflow to infinity. */
static void distances_that_underflow_or_overflow_are_ordered(void **state)
{
    (void)state;
    static float xyz[3 * 300];
    static const float scale[] = {1e-38f, 1e-25f, 1e-20f, 1e18f, 1e20f, 1.5e38f};
    for (size_t s = 0; s < sizeof scale / sizeof *scale; s++) {
        cloud_make(xyz, 300, CLOUD_RANDOM, s);
        for (int i = 0; i < 900; i++)
            xyz[i] *= scale[s];
        check(xyz, 300, 200, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_cloud_is_sampled_as_by_brute_force),
        cmocka_unit_test(the_sampling_of_a_sampled_order_is_that_order),
        cmocka_unit_test(distances_that_underflow_or_overflow_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
