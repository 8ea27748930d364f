/* The pyramid of a cloud against brute force: levels, lists, transposes, weights, joins, errors.
 * labels: quick threads */
#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "errors.h"
#include "geometry/order.h"
#include "geometry/pyramid.h"
#include "kernels/kernels.h"

#include "clouds.h"
#include "geometry_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct pyramid_options small = {
    .levels = {400, 200, 50, 12},
    .k = {16, 16, 16, 8},
    .radius = {0.1f, 0.2f, 0.4f, 0.8f},
    .radius2_factor = 2,
    .decoder = 1,
    .seed = 7,
};

static void build(struct pyramid *p, struct arena *a, const struct pyramid_options *o,
                  const float *xyz, int32_t n)
{
    size_t bytes;
    assert_int_equal(pyramid_bytes(&bytes, o, n), 0);
    assert_int_equal(arena_init(a, bytes), 0);
    assert_int_equal(pyramid_build(p, a, o, xyz, n), 0);
    assert_int_equal(a->peak, bytes);
}

static void check_transpose(const struct neighbours *b)
{
    int32_t edges = b->start[b->centres];
    assert_int_equal(b->tstart[0], 0);
    assert_int_equal(b->tstart[b->candidates], edges);
    for (int32_t j = 0; j < b->candidates; j++) {
        for (int32_t t = b->tstart[j]; t < b->tstart[j + 1]; t++) {
            int32_t i = b->tindex[t], e = b->tedge[t];
            assert_int_equal(b->index[e], j);
            assert_true(b->start[i] <= e && e < b->start[i + 1]);
            assert_true(t == b->tstart[j] || b->tindex[t - 1] < i);
        }
    }
}

static void check_block(const struct pyramid *p, const struct pyramid_options *o, int l, int second)
{
    const struct neighbours *b = &p->block[l][second];
    int32_t m = p->n[l + second], k = o->k[l];
    int32_t *ball = memory_alloc((size_t)m, sizeof *ball);
    int32_t *want = memory_alloc((size_t)k + 1, sizeof *want);
    assert_int_equal(b->centres, p->n[l + 1]);
    assert_int_equal(b->candidates, m);
    assert_int_equal(b->start[0], 0);
    for (int32_t i = 0; i < b->centres; i++) {
        const float *q = p->xyz + 3 * (int64_t)i;
        float r = o->radius[l] * (second ? o->radius2_factor : 1);
        int32_t found = oracle_ball(ball, p->xyz, m, q, o->rule == NEIGHBOURS_KNN ? 1e18f : r);
        int32_t count = b->start[i + 1] - b->start[i], *list = b->index + b->start[i];
        assert_int_equal(count, found < k ? found : k);
        if (o->rule == NEIGHBOURS_RANDOM) {
            for (int32_t e = 0, at = 0; e < count; e++, at++) {
                while (at < found && ball[at] != list[e])
                    at++;
                assert_true(at < found); /* ascending, and all of the ball */
            }
            continue;
        }
        if (o->rule == NEIGHBOURS_FIRST) {
            assert_memory_equal(list, ball, (size_t)count * sizeof *list);
            continue;
        }
        oracle_nearest(want, p->xyz, ball, found, q, k);
        qsort(want, (size_t)count, sizeof *want, oracle_ascending);
        assert_memory_equal(list, want, (size_t)count * sizeof *list);
    }
    check_transpose(b);
    memory_free(ball);
    memory_free(want);
}

