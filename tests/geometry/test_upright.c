/* Which axis points up: shapes that stand on each of the three.
 * labels: quick */
#include "geometry/upright.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 2000 };

/* Whole numbers below n, as if at random. */
static double draw(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

/* A table, z up: a top, and four legs. */
static void make_table(float *xyz)
{
    uint32_t state = 1;
    for (int i = 0; i < POINTS; i++) {
        double x = draw(&state, 1000) / 1000, y = draw(&state, 1000) / 1600, z = 0.7;
        if (i % 3 == 0) {
            x = x < 0.5 ? 0.05 : 0.95;
            y = y < 0.3 ? 0.05 : 0.575;
            z = draw(&state, 1000) / 1000 * 0.7;
        }
        xyz[3 * i] = (float)x;
        xyz[3 * i + 1] = (float)y;
        xyz[3 * i + 2] = (float)z;
    }
}

static void test_table(void **state)
{
    (void)state;
    static float xyz[3 * POINTS], turned[3 * POINTS];
    make_table(xyz);
    double share[3], other[3];
    upright_shares(share, xyz, POINTS);
    assert_true(fabs(share[0] + share[1] + share[2] - 1) < 1e-9);
    assert_true(share[2] > 0.9);
    for (int up = 0; up < 2; up++) {
        for (int i = 0; i < 3 * POINTS; i++) /* larger, and far away */
            turned[3 * (i / 3) + (i + up + 1) % 3] = 8 * xyz[i] + 64;
        upright_shares(other, turned, POINTS);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(other[(k + up + 1) % 3] - share[k]) < 1e-3);
    }
}

/* Points, lines and planes give shares, whatever they are. */
static void test_degenerate(void **state)
{
    (void)state;
    static float xyz[3 * POINTS];
    double share[3];
    upright_shares(share, xyz, POINTS);
    assert_true(share[0] == share[1] && share[1] == share[2]);
    for (int sides = 1; sides <= 2; sides++) {
        for (int i = 0; i < POINTS; i++) {
            xyz[3 * i] = (float)i;
            xyz[3 * i + 1] = sides > 1 ? (float)(i * 7 % 40) : 0;
        }
        upright_shares(share, xyz, POINTS);
        assert_true(isfinite(share[0]) && isfinite(share[1]) && isfinite(share[2]));
    }
    upright_shares(share, xyz, 1);
    assert_true(share[0] == share[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
