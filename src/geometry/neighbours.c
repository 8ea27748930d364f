/* Neighbour lists by uniform grid: see neighbours.h, and network.md section 2 for the rules.
 *
 * Inside means d2 <= r2 with r2 = radius * radius in float. Hits are collected in a set that comes
 * out ascending in rank, and a random choice picks places in that order: it depends on the points
 * and the stream only, never on the grid or on threads. */
#include "geometry/neighbours.h"

#include "core/error.h"
#include "core/parallel.h"
#include "geometry/nearest.h"
#include "geometry/rankset.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 }; /* centres */

int neighbours_limit(int32_t centres, int32_t candidates, int32_t k)
{
    int64_t slot = k < candidates ? k : candidates;
    if (slot * centres > INT32_MAX)
        return error_set(GLT_ELIMIT,
                         "%d points with %lld neighbours each are over 2^31 - 1 edges: use fewer "
                         "points or a smaller k",
                         centres, (long long)slot);
    return 0;
}

void neighbours_take(struct neighbours *out, struct arena *a, int32_t centres, int32_t candidates,
                     int32_t k)
{
    size_t edges = (size_t)centres * (size_t)(k < candidates ? k : candidates);
    out->centres = centres;
    out->candidates = candidates;
    out->start = arena_take(a, (size_t)centres + 1, sizeof *out->start);
    out->index = arena_take(a, edges, sizeof *out->index);
    out->tstart = arena_take(a, (size_t)candidates + 1, sizeof *out->tstart);
    out->tindex = arena_take(a, edges, sizeof *out->tindex);
    out->tedge = arena_take(a, edges, sizeof *out->tedge);
}

/* Each chunk owns a rank set, the places it draws, the hits, and the nearest keys. */
static size_t chunk_words(int32_t candidates, int32_t k)
{
    return rankset_size(candidates) + (size_t)rankset_words(candidates) +
           ((size_t)candidates + 1) / 2 + (size_t)k;
}

int64_t neighbours_chunks(const struct neighbours *out)
{
    return parallel_chunks(out->centres, CHUNK);
}

void neighbours_take_search(struct neighbour_search *s, struct arena *a, int32_t centres,
                            int32_t candidates, int32_t k)
{
    s->k = k < candidates ? k : candidates;
    grid_take(&s->grid, a, candidates);
    s->scratch = arena_take(a, (size_t)parallel_chunks(centres, CHUNK),
                            chunk_words(candidates, s->k) * sizeof *s->scratch);
}

void neighbours_prepare(struct neighbours *out, struct neighbour_search *s)
{
    double edge = s->rule == NEIGHBOURS_KNN ? s->guess : (double)s->radius;
    grid_build(&s->grid, s->candidate_xyz, out->candidates, edge > 1e-18 ? edge : 1e-18);
}

struct worker {
    const struct neighbour_search *s;
    struct rankset set;
    uint64_t *drawn;
    int32_t *hits;
    uint64_t *keys;
};

static struct worker bind_worker(const struct neighbour_search *s, int64_t chunk)
{
    int32_t n = s->grid.n;
    uint64_t *memory = s->scratch + (size_t)chunk * chunk_words(n, s->k);
    memset(memory, 0, (rankset_size(n) + (size_t)rankset_words(n)) * sizeof *memory);
    struct worker w = {.s = s, .set = rankset_bind(memory, n)};
    w.drawn = memory + rankset_size(n);
    w.keys = w.drawn + rankset_words(n);
    w.hits = (int32_t *)(w.keys + s->k);
    return w;
}

static void collect_hits(const struct worker *w, const float q[3])
{
    const struct neighbour_search *s = w->s;
    const struct grid *g = &s->grid;
    float r2 = s->radius * s->radius;
    struct grid_box box = grid_around(g, q, q, grid_reach((double)s->radius));
    for (int32_t z = box.low[2]; z <= box.high[2]; z++) {
        for (int32_t y = box.low[1]; y <= box.high[1]; y++) {
            int32_t row = grid_row(g, y, z), end = g->start[row + box.high[0] + 1];
            for (int32_t i = g->start[row + box.low[0]]; i < end; i++) {
                float p[3] = {g->x[i], g->y[i], g->z[i]};
                if (grid_d2(p, q) <= r2)
                    rankset_add(&w->set, g->rank[i]);
            }
        }
    }
}