static void check_upsampling(const struct pyramid *p, int l)
{
    const struct upsampling *u = &p->up[l];
    int32_t coarse = p->n[l + 1], taps = coarse < 3 ? coarse : 3, edges = 0, want[3];
    int32_t *all = memory_alloc((size_t)coarse, sizeof *all);
    assert_int_equal(u->fine, p->n[l]);
    assert_int_equal(u->coarse, coarse);
    for (int32_t i = 0; i < coarse; i++)
        all[i] = i;
    for (int32_t i = 0; i < u->fine; i++) {
        const int32_t *index = u->index + 3 * (int64_t)i;
        const float *weight = u->weight + 3 * (int64_t)i, *q = p->xyz + 3 * (int64_t)i;
        if (i < coarse) {
            assert_true(index[0] == i && index[1] == 0 && index[2] == 0);
            assert_true(weight[0] == 1 && weight[1] == 0 && weight[2] == 0);
            edges++;
            continue;
        }
        oracle_nearest(want, p->xyz, all, coarse, q, 3);
        double w[3] = {0}, sum = 0;
        for (int t = 0; t < taps; t++)
            sum += w[t] = 1 / (sqrt((double)oracle_d2(p->xyz + 3 * (int64_t)want[t], q)) + 1e-8);
        for (int t = 0; t < 3; t++) {
            assert_int_equal(index[t], t < taps ? want[t] : 0);
            assert_true(fabs((double)weight[t] - w[t] / sum) < 1e-7);
        }
        edges += taps;
    }
    assert_int_equal(u->tstart[coarse], edges);
    for (int32_t j = 0; j < coarse; j++) {
        for (int32_t t = u->tstart[j]; t < u->tstart[j + 1]; t++) {
            int32_t i = u->tindex[t], tap = 0;
            assert_true(t == u->tstart[j] || u->tindex[t - 1] < i);
            while (tap < 2 && u->index[3 * i + tap] != j)
                tap++;
            assert_int_equal(u->index[3 * i + tap], j);
            assert_true(u->weight[3 * i + tap] == u->tweight[t]);
        }
    }
    memory_free(all);
}

static void check_pyramid(const struct pyramid *p, const struct pyramid_options *o,
                          const float *xyz, int32_t n)
{
    int32_t *order = memory_alloc((size_t)n, sizeof *order);
    oracle_fps(order, xyz, n, p->n[1], o->fps_start < n ? o->fps_start : n - 1);
    assert_memory_equal(order, p->order, (size_t)n * sizeof *order);
    memory_free(order);
    for (int32_t i = 0; i < n; i++)
        assert_memory_equal(p->xyz + 3 * (int64_t)i, xyz + 3 * (int64_t)p->order[i], 12);
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        int32_t want = l == 0 ? n : o->levels[l - 1];
        assert_int_equal(p->n[l], want < p->n[l ? l - 1 : 0] ? want : p->n[l ? l - 1 : 0]);
        assert_true(p->first[l][0] == 0 && p->first[l][1] == p->n[l]);
        assert_ptr_equal(p->level_xyz[l], p->xyz);
    }
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        for (int32_t i = 0; i < p->n[l + 1]; i++)
            assert_int_equal(p->centre[l + 1][i], i);
        check_block(p, o, l, 0);
        check_block(p, o, l, 1);
        if (o->decoder)
            check_upsampling(p, l);
        else
            assert_null(p->up[l].index);
    }
}

static void a_pyramid_is_that_of_brute_force(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 3, 7, 60, 333, 900};
    static float xyz[3 * 900];
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct pyramid_options o = small;
            o.rule = (enum neighbour_rule)((kind + (int)s) % 4);
            o.decoder = s != 4;
            o.fps_start = s % 2 ? 5 : 0;
            if (kind == CLOUD_FAR) {
                for (int l = 0; l < PYRAMID_LEVELS; l++)
                    o.radius[l] *= 1e7f;
            }
            cloud_make(xyz, sizes[s], (enum cloud_kind)kind, s);
            struct arena a;
            struct pyramid p;
            build(&p, &a, &o, xyz, sizes[s]);
            check_pyramid(&p, &o, xyz, sizes[s]);
            arena_free(&a);
        }
    }
}

