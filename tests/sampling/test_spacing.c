/* Thinning to a spacing: one point for each cube that has any, and the nearest of them for all.
 * labels: quick threads */
#include "core/memory.h"
#include "core/random.h"
#include "faults.h"
#include "gelatto.h"
#include "sampling/item.h"
#include "sampling/spacing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 3000, EXTRA = 2 };
static const double SPACING = 0.5;

/* Points on both sides of 0, some of them at one place. */
static struct item make_item(int32_t n)
{
    struct item x;
    struct random r = random_start(random_stream(5, 0, 0, RANDOM_TEST), 0);
    assert_int_equal(item_new(&x, n, EXTRA, false), 0);
    for (int32_t i = 0; i < 3 * n; i++)
        x.xyz[i] = (float)random_below(&r, 4000) / 1000 - 2;
    for (int32_t i = 0; i < 30 && i < n; i++)
        x.xyz[i] = x.xyz[0];
    for (int32_t i = 0; i < EXTRA * n; i++)
        x.features[i] = (float)i;
    assert_int_equal(item_finish(&x, false), 0);
    return x;
}

static bool same_cube(const float *p, const float *q)
{
    for (int k = 0; k < 3; k++)
        if (floor((double)p[k] / SPACING) != floor((double)q[k] / SPACING))
            return false;
    return true;
}

static double off_centre(const float *p)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = (double)p[k] - (floor((double)p[k] / SPACING) + 0.5) * SPACING;
        sum += d * d;
    }
    return sum;
}

static void one_point_of_each_cube_stays_the_nearest_to_its_centre(void **state)
{
    (void)state;
    struct item x = make_item(N), thin;
    assert_int_equal(spacing_thin(&thin, &x, SPACING), 0);
    assert_in_range(thin.n, 100, N / 2);
    for (int32_t i = 0; i < x.n; i++) {
        int32_t found = -1;
        for (int32_t k = 0; k < thin.n; k++)
            if (same_cube(x.xyz + 3 * i, thin.xyz + 3 * k)) {
                assert_int_equal(found, -1);
                found = k;
            }
        assert_true(found >= 0);
        assert_true(off_centre(thin.xyz + 3 * found) <= off_centre(x.xyz + 3 * i));
    }
    item_clear(&thin);
    item_clear(&x);
}

static void what_stays_keeps_its_order_row_and_features(void **state)
{
    (void)state;
    struct item x = make_item(N), thin;
    assert_int_equal(spacing_thin(&thin, &x, SPACING), 0);
    for (int32_t k = 0, i = 0; k < thin.n; k++, i++) {
        while (i < x.n && x.row[i] != thin.row[k])
            i++;
        assert_true(i < x.n);
        assert_memory_equal(thin.xyz + 3 * k, x.xyz + 3 * i, 3 * sizeof(float));
        assert_memory_equal(thin.features + EXTRA * k, x.features + EXTRA * i,
                            EXTRA * sizeof(float));
    }
    item_clear(&thin);
    item_clear(&x);
}

static void a_small_spacing_keeps_all_but_twins(void **state)
{
    (void)state;
    struct item x = make_item(500), thin;
    int32_t places = 1;
    for (int32_t i = 1; i < x.n; i++)
        places += memcmp(x.xyz + 3 * i, x.xyz + 3 * (i - 1), 3 * sizeof(float)) != 0;
    assert_int_equal(spacing_thin(&thin, &x, 1e-9), 0);
    assert_int_equal(thin.n, places);
    item_clear(&thin);
    assert_int_equal(spacing_thin(&thin, &x, 1e6), 0);
    assert_in_range(thin.n, 1, 8); /* the cubes that meet at 0 */
    item_clear(&thin);
    item_clear(&x);
}

/* Many points lie on the sides of cubes, where rounding decides. */
static void pieces_of_a_scan_have_the_same_cubes(void **state)
{
    (void)state;
    enum { SIDE = 200 };
    static const double origins[] = {0, 100, 163, -37}, spacings[] = {0.05, 0.01, 0.03, 0.5};
    for (size_t s = 0; s < sizeof spacings / sizeof *spacings; s++)
        for (size_t k = 0; k < sizeof origins / sizeof *origins; k++) {
            struct item x, thin;
            static int32_t first[2 * SIDE], n;
            assert_int_equal(item_new(&x, 2 * SIDE, 0, false), 0);
            x.lattice = 1.0 / 4096;
            x.origin[0] = origins[k];
            for (int32_t i = 0; i < 2 * SIDE; i++) {
                double at = 200 + 0.25 * (i / 2) - (i % 2 ? x.lattice : 0);
                x.xyz[3 * i] = (float)(at - origins[k]);
                x.xyz[3 * i + 1] = x.xyz[3 * i + 2] = 0;
                x.row[i] = i;
            }
            assert_int_equal(spacing_thin(&thin, &x, spacings[s]), 0);
            if (k == 0) {
                n = thin.n;
                memcpy(first, thin.row, (size_t)n * sizeof *first);
            }
            assert_int_equal(thin.n, n);
            assert_memory_equal(thin.row, first, (size_t)n * sizeof *first);
            item_clear(&thin);
            item_clear(&x);
        }
}

static float distance2(const float *p, const float *q)
{
    float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    return (dx * dx + dy * dy) + dz * dz;
}

static void the_nearest_is_that_of_a_search_through_all(void **state)
{
    (void)state;
    struct item x = make_item(N), thin;
    int32_t *nearest = memory_alloc(N, sizeof *nearest);
    assert_int_equal(spacing_thin(&thin, &x, SPACING), 0);
    assert_int_equal(spacing_nearest(nearest, &x, &thin, SPACING), 0);
    for (int32_t i = 0; i < x.n; i++) {
        int32_t best = 0;
        for (int32_t k = 1; k < thin.n; k++)
            if (distance2(x.xyz + 3 * i, thin.xyz + 3 * k) <
                distance2(x.xyz + 3 * i, thin.xyz + 3 * best))
                best = k;
        assert_int_equal(nearest[i], best);
    }
    memory_free(nearest);
    item_clear(&thin);
    item_clear(&x);
}

static int thin_and_search(void *user)
{
    const struct item *x = user;
    static int32_t nearest[N];
    struct item thin;
    int code = spacing_thin(&thin, x, SPACING);
    if (code < 0)
        return code;
    code = spacing_nearest(nearest, x, &thin, SPACING);
    item_clear(&thin);
    return code;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    struct item x = make_item(200);
    faults_memory(thin_and_search, &x);
    item_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_of_each_cube_stays_the_nearest_to_its_centre),
        cmocka_unit_test(what_stays_keeps_its_order_row_and_features),
        cmocka_unit_test(pieces_of_a_scan_have_the_same_cubes),
        cmocka_unit_test(a_small_spacing_keeps_all_but_twins),
        cmocka_unit_test(the_nearest_is_that_of_a_search_through_all),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
