/* Three nearest with inverse-distance weights: see interpolate.h. */
#include "geometry/interpolate.h"

#include "core/arena.h"
#include "core/parallel.h"
#include "geometry/gather.h"
#include "geometry/nearest.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { TAPS = 3, HANDFUL = 64 };

static int32_t taps_of(const struct upsampling *out)
{
    return out->coarse < TAPS ? out->coarse : TAPS;
}

void interpolate_take(struct upsampling *out, struct arena *a, int32_t fine, int32_t coarse)
{
    size_t rows = (size_t)fine, taps = (size_t)coarse + (rows - (size_t)coarse) * TAPS;
    out->fine = fine;
    out->coarse = coarse;
    out->index = arena_take(a, rows * TAPS, sizeof *out->index);
    out->weight = arena_take(a, rows * TAPS, sizeof *out->weight);
    out->tstart = arena_take(a, (size_t)coarse + 1, sizeof *out->tstart);
    out->tindex = arena_take(a, taps, sizeof *out->tindex);
    out->tweight = arena_take(a, taps, sizeof *out->tweight);
}

/* At least 256 rows a chunk and at most 64 chunks, independent of the threads. */
static int64_t grain_of(int64_t rows)
{
    int64_t even = parallel_chunks(rows, 64);
    return even > 256 ? even : 256;
}

static int64_t chunks_of(int64_t rows)
{
    return parallel_chunks(rows, grain_of(rows));
}

void interpolate_take_search(struct interpolate_search *s, struct arena *a, int32_t fine,
                             int32_t coarse)
{
    int32_t queries = fine - coarse;
    grid_take(&s->grid, a, coarse);
    grid_take(&s->tiles, a, queries);
    s->scratch =
        arena_take(a, (size_t)chunks_of(queries), rankset_size(coarse) * sizeof *s->scratch);
}

/* Makes copies for the coarse points, and grids for the others. */
void interpolate_prepare(struct upsampling *out, struct interpolate_search *s)
{
    for (int64_t i = 0; i < out->coarse; i++) {
        memcpy(out->index + TAPS * i, (int32_t[TAPS]){(int32_t)i, 0, 0}, TAPS * sizeof(int32_t));
        memcpy(out->weight + TAPS * i, (float[TAPS]){1, 0, 0}, TAPS * sizeof(float));
    }
    if (out->fine == out->coarse)
        return;
    double edge = s->guess > 1e-18 ? s->guess : 1e-18;
    grid_build(&s->grid, s->xyz, out->coarse, edge);
    /* tiles of a handful of queries, with as few coarse points as that allows */
    int32_t queries = out->fine - out->coarse;
    double tile = queries / 4 < out->coarse ? 4 * edge : 1.5 * edge;
    grid_build_by_x(&s->tiles, s->xyz + 3 * (int64_t)out->coarse, queries, tile);
}

