/* Votes of cubes: points near each other share their probabilities, in whatever order they come.
 * labels: quick */
#include "core/memory.h"
#include "core/random.h"
#include "faults.h"
#include "gelatto.h"
#include "sampling/cube_votes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 5000, CLASSES = 3, PARTS = 5 };

struct tile {
    float xyz[3 * N], p[N * CLASSES];
    int32_t rows[N];
};

static void make_tile(struct tile *t)
{
    struct random r = random_start(random_stream(9, 0, 0, RANDOM_TEST), 0);
    for (int32_t i = 0; i < 3 * N; i++)
        t->xyz[i] = (float)random_below(&r, 2000) / 1000 - 1;
    for (int32_t i = 0; i < N; i++) {
        float a = (float)random_below(&r, 1000) / 1000;
        memcpy(t->p + i * CLASSES, (float[]){a, (1 - a) / 2, (1 - a) / 2}, CLASSES * sizeof a);
        t->rows[i] = N - 1 - i;
    }
}

static struct cube_votes_tile settings(const struct tile *t, double edge)
{
    return (struct cube_votes_tile){
        .n = N, .xyz = t->xyz, .low = {-0.5, 0.25, 0}, .edge = edge, .classes = CLASSES};
}

/* Parts of the tile, in an order that begins with `from`. */
static int vote(struct cube_votes *v, const struct tile *t, double edge, int32_t from)
{
    struct cube_votes_tile s = settings(t, edge);
    int code = cube_votes_begin(v, &s);
    for (int32_t k = 0; k < PARTS && code == 0; k++) {
        int32_t first = (from + k) % PARTS * (N / PARTS);
        code = cube_votes_add(v, first, t->rows + first, t->p + first * CLASSES, N / PARTS);
    }
    if (code == 0)
        cube_votes_finish(v);
    return code;
}

static void every_point_gets_the_mean_of_its_cube(void **state)
{
    (void)state;
    static struct tile t;
    static float found[N * CLASSES];
    struct cube_votes v = {0};
    struct cube_votes_tile s = settings(&t, 0.25);
    make_tile(&t);
    assert_int_equal(vote(&v, &t, 0.25, 0), 0);
    assert_in_range(v.cubes.n, 500, 9 * 9 * 9);
    cube_votes_mean(found, &v, 0, N);
    for (int32_t i = 0; i < N; i += 37) {
        double sum[CLASSES] = {0}, all = 0;
        const float *p = t.xyz + 3 * t.rows[i];
        for (int32_t j = 0; j < N; j++) {
            const float *q = t.xyz + 3 * t.rows[j];
            bool same = true;
            for (int k = 0; k < 3; k++)
                same &=
                    floor(((double)p[k] - s.low[k]) * 4) == floor(((double)q[k] - s.low[k]) * 4);
            all += same;
            for (int k = 0; k < CLASSES && same; k++)
                sum[k] += (double)t.p[j * CLASSES + k];
        }
        for (int k = 0; k < CLASSES; k++)
            assert_true(fabs((double)found[i * CLASSES + k] - sum[k] / all) < 1e-6);
    }
    cube_votes_free(&v);
}

static void the_order_of_samples_does_not_matter(void **state)
{
    (void)state;
    static struct tile t;
    static float one[N * CLASSES], other[N * CLASSES];
    struct cube_votes v = {0};
    make_tile(&t);
    assert_int_equal(vote(&v, &t, 0.1, 0), 0);
    cube_votes_mean(one, &v, 0, N);
    assert_int_equal(vote(&v, &t, 0.5, 1), 0); /* memory of an earlier tile is used again */
    for (int32_t from = 1; from < PARTS; from++) {
        assert_int_equal(vote(&v, &t, 0.1, from), 0);
        cube_votes_mean(other, &v, 0, N);
        assert_memory_equal(one, other, sizeof one);
    }
    cube_votes_free(&v);
}

static void coordinates_far_beyond_the_cubes_are_taken(void **state)
{
    (void)state;
    static const float xyz[] = {3e38f, -3e38f, 0, 1e30f, -1e30f, 0, 0, 0, 0};
    struct cube_votes v = {0};
    struct cube_votes_tile s = {.n = 3, .xyz = xyz, .edge = 1e-3, .classes = 1};
    float p[3] = {1, 1, 1};
    assert_int_equal(cube_votes_begin(&v, &s), 0);
    assert_int_equal(cube_votes_add(&v, 0, (int32_t[]){0, 1, 2}, p, 3), 0);
    cube_votes_finish(&v);
    assert_int_equal(v.cubes.n, 2);
    cube_votes_free(&v);
}

static int vote_once(void *user)
{
    struct cube_votes v = {0};
    int code = vote(&v, user, 0.05, 0);
    cube_votes_free(&v);
    return code;
}

static void failed_requests_are_reported_and_leak_nothing(void **state)
{
    (void)state;
    static struct tile t;
    make_tile(&t);
    assert_true(faults_memory(vote_once, &t) >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_gets_the_mean_of_its_cube),
        cmocka_unit_test(the_order_of_samples_does_not_matter),
        cmocka_unit_test(coordinates_far_beyond_the_cubes_are_taken),
        cmocka_unit_test(failed_requests_are_reported_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