static void same_lists(const struct neighbours *x, const struct neighbours *y)
{
    size_t edges = (size_t)x->start[x->centres];
    assert_int_equal(x->centres, y->centres);
    assert_int_equal(x->candidates, y->candidates);
    assert_memory_equal(x->start, y->start, ((size_t)x->centres + 1) * 4);
    assert_memory_equal(x->tstart, y->tstart, ((size_t)x->candidates + 1) * 4);
    assert_memory_equal(x->index, y->index, edges * 4);
    assert_memory_equal(x->tindex, y->tindex, edges * 4);
    assert_memory_equal(x->tedge, y->tedge, edges * 4);
}

static void same_pyramid(const struct pyramid *x, const struct pyramid *y)
{
    assert_memory_equal(x->n, y->n, sizeof x->n);
    assert_memory_equal(x->order, y->order, (size_t)x->n[0] * 4);
    assert_memory_equal(x->xyz, y->xyz, (size_t)x->n[0] * 12);
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        same_lists(&x->block[l][0], &y->block[l][0]);
        same_lists(&x->block[l][1], &y->block[l][1]);
        const struct upsampling *u = &x->up[l], *v = &y->up[l];
        assert_memory_equal(u->index, v->index, (size_t)u->fine * 12);
        assert_memory_equal(u->weight, v->weight, (size_t)u->fine * 12);
        assert_memory_equal(u->tstart, v->tstart, ((size_t)u->coarse + 1) * 4);
        assert_memory_equal(u->tindex, v->tindex, (size_t)u->tstart[u->coarse] * 4);
        assert_memory_equal(u->tweight, v->tweight, (size_t)u->tstart[u->coarse] * 4);
    }
}

static const struct pyramid_options paper = {
    .levels = {4096, 2048, 512, 128},
    .k = {32, 32, 32, 16},
    .radius = {0.1f, 0.2f, 0.4f, 0.8f},
    .radius2_factor = 2,
    .decoder = 1,
    .seed = 11,
};

enum { BLOCK = 6144 };

static void a_pyramid_is_the_same_for_any_threads(void **state)
{
    (void)state;
    static float xyz[3 * BLOCK];
    static const int threads[] = {1, 2, 3, 8};
    const char *fastest = kernels()->name;
    struct arena a, b = {0};
    struct pyramid one, many;
    int can_run, busy = 0;
    cloud_make(xyz, BLOCK, CLOUD_ROOM, 4);
    glt_threads_set(1);
    build(&one, &a, &paper, xyz, BLOCK);
    for (int i = 0; kernels_at(i, &can_run); i++) {
        if (!can_run || kernels_force(kernels_at(i, NULL)->name) != 0)
            continue;
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            glt_threads_set(threads[t]);
            parallel_witnesses();
            arena_free(&b);
            build(&many, &b, &paper, xyz, BLOCK);
            int seen = parallel_witnesses();
            busy = seen > busy ? seen : busy;
            same_pyramid(&one, &many);
        }
    }
    kernels_force(fastest);
    for (int tries = 0; busy < 2 && tries < 5000; tries++) {
        /* on a crowded machine the other threads may come when all is done */
        arena_reset(&b, 0);
        assert_int_equal(pyramid_build(&many, &b, &paper, xyz, BLOCK), 0);
        busy = parallel_witnesses();
    }
    assert_true(busy > 1);
    glt_threads_set(0);
    arena_free(&a);
    arena_free(&b);
}

static void canonical(float *out, const float *xyz, int32_t n)
{
    struct arena measure = arena_measuring(), a;
    int32_t *order = memory_alloc((size_t)n, sizeof *order);
    order_measure(&measure, n);
    assert_int_equal(arena_init(&a, measure.peak), 0);
    order_rows(order, &a, xyz, NULL, n, 0);
    for (int64_t i = 0; i < n; i++)
        memcpy(out + 3 * i, xyz + 3 * (int64_t)order[i], 3 * sizeof *xyz);
    memory_free(order);
    arena_free(&a);
}