/* Floyd's sampling: `count` of 0 .. n-1 as bits, every subset equally likely. */
static void draw_places(uint64_t *bits, struct random *r, int32_t count, int32_t n)
{
    for (int32_t j = n - count; j < n; j++) {
        uint32_t t = random_below(r, (uint32_t)j + 1);
        if (bits[t >> 6] >> (t & 63) & 1)
            t = (uint32_t)j;
        bits[t >> 6] |= 1ull << (t & 63);
    }
}

/* k of the n hits; what is drawn is the smaller part, those to keep or those to leave out. */
static void choose_random(int32_t *out, const struct worker *w, int32_t n, uint32_t lane)
{
    int32_t k = w->s->k;
    int keep = k <= n - k;
    struct random r = random_start(w->s->stream, lane);
    draw_places(w->drawn, &r, keep ? k : n - k, n);
    int32_t taken = 0;
    for (int32_t i = 0; i < n && taken < k; i++) {
        out[taken] = w->hits[i];
        taken += (int)(w->drawn[i >> 6] >> (i & 63) & 1) == keep;
    }
    memset(w->drawn, 0, (size_t)rankset_words(n) * sizeof *w->drawn);
}

static int32_t search_ball(int32_t *out, const struct worker *w, const float q[3], uint32_t lane)
{
    int32_t k = w->s->k;
    collect_hits(w, q);
    int32_t found = rankset_drain(&w->set, w->hits);
    if (found > k && w->s->rule == NEIGHBOURS_RANDOM) {
        choose_random(out, w, found, lane);
        return k;
    }
    found = found < k ? found : k;
    memcpy(out, w->hits, (size_t)found * sizeof *out);
    return found;
}

static int32_t search_nearest(int32_t *out, const struct worker *w, const float q[3])
{
    const struct neighbour_search *s = w->s;
    int knn = s->rule == NEIGHBOURS_KNN;
    float r2 = knn ? INFINITY : s->radius * s->radius;
    double guess = knn ? s->guess : (double)s->radius;
    int32_t found = nearest_search(w->keys, &s->grid, q, s->k, r2, guess);
    for (int32_t i = 0; i < found; i++)
        rankset_add(&w->set, nearest_rank(w->keys[i]));
    return rankset_drain(&w->set, out);
}

void neighbours_chunk(struct neighbours *out, const struct neighbour_search *s, int64_t chunk)
{
    struct worker w = bind_worker(s, chunk);
    int64_t begin = chunk * CHUNK,
            end = begin + CHUNK < out->centres ? begin + CHUNK : out->centres;
    for (int64_t i = begin; i < end; i++) {
        int32_t *slot = out->index + i * s->k;
        const float *q = s->centre_xyz + 3 * i;
        out->start[i + 1] = s->rule == NEIGHBOURS_NEAREST || s->rule == NEIGHBOURS_KNN
                                ? search_nearest(slot, &w, q)
                                : search_ball(slot, &w, q, (uint32_t)i);
    }
}

void neighbours_transpose(struct neighbours *out)
{
    int32_t *next = out->tstart;
    int32_t edges = out->start[out->centres], sum = 0;
    memset(next, 0, ((size_t)out->candidates + 1) * sizeof *next);
    for (int32_t e = 0; e < edges; e++)
        next[out->index[e]]++;
    for (int32_t j = 0; j < out->candidates; j++) {
        int32_t count = next[j];
        next[j] = sum;
        sum += count;
    }
    for (int32_t i = 0; i < out->centres; i++) {
        for (int32_t e = out->start[i]; e < out->start[i + 1]; e++) {
            int32_t at = next[out->index[e]]++;
            out->tindex[at] = i;
            out->tedge[at] = e;
        }
    }
    memmove(next + 1, next, (size_t)out->candidates * sizeof *next);
    next[0] = 0;
}

/* Lists stand in slots of k: closes the gaps. A list only ever moves towards the front. */
void neighbours_finish(struct neighbours *out, const struct neighbour_search *s)
{
    out->start[0] = 0;
    for (int64_t i = 0; i < out->centres; i++) {
        int32_t count = out->start[i + 1], at = out->start[i];
        const int32_t *slot = out->index + i * s->k;
        if (out->index + at != slot)
            memmove(out->index + at, slot, (size_t)count * sizeof *slot);
        out->start[i + 1] = at + count;
    }
    neighbours_transpose(out);
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