/* Nearest first; weights in double, so that they lose only one rounding to float. */
static void weigh(int32_t *index, float *weight, uint64_t *keys, int32_t n)
{
    double w[TAPS] = {0}, sum = 0;
    for (int32_t i = 1; i < n; i++) {
        for (int32_t j = i; j > 0 && keys[j] < keys[j - 1]; j--) {
            uint64_t key = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = key;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        w[i] = 1 / (sqrt((double)nearest_d2(keys[i])) + 1e-8);
        sum += w[i];
    }
    for (int32_t i = 0; i < TAPS; i++) {
        index[i] = i < n ? nearest_rank(keys[i]) : 0;
        /* distances beyond the range of float have weight 0: then all count equally */
        weight[i] = i < n ? (float)(sum > 0 ? w[i] / sum : 1.0 / n) : 0;
    }
}

int64_t interpolate_chunks(const struct upsampling *out)
{
    return chunks_of(out->fine - out->coarse);
}

/* Queries of one tile that are searched together. */
struct handful {
    int32_t n;
    int32_t at[TAPS * HANDFUL]; /* (TAPS, n) among the gathered points */
    float best[TAPS * HANDFUL];
};

/* The gathered points contain the three nearest if the third is nearer than any point left out. */
static int32_t nearest_gathered(uint64_t keys[TAPS], const struct gathering *t,
                                const struct handful *h, int32_t i, double reach)
{
    if (!((double)h->best[(TAPS - 1) * h->n + i] < reach * reach * (1 - 1e-5)))
        return 0;
    for (int k = 0; k < TAPS; k++)
        keys[k] = nearest_key(h->best[k * h->n + i], t->rank[h->at[k * h->n + i]]);
    return TAPS;
}

/* Queries begin .. end - 1, at most a handful; t NULL: nothing was gathered. */
static void weigh_handful(struct upsampling *out, const struct interpolate_search *s,
                          const struct gathering *t, double reach, int32_t begin, int32_t end)
{
    const struct grid *tiles = &s->tiles;
    const float *q[3] = {tiles->x + begin, tiles->y + begin, tiles->z + begin};
    struct handful h;
    h.n = end - begin;
    if (t)
        kernels()->nearest3(h.at, h.best, (const float *[3]){t->x, t->y, t->z}, t->n, q, h.n);
    for (int32_t c = 0; c < h.n; c++) {
        int64_t i = (int64_t)out->coarse + tiles->rank[begin + c];
        uint64_t keys[TAPS];
        int32_t n = t ? nearest_gathered(keys, t, &h, c, reach) : 0;
        if (n == 0)
            n = nearest_search(keys, &s->grid, (float[3]){q[0][c], q[1][c], q[2][c]}, taps_of(out),
                               INFINITY, 2 * s->guess);
        weigh(out->index + TAPS * i, out->weight + TAPS * i, keys, n);
    }
}

static void weigh_tile(struct upsampling *out, const struct interpolate_search *s,
                       const struct rankset *set, int32_t begin, int32_t end)
{
    double reach = 1.6 * s->guess;
    struct gathering t;
    bool together = reach > 1e-18 &&
                    gather_tile(&t, set, &s->grid, s->xyz, &s->tiles, begin, end, reach) &&
                    t.n >= TAPS;
    for (int32_t c = begin; c < end; c += HANDFUL)
        weigh_handful(out, s, together ? &t : NULL, reach, c,
                      end - c < HANDFUL ? end : c + HANDFUL);
}

void interpolate_chunk(struct upsampling *out, const struct interpolate_search *s, int64_t chunk)
{
    int64_t rows = out->fine - out->coarse, grain = grain_of(rows), begin = chunk * grain;
    int32_t end = (int32_t)(begin + grain < rows ? begin + grain : rows);
    uint64_t *memory = s->scratch + (size_t)chunk * rankset_size(out->coarse);
    memset(memory, 0, rankset_size(out->coarse) * sizeof *memory);
    struct rankset set = rankset_bind(memory, out->coarse);
    for (int32_t c = (int32_t)begin, next; c < end; c = next) {
        next = gather_tile_end(&s->tiles, c, end);
        weigh_tile(out, s, &set, c, next);
    }
}

/* As in neighbours.c: `next` is one ahead of tstart and ends up as its entries. */
void interpolate_finish(struct upsampling *out)
{
    int32_t *next = out->tstart + 1, taps = taps_of(out);
    memset(out->tstart, 0, ((size_t)out->coarse + 1) * sizeof *next);
    for (int64_t i = 0; i < out->fine; i++) {
        for (int32_t t = 0; t < (i < out->coarse ? 1 : taps); t++)
            next[out->index[TAPS * i + t]]++;
    }
    for (int32_t j = 0, sum = 0; j < out->coarse; j++) {
        int32_t count = next[j];
        next[j] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < out->fine; i++) {
        for (int32_t t = 0; t < (i < out->coarse ? 1 : taps); t++) {
            int32_t at = next[out->index[TAPS * i + t]]++;
            out->tindex[at] = (int32_t)i;
            out->tweight[at] = out->weight[TAPS * i + t];
        }
    }
}
