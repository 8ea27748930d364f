/* Geometry against plain loops and other libraries, on one thread unless a row says otherwise.
 * Rows: name, ours, peer, ratio, unit. Times are the best of several rounds in which ours and the
 * peer take turns, because machines are shared: processor time of the thread where there is one,
 * time of the clock where there are two. Results are compared too. */
#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "geometry/ball.h"
#include "geometry/fps.h"
#include "geometry/interpolate.h"
#include "geometry/neighbours.h"
#include "geometry/order.h"
#include "geometry/pyramid.h"
#include "kernels/kernels.h"

#include "clouds.h"
#include "geometry_peers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static clockid_t which_clock = CLOCK_THREAD_CPUTIME_ID;

static double now(void)
{
    struct timespec t;
    clock_gettime(which_clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *need(size_t count, size_t size)
{
    void *block = memory_alloc(count, size);
    if (!block) {
        fprintf(stderr, "%s\n", glt_error_message());
        exit(1);
    }
    return block;
}

static struct arena need_arena(size_t bytes)
{
    struct arena a;
    if (arena_init(&a, bytes) < 0) {
        fprintf(stderr, "%s\n", glt_error_message());
        exit(1);
    }
    return a;
}

static void row(const char *name, double ours, double peer, const char *unit)
{
    printf("%s\t%.3f\t%.3f\t%.2f\t%s\n", name, ours, peer, peer / ours, unit);
    fflush(stdout);
}

static void least(double *best, double since)
{
    double t = now() - since;
    *best = t < *best ? t : *best;
}

static void must_match(int same, const char *what)
{
    if (!same) {
        fprintf(stderr, "%s: ours and the peer's results differ\n", what);
        exit(1);
    }
}

/* A hall of 10 x 10 x 3: 25 rooms of 2 x 2 side by side. */
static void make_hall(float *xyz, int32_t n)
{
    struct random r = random_start(random_stream(5, 0, 0, RANDOM_TEST), 0);
    for (int64_t i = 0; i < n; i++) {
        cloud_room_point(xyz + 3 * i, &r);
        xyz[3 * i] += 2 * (float)random_below(&r, 5);
        xyz[3 * i + 1] += 2 * (float)random_below(&r, 5);
    }
}

/* --- farthest point sampling ---------------------------------------------------------------- */

enum { LANES = 16 };

/* dist = min(dist, distance to q); returns the first point of the largest dist. n is a multiple of
 * LANES: each lane finds its own, in a loop that compilers vectorise. */
#ifdef __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
static int64_t
plain_step(float *restrict dist, const float *x, const float *y, const float *z, const float q[3],
           int64_t n)
{
    float far[LANES];
    int32_t where[LANES] = {0};
    for (int l = 0; l < LANES; l++)
        far[l] = -INFINITY;
    for (int64_t i = 0; i < n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            float dx = x[i + l] - q[0], dy = y[i + l] - q[1], dz = z[i + l] - q[2];
            float d = (dx * dx + dy * dy) + dz * dz, old = dist[i + l];
            d = d < old ? d : old;
            dist[i + l] = d;
            where[l] = d > far[l] ? (int32_t)i + l : where[l];
            far[l] = d > far[l] ? d : far[l];
        }
    int best = 0;
    for (int l = 1; l < LANES; l++)
        if (far[l] > far[best] || (far[l] == far[best] && where[l] < where[best]))
            best = l;
    return where[best];
}

/* O(n m): every sample visits every point. */
static void plain_fps(int32_t *order, float *plane, const float *xyz, int32_t n, int32_t m)
{
    float *x = plane, *y = x + n, *z = y + n, *dist = z + n;
    for (int64_t i = 0; i < n; i++) {
        x[i] = xyz[3 * i], y[i] = xyz[3 * i + 1], z[i] = xyz[3 * i + 2];
        dist[i] = INFINITY;
    }
    int64_t next = 0;
    for (int32_t rank = 0; rank < m; rank++) {
        order[rank] = (int32_t)next;
        dist[next] = -1;
        float q[3] = {x[next], y[next], z[next]};
        next = plain_step(dist, x, y, z, q, n);
    }
}

static void bench_fps(const char *name, const float *xyz, int32_t n, int32_t m, int rounds)
{
    struct arena measure = arena_measuring();
    fps_measure(&measure, n);
    struct arena a = need_arena(measure.peak);
    int32_t *ours = need((size_t)n, sizeof *ours), *peer = need((size_t)n, sizeof *peer);
    float *plane = need(4 * (size_t)n, sizeof *plane);
    double best = INFINITY, plain = INFINITY;
    for (int i = 0; i < rounds; i++) {
        double t = now();
        plain_fps(peer, plane, xyz, n, m);
        least(&plain, t);
        for (int again = 0; again < 6; again++) {
            t = now();
            fps_order(ours, NULL, &a, xyz, n, m, 0);
            least(&best, t);
        }
        must_match(memcmp(ours, peer, (size_t)m * sizeof *ours) == 0, name);
    }
    row(name, best, plain, "ms");
    memory_free(ours);
    memory_free(peer);
    memory_free(plane);
    arena_free(&a);
}

static double total[3]; /* of the eight blocks: ours, the peer's lists, its bare searches */

/* --- neighbours ----------------------------------------------------------------------------- */

#ifdef HAVE_NANOFLANN
/* The peer chooses with our own draw: the lists must be the same ones. */
static int32_t choose(int32_t *out, const int32_t *hits, int32_t n, int32_t centre, void *user)
{
    const struct neighbour_search *s = user;
    static uint64_t places[4096]; /* all 0 between calls */
    if (n <= s->k || n > 4096 * 64) {
        n = n < s->k ? n : s->k;
        memcpy(out, hits, (size_t)n * sizeof *out);
        return n;
    }
    ball_draw(places, &s->stream, (uint32_t)centre, s->k, n);
    kernels()->keep(out, hits, places, n);
    memset(places, 0, ((size_t)n / 64 + 1) * sizeof *places);
    return s->k;
}

static void time_peer(double *lists, double *balls, const struct neighbours *nb,
                      struct neighbour_search *s, const char *name)
{
    size_t edges = (size_t)nb->start[nb->centres];
    float r2 = s->radius * s->radius;
    int32_t *start = need((size_t)nb->centres + 1, sizeof *start);
    int32_t *index = need(edges + (size_t)s->k, sizeof *index);
    double t = now();
    peer_nanoflann_lists(start, index, s->xyz, nb->candidates, nb->centres, r2, choose, s);
    least(lists, t);
    must_match(memcmp(start, nb->start, ((size_t)nb->centres + 1) * sizeof *start) == 0 &&
                   memcmp(index, nb->index, edges * sizeof *index) == 0,
               name);
    t = now();
    peer_nanoflann_balls(s->xyz, nb->candidates, nb->centres, r2);
    least(balls, t);
    memory_free(start);
    memory_free(index);
}
#endif

/* Ours: the grid, lists of K at random, and their transposes. Peer: its tree and the same lists; no
 * transposes. A second row: its tree and bare searches, nothing sorted, chosen or kept. */
static void bench_neighbours(const char *name, const float *xyz, int32_t n, int32_t centres,
                             float radius, int32_t k, int rounds)
{
    struct neighbours nb;
    struct neighbour_search s = {.rule = NEIGHBOURS_RANDOM, .radius = radius};
    struct arena a = arena_measuring();
    for (int pass = 0; pass < 2; pass++) {
        neighbours_take(&nb, &a, centres, n, k);
        neighbours_take_search(&s, &a, centres, n, k);
        if (pass == 0)
            a = need_arena(a.peak);
    }
    s.xyz = xyz;
    s.stream = random_stream(0, 0, 0, RANDOM_NEIGHBOURS);
    double best = INFINITY, lists = INFINITY, balls = INFINITY;
    for (int i = 0; i < rounds; i++) {
        for (int again = 0; again < 5; again++) {
            double t = now();
            neighbours_search(&nb, &s);
            least(&best, t);
        }
#ifdef HAVE_NANOFLANN
        time_peer(&lists, &balls, &nb, &s, name);
#endif
    }
    char bare[96];
    snprintf(bare, sizeof bare, "%s, bare search", name);
    row(name, best, isfinite(lists) ? lists : NAN, "ms");
    row(bare, best, isfinite(balls) ? balls : NAN, "ms");
    total[0] += best;
    total[1] += lists;
    total[2] += balls;
    arena_free(&a);
}

struct weighing {
    struct upsampling *out;
    const struct interpolate_search *s;
};

static void weigh_chunks(void *user, int64_t begin, int64_t end)
{
    struct weighing *w = user;
    for (int64_t chunk = begin; chunk < end; chunk++)
        interpolate_chunk(w->out, w->s, chunk);
}

static void weigh_all(struct upsampling *out, struct interpolate_search *s)
{
    struct weighing w = {out, s};
    interpolate_prepare(out, s);
    parallel_for(interpolate_chunks(out), 1, weigh_chunks, &w);
    interpolate_finish(out);
}

static void bench_three(const char *name, const float *xyz, int32_t fine, int32_t coarse,
                        double guess)
{
    struct upsampling up;
    struct interpolate_search s = {.xyz = xyz, .guess = guess};
    struct arena a = arena_measuring();
    for (int pass = 0; pass < 2; pass++) {
        interpolate_take(&up, &a, fine, coarse);
        interpolate_take_search(&s, &a, fine, coarse);
        if (pass == 0)
            a = need_arena(a.peak);
    }
    int32_t *index = need(3 * (size_t)fine, sizeof *index);
    double best = INFINITY, peer = INFINITY;
    for (int i = 0; i < 5; i++) {
        double t = now();
        weigh_all(&up, &s);
        least(&best, t);
#ifdef HAVE_NANOFLANN
        t = now();
        peer_nanoflann_three(index, xyz, fine, coarse);
        least(&peer, t);
#endif
    }
    row(name, best, isfinite(peer) ? peer : NAN, "ms");
    memory_free(index);
    arena_free(&a);
}

/* --- pyramid -------------------------------------------------------------------------------- */

static const struct pyramid_options paper = {
    .levels = {4096, 2048, 512, 128},
    .k = {32, 32, 32, 16},
    .radius = {0.1f, 0.2f, 0.4f, 0.8f},
    .radius2_factor = 2,
    .decoder = 1,
};

static double time_pyramid(struct pyramid *p, struct arena *a, const float *xyz, int32_t n)
{
    double best = INFINITY;
    for (int i = 0; i < 10; i++) {
        arena_reset(a, 0);
        double t = now();
        if (pyramid_build(p, a, &paper, xyz, n) < 0)
            exit(1);
        least(&best, t);
    }
    return best;
}

/* Ours on two threads, the peer is ourselves on one. */
static void bench_pyramid(const char *name, const float *xyz, int32_t n)
{
    size_t bytes;
    struct pyramid p;
    if (pyramid_bytes(&bytes, &paper, n) < 0)
        exit(1);
    struct arena a = need_arena(bytes);
    which_clock = CLOCK_MONOTONIC;
    double one = time_pyramid(&p, &a, xyz, n);
    parallel_serial(false);
    glt_threads_set(2);
    double two = time_pyramid(&p, &a, xyz, n);
    parallel_serial(true);
    which_clock = CLOCK_THREAD_CPUTIME_ID;
    row(name, two, one, "ms, two threads against one");
    arena_free(&a);
}

/* Sorts the points: all that follows sees them in canonical order, as it does in use. */
static void bench_order(const char *name, float *xyz, int32_t n)
{
    struct arena measure = arena_measuring();
    order_measure(&measure, n);
    struct arena a = need_arena(measure.peak);
    int32_t *order = need((size_t)n, sizeof *order);
    float *sorted = need(3 * (size_t)n, sizeof *sorted);
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        double t = now();
        order_rows(order, &a, xyz, NULL, n, 0);
        least(&best, t);
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(sorted + 3 * i, xyz + 3 * (int64_t)order[i], 3 * sizeof *xyz);
    memcpy(xyz, sorted, 3 * (size_t)n * sizeof *xyz);
    row(name, best, NAN, "ms");
    memory_free(order);
    memory_free(sorted);
    arena_free(&a);
}

/* The block's points in farthest-point order: what every search sees. */
static double order_points(float *out, const float *xyz, int32_t n, int32_t m)
{
    struct arena measure = arena_measuring();
    fps_measure(&measure, n);
    struct arena a = need_arena(measure.peak);
    int32_t *order = need((size_t)n, sizeof *order);
    float *gap2 = need((size_t)m, sizeof *gap2);
    fps_order(order, gap2, &a, xyz, n, m, 0);
    for (int64_t i = 0; i < n; i++)
        memcpy(out + 3 * i, xyz + 3 * (int64_t)order[i], 3 * sizeof *out);
    double gap = 0.7 * sqrt((double)gap2[m / 2]);
    memory_free(order);
    memory_free(gap2);
    arena_free(&a);
    return gap;
}

int main(void)
{
    enum { BLOCK = 6144, SCENE = 200000, LARGE = 1000000, SAMPLES = 4096 };
    float *xyz = need(3 * (size_t)LARGE, sizeof *xyz), *sorted = need(3 * (size_t)SCENE, 4);
    printf("# ours: %s\n", kernels()->name);
#ifndef HAVE_NANOFLANN
    printf("# nanoflann is not installed: nothing to compare neighbours with\n");
#endif
    printf("# Open3D and PCL are not compared with in this build\n");
    parallel_serial(true);
    cloud_make(xyz, BLOCK, CLOUD_ROOM, 1);
    bench_order("canonical order 6144", xyz, BLOCK);
    bench_fps("fps 6144 to 4096", xyz, BLOCK, SAMPLES, 5);
    double gap = order_points(sorted, xyz, BLOCK, SAMPLES);
    for (int t = 0; t < 8; t++) {
        int l = t / 2, second = t % 2;
        char name[64];
        float r = paper.radius[l] * (second ? 2 : 1);
        int32_t m = second ? paper.levels[l] : l ? paper.levels[l - 1] : BLOCK;
        snprintf(name, sizeof name, "neighbours %d of %d, r %.1f", paper.levels[l], m, (double)r);
        bench_neighbours(name, sorted, m, paper.levels[l], r, paper.k[l], 5);
    }
    row("neighbours of the eight blocks", total[0], isfinite(total[1]) ? total[1] : NAN, "ms");
    row("neighbours of the eight blocks, bare search", total[0],
        isfinite(total[2]) ? total[2] : NAN, "ms");
    bench_three("three nearest 6144 from 4096", sorted, BLOCK, SAMPLES, gap);
    bench_pyramid("pyramid 6144", xyz, BLOCK);
    make_hall(xyz, SCENE);
    bench_order("canonical order 200000", xyz, SCENE);
    bench_fps("fps 200000 to 4096", xyz, SCENE, SAMPLES, 3);
    order_points(sorted, xyz, SCENE, SAMPLES);
    bench_neighbours("neighbours 200000 of 200000, r 0.1", sorted, SCENE, SCENE, 0.1f, 32, 3);
    bench_neighbours("neighbours 4096 of 200000, r 0.2", sorted, SCENE, SAMPLES, 0.2f, 32, 3);
    bench_pyramid("pyramid 200000", xyz, SCENE);
    make_hall(xyz, LARGE);
    bench_order("canonical order 1000000", xyz, LARGE);
    bench_fps("fps 1000000 to 4096", xyz, LARGE, SAMPLES, 2);
    memory_free(xyz);
    memory_free(sorted);
    return 0;
}