/* Any order of the rows gives the same points in the same places and the same lists. */
static void a_shuffled_cloud_has_the_same_pyramid(void **state)
{
    (void)state;
    enum { N = 1200 };
    static float xyz[3 * N], moved[3 * N], sorted[3 * N];
    static int32_t rows[N];
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        struct pyramid first, other;
        struct arena a, b;
        cloud_make(xyz, N, (enum cloud_kind)kind, 6);
        canonical(sorted, xyz, N);
        build(&first, &a, &small, sorted, N);
        for (uint32_t turn = 0; turn < 3; turn++) {
            struct random r = random_start(random_stream(1, 0, turn, RANDOM_TEST), 0);
            for (int32_t i = 0; i < N; i++)
                rows[i] = i;
            random_shuffle(&r, rows, N);
            for (int32_t i = 0; i < N; i++)
                memcpy(moved + 3 * i, xyz + 3 * rows[i], 3 * sizeof *xyz);
            canonical(sorted, moved, N);
            build(&other, &b, &small, sorted, N);
            same_pyramid(&first, &other);
            arena_free(&b);
        }
        arena_free(&a);
    }
}

/* Rows of cloud b moved to the batch: what a join must be, taken apart again. */
static void check_part(const struct pyramid *whole, const struct pyramid *part, int32_t b)
{
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        int32_t row = whole->first[l][b];
        assert_int_equal(whole->first[l][b + 1] - row, part->n[l]);
        assert_memory_equal(whole->level_xyz[l] + 3 * row, part->level_xyz[l],
                            (size_t)part->n[l] * 12);
        for (int32_t i = 0; l > 0 && i < part->n[l]; i++)
            assert_int_equal(whole->centre[l][row + i], whole->first[l - 1][b] + i);
    }
    assert_memory_equal(whole->order + whole->first[0][b], part->order, (size_t)part->n[0] * 4);
    for (int t = 0; t < 2 * PYRAMID_LEVELS; t++) {
        int l = t / 2, second = t % 2;
        const struct neighbours *w = &whole->block[l][second], *p = &part->block[l][second];
        int32_t centre = whole->first[l + 1][b], candidate = whole->first[l + second][b];
        for (int32_t i = 0; i < p->centres; i++) {
            int32_t at = w->start[centre + i], count = p->start[i + 1] - p->start[i];
            assert_int_equal(w->start[centre + i + 1] - at, count);
            for (int32_t e = 0; e < count; e++)
                assert_int_equal(w->index[at + e], p->index[p->start[i] + e] + candidate);
        }
    }
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        const struct upsampling *w = &whole->up[l], *p = &part->up[l];
        int32_t fine = whole->first[l][b], coarse = whole->first[l + 1][b];
        assert_memory_equal(w->weight + 3 * fine, p->weight, (size_t)p->fine * 12);
        for (int32_t i = 0; i < 3 * p->fine; i++)
            assert_int_equal(w->index[3 * fine + i], p->index[i] + coarse);
        for (int32_t j = 0; j < p->coarse; j++) {
            int32_t at = w->tstart[coarse + j], count = p->tstart[j + 1] - p->tstart[j];
            assert_int_equal(w->tstart[coarse + j + 1] - at, count);
            for (int32_t e = 0; e < count; e++) {
                assert_int_equal(w->tindex[at + e], p->tindex[p->tstart[j] + e] + fine);
                assert_true(w->tweight[at + e] == p->tweight[p->tstart[j] + e]);
            }
        }
    }
}

