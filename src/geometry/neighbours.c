/* Neighbour lists by uniform grid: see neighbours.h, and network.md section 2 for the rules.
 *
 * Centres are visited tile by tile, where tiles are the cells of a second grid; lists are written
 * to slots of k by the centre's rank, and compacted at the end. */
#include "geometry/neighbours.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/parallel.h"
#include "geometry/ball.h"
#include "geometry/gather.h"
#include "geometry/nearest.h"

#include <math.h>
#include <string.h>

enum { WHOLE = 64, AHEAD = 24, LARGE = 1 << 19 };

int neighbours_limit(int32_t centres, int32_t candidates, int32_t k)
{
    int64_t slot = k < candidates ? k : candidates;
    if (slot * centres > INT32_MAX)
        return error_topic(
            error_set(GLT_ELIMIT,
                      "%d points with %lld neighbours each are over 2^31 - 1 edges: use fewer "
                      "points or a smaller k",
                      centres, (long long)slot),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

void neighbours_take(struct neighbours *out, struct arena *a, int32_t centres, int32_t candidates,
                     int32_t k)
{
    neighbours_take_slots(out, a, centres, candidates, k < candidates ? k : candidates);
}

void neighbours_take_slots(struct neighbours *out, struct arena *a, int32_t centres,
                           int32_t candidates, int32_t slots)
{
    size_t edges = (size_t)centres * (size_t)slots;
    out->centres = centres;
    out->candidates = candidates;
    out->start = arena_take(a, (size_t)centres + 1, sizeof *out->start);
    out->index = arena_take(a, edges, sizeof *out->index);
    out->tstart = arena_take(a, (size_t)candidates + 1, sizeof *out->tstart);
    out->tindex = arena_take(a, edges, sizeof *out->tindex);
    out->tedge = arena_take(a, edges, sizeof *out->tedge);
}

/* At least 256 centres a chunk and at most 64 chunks, independent of the threads. */
static int64_t grain_of(int32_t centres)
{
    int64_t even = parallel_chunks(centres, 64);
    return even > 256 ? even : 256;
}

int64_t neighbours_chunks(const struct neighbours *out)
{
    return parallel_chunks(out->centres, grain_of(out->centres));
}

/* Each chunk owns a rank set, bits for drawing, and the nearest keys. */
static size_t chunk_words(int32_t candidates, int32_t k)
{
    return rankset_size(candidates) + (size_t)rankset_words(candidates) + (size_t)k;
}

void neighbours_take_search(struct neighbour_search *s, struct arena *a, int32_t centres,
                            int32_t candidates, int32_t k)
{
    s->k = k < candidates ? k : candidates;
    grid_take(&s->grid, a, candidates);
    grid_take(&s->tiles, a, centres);
    s->scratch = arena_take(a, (size_t)parallel_chunks(centres, grain_of(centres)),
                            chunk_words(candidates, s->k) * sizeof *s->scratch);
}

static int by_distance(const struct neighbour_search *s)
{
    return s->rule == NEIGHBOURS_NEAREST || s->rule == NEIGHBOURS_KNN;
}

void neighbours_prepare(struct neighbours *out, struct neighbour_search *s)
{
    double edge = s->rule == NEIGHBOURS_KNN ? s->guess : (double)s->radius;
    edge = edge > 1e-18 ? edge : 1e-18;
    grid_build(&s->grid, s->xyz, out->candidates, edge);
    grid_build_by_x(&s->tiles, s->xyz, out->centres, 2 * edge);
}

struct worker {
    const struct neighbour_search *s;
    struct ball_search ball;
    uint64_t *keys;
};

static struct worker bind_worker(const struct neighbour_search *s, int64_t chunk)
{
    int32_t n = s->grid.n;
    uint64_t *memory = s->scratch + (size_t)chunk * chunk_words(n, s->k);
    size_t bits = rankset_size(n);
    memset(memory, 0, (bits + (size_t)rankset_words(n)) * sizeof *memory);
    struct worker w = {.s = s, .keys = memory + bits + rankset_words(n)};
    w.ball = (struct ball_search){.grid = &s->grid,
                                  .xyz = s->xyz,
                                  .radius = s->radius,
                                  .k = s->k,
                                  .stream = s->rule == NEIGHBOURS_RANDOM ? &s->stream : NULL,
                                  .set = rankset_bind(memory, n),
                                  .places = memory + bits};
    return w;
}

static void nearest_tile(int32_t *index, int32_t *count, const struct worker *w, int32_t begin,
                         int32_t end)
{
    const struct neighbour_search *s = w->s;
    int knn = s->rule == NEIGHBOURS_KNN;
    float r2 = knn ? INFINITY : s->radius * s->radius;
    double guess = knn ? s->guess : (double)s->radius;
    for (int32_t c = begin; c < end; c++) {
        int32_t i = s->tiles.rank[c];
        const float *q = s->xyz + 3 * (int64_t)i;
        int32_t found = nearest_search(w->keys, &s->grid, q, s->k, r2, guess);
        for (int32_t n = 0; n < found; n++)
            rankset_add(&w->ball.set, nearest_rank(w->keys[n]));
        count[i] = rankset_drain(&w->ball.set, index + (int64_t)i * s->k);
    }
}

void neighbours_chunk(struct neighbours *out, const struct neighbour_search *s, int64_t chunk)
{
    struct worker w = bind_worker(s, chunk);
    int64_t grain = grain_of(out->centres), begin = chunk * grain;
    int32_t end = (int32_t)(begin + grain < out->centres ? begin + grain : out->centres);
    int32_t *count = out->start + 1;
    const struct grid *tiles = &s->tiles;
    for (int32_t c = (int32_t)begin, next; c < end; c = next) {
        next = gather_tile_end(tiles, c, end);
        if (by_distance(s))
            nearest_tile(out->index, count, &w, c, next);
        else
            ball_tile(out->index, count, &w.ball, tiles, c, next);
    }
}

/* For lists too long for the caches: prefetches the targets of edges to come. */
static void expect(const struct neighbours *out, const int32_t *next, int32_t edge)
{
    int32_t at = next[out->index[edge]];
    __builtin_prefetch(out->tindex + at, 1);
    __builtin_prefetch(out->tedge + at, 1);
}

/* next (candidates) counts each candidate's edges. It is one ahead of tstart: after its list,
 * next[j] is the end of that list, which is the start of list j + 1. */
static void scatter(struct neighbours *out, int32_t *next)
{
    for (int32_t j = 0, sum = 0; j < out->candidates; j++) {
        int32_t count = next[j];
        next[j] = sum;
        sum += count;
    }
    int32_t edges = out->start[out->centres], last = edges > LARGE ? edges - AHEAD : 0;
    for (int32_t i = 0; i < out->centres; i++) {
        for (int32_t e = out->start[i]; e < out->start[i + 1]; e++) {
            if (e < last)
                expect(out, next, e + AHEAD);
            int32_t at = next[out->index[e]]++;
            out->tindex[at] = i;
            out->tedge[at] = e;
        }
    }
}

/* Lists are in slots of k: closes the gaps and counts on the way. A slot only moves towards the
 * front and ends before the next one begins, so short slots are copied whole: unlike that of a
 * list, their length is known ahead. */
void neighbours_finish(struct neighbours *out, const struct neighbour_search *s)
{
    int32_t *counts = out->tstart + 1;
    memset(out->tstart, 0, ((size_t)out->candidates + 1) * sizeof *out->tstart);
    out->start[0] = 0;
    for (int64_t i = 0; i < out->centres; i++) {
        int32_t count = out->start[i + 1], *list = out->index + out->start[i];
        const int32_t *slot = out->index + i * s->k;
        if (list != slot)
            memmove(list, slot, (size_t)(s->k <= WHOLE ? s->k : count) * sizeof *slot);
        for (int32_t e = 0; e < count; e++)
            counts[list[e]]++;
        out->start[i + 1] = out->start[i] + count;
    }
    scatter(out, counts);
}

struct whole {
    struct neighbours *out;
    const struct neighbour_search *s;
};

static void run_chunk(void *user, int64_t begin, int64_t end)
{
    struct whole *w = user;
    for (int64_t chunk = begin; chunk < end; chunk++)
        neighbours_chunk(w->out, w->s, chunk);
}

void neighbours_search(struct neighbours *out, struct neighbour_search *s)
{
    struct whole w = {out, s};
    neighbours_prepare(out, s);
    parallel_for(neighbours_chunks(out), 1, run_chunk, &w);
    neighbours_finish(out, s);
}