static void joined_pyramids_are_their_clouds_side_by_side(void **state)
{
    (void)state;
    enum { CLOUDS = 4, N = 700 };
    static const int32_t sizes[CLOUDS] = {700, 1, 45, 600};
    static float xyz[3 * N];
    struct arena a[CLOUDS], all;
    struct pyramid part[CLOUDS], whole;
    const struct pyramid *parts[CLOUDS];
    for (int32_t b = 0; b < CLOUDS; b++) {
        cloud_make(xyz, sizes[b], CLOUD_ROOM, (uint64_t)b);
        build(&part[b], &a[b], &small, xyz, sizes[b]);
        parts[b] = &part[b];
    }
    size_t bytes = pyramid_join_bytes(parts, CLOUDS);
    assert_int_equal(arena_init(&all, bytes), 0);
    pyramid_join(&whole, &all, parts, CLOUDS);
    assert_int_equal(all.peak, bytes);
    assert_int_equal(whole.clouds, CLOUDS);
    assert_ptr_equal(whole.xyz, whole.level_xyz[0]);
    for (int32_t b = 0; b < CLOUDS; b++)
        check_part(&whole, &part[b], b);
    for (int t = 0; t < 2 * PYRAMID_LEVELS; t++)
        check_transpose(&whole.block[t / 2][t % 2]);
    for (int32_t b = 0; b < CLOUDS; b++)
        arena_free(&a[b]);
    arena_free(&all);
}

static void building_again_allocates_nothing(void **state)
{
    (void)state;
    static float xyz[3 * 900];
    struct arena a;
    struct pyramid p;
    cloud_make(xyz, 900, CLOUD_ROOM, 1);
    build(&p, &a, &small, xyz, 900);
    int64_t before = memory_stats().requests;
    for (int32_t n = 900; n > 0; n -= 113) { /* a smaller cloud fits where a larger one did */
        arena_reset(&a, 0);
        assert_int_equal(pyramid_build(&p, &a, &small, xyz, n), 0);
    }
    assert_int_equal(memory_stats().requests, before);
    arena_free(&a);
}

static void refuse(const struct pyramid_options *o, const float *xyz, int32_t n, const char *word)
{
    struct pyramid p, untouched;
    struct arena a;
    memset(&p, 0x5a, sizeof p);
    memset(&untouched, 0x5a, sizeof untouched);
    assert_int_equal(arena_init(&a, 1 << 20), 0);
    assert_int_equal(pyramid_build(&p, &a, o, xyz, n), GLT_EARGUMENT);
    assert_error(word);
    assert_memory_equal(&p, &untouched, sizeof p);
    assert_int_equal(arena_mark(&a), 0);
    arena_free(&a);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    float xyz[] = {0, 0, 0, 1, 1, 1};
    size_t bytes;
    struct pyramid_options o = small;
    refuse(&o, xyz, 0, "ARGUMENT n");
    refuse(&o, xyz, -3, "ARGUMENT n");
    o.k[2] = 0;
    refuse(&o, xyz, 2, "OPTION k");
    assert_int_equal(pyramid_bytes(&bytes, &o, 2), GLT_EARGUMENT);
    o = small;
    o.radius[1] = -0.5f;
    refuse(&o, xyz, 2, "OPTION radius");
    o.radius[1] = NAN;
    refuse(&o, xyz, 2, "OPTION radius");
    o.radius[1] = 0;
    refuse(&o, xyz, 2, "OPTION radius");
    o = small;
    o.radius2_factor = INFINITY;
    refuse(&o, xyz, 2, "OPTION radius");
    o = small;
    o.levels[3] = 0;
    refuse(&o, xyz, 2, "OPTION levels");
    o = small;
    o.fps_start = -1;
    refuse(&o, xyz, 2, "OPTION fps_start");
    o = small;
    xyz[4] = NAN;
    refuse(&o, xyz, 2, "COORDINATES point 1");
    xyz[4] = -INFINITY;
    refuse(&o, xyz, 2, "COORDINATES point 1");
    o.levels[0] = 1 << 20;
    o.k[0] = 4096;
    assert_int_equal(pyramid_bytes(&bytes, &o, 1 << 20), GLT_ELIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pyramid_is_that_of_brute_force),
        cmocka_unit_test(a_pyramid_is_the_same_for_any_threads),
        cmocka_unit_test(a_shuffled_cloud_has_the_same_pyramid),
        cmocka_unit_test(joined_pyramids_are_their_clouds_side_by_side),
        cmocka_unit_test(building_again_allocates_nothing),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
