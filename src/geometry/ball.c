/* Balls by tiles: nearby centres share one gathering of candidates, sorted by rank once, so that a
 * vector loop finds each centre's hits in order. If a tile would gather too many, its centres visit
 * the grid one by one.
 *
 * A random choice picks positions in the sorted hits: it depends only on the points and the stream,
 * not on tiles, the grid or threads. */
#include "geometry/ball.h"

#include "geometry/gather.h"
#include "kernels/kernels.h"

#include <string.h>

enum { BLOCKS = 8, FEW = 4, HITS = GATHER_MAX + KERNELS_SLACK, WHOLE = 64 };

/* The words of a lane, equal to those of random_u32, several blocks at a time. */
struct words {
    const struct random_stream *stream;
    uint32_t lane, block; /* the next block to generate */
    int used;
    uint32_t word[4 * BLOCKS];
};

static uint32_t next_word(struct words *w)
{
    if (w->used == 4 * BLOCKS) {
        kernels()->random_words(w->word, w->stream, w->lane, w->block, BLOCKS);
        w->block += BLOCKS;
        w->used = 0;
    }
    int at = w->used++;
    return w->word[at % 4 * BLOCKS + at / 4];
}

/* random_below on these words: uniform in [0, n), exactly. */
static uint32_t word_below(struct words *w, uint32_t n)
{
    uint64_t product = (uint64_t)next_word(w) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = -n % n;
        while ((uint32_t)product < threshold)
            product = (uint64_t)next_word(w) * n;
    }
    return (uint32_t)(product >> 32);
}

/* Floyd's sampling of the smaller set: those to keep or those to leave out. */
void ball_draw(uint64_t *places, const struct random_stream *stream, uint32_t lane, int32_t k,
               int32_t n)
{
    struct words words;
    words.stream = stream;
    words.lane = lane;
    words.block = 0;
    words.used = 4 * BLOCKS;
    int32_t drawn = k <= n - k ? k : n - k;
    for (int32_t j = n - drawn; j < n; j++) {
        uint32_t t = word_below(&words, (uint32_t)j + 1);
        if (places[t >> 6] >> (t & 63) & 1)
            t = (uint32_t)j;
        places[t >> 6] |= 1ull << (t & 63);
    }
    if (drawn == k)
        return;
    for (int32_t w = 0; w < rankset_words(n); w++)
        places[w] = ~places[w];
    if (n & 63)
        places[n >> 6] &= (1ull << (n & 63)) - 1;
}

static int32_t keep(int32_t *slot, const struct ball_search *s, const int32_t *hits, int32_t found,
                    int32_t centre)
{
    if (found <= s->k || !s->stream) {
        found = found < s->k ? found : s->k;
        /* copy a whole slot, whose length is known ahead: bytes after the list do not matter */
        memcpy(slot, hits, (size_t)(s->k <= WHOLE ? s->k : found) * sizeof *slot);
        return found;
    }
    ball_draw(s->places, s->stream, (uint32_t)centre, s->k, found);
    kernels()->keep(slot, hits, s->places, found);
    memset(s->places, 0, (size_t)rankset_words(found) * sizeof *s->places);
    return s->k;
}

/* A single centre, directly from the rows of the grid. */
static int32_t visit(int32_t *slot, const struct ball_search *s, int32_t *hits, const float q[3],
                     int32_t centre)
{
    const struct grid *g = s->grid;
    struct grid_box box = grid_around(g, q, q, grid_reach((double)s->radius));
    float r2 = s->radius * s->radius;
    int32_t found = 0;
    for (int32_t z = box.low[2]; z <= box.high[2]; z++) {
        for (int32_t y = box.low[1]; y <= box.high[1]; y++) {
            int32_t row = grid_row(g, y, z), end = g->start[row + box.high[0] + 1], next;
            for (int32_t i = g->start[row + box.low[0]]; i < end; i = next) {
                next = end - i < GATHER_MAX ? end : i + GATHER_MAX;
                int64_t inside = kernels()->ball(hits, g->rank + i, g->x + i, g->y + i, g->z + i, q,
                                                 r2, next - i);
                for (int64_t h = 0; h < inside; h++)
                    rankset_add(&s->set, hits[h]);
                found += (int32_t)inside;
            }
        }
    }
    if (found <= s->k || !s->stream)
        return rankset_drain_first(&s->set, slot, s->k);
    ball_draw(s->places, s->stream, (uint32_t)centre, s->k, found);
    rankset_drain_places(&s->set, slot, s->places);
    memset(s->places, 0, (size_t)rankset_words(found) * sizeof *s->places);
    return s->k;
}

/* Chooses from each centre's hits while the next one's are being found: reading back immediately
 * what was written in overlapping pieces would stall. */
static void share(int32_t *index, int32_t *count, const struct ball_search *s,
                  const struct gathering *t, const struct grid *centres, int32_t begin, int32_t end)
{
    int32_t hits[2][HITS], found[2];
    float r2 = s->radius * s->radius;
    for (int32_t c = begin; c <= end; c++) {
        if (c < end) {
            const int32_t *slot = index + (int64_t)centres->rank[c] * s->k;
            float q[3] = {centres->x[c], centres->y[c], centres->z[c]};
            __builtin_prefetch(slot, 1);
            __builtin_prefetch(slot + 16, 1);
            found[c & 1] =
                (int32_t)kernels()->ball(hits[c & 1], t->rank, t->x, t->y, t->z, q, r2, t->n);
        }
        if (c > begin) {
            int32_t i = centres->rank[c - 1], turn = (c - 1) & 1;
            count[i] = keep(index + (int64_t)i * s->k, s, hits[turn], found[turn], i);
        }
    }
}

void ball_tile(int32_t *index, int32_t *count, const struct ball_search *s,
               const struct grid *centres, int32_t begin, int32_t end)
{
    /* for few centres among many candidates, gathering does not pay */
    int few = end - begin < FEW && s->grid->n / 16 > centres->n;
    struct gathering t;
    if (!few && gather_tile(&t, &s->set, s->grid, s->xyz, centres, begin, end,
                            grid_reach((double)s->radius))) {
        share(index, count, s, &t, centres, begin, end);
        return;
    }
    for (int32_t c = begin; c < end; c++) {
        int32_t i = centres->rank[c], hits[HITS];
        float q[3] = {centres->x[c], centres->y[c], centres->z[c]};
        count[i] = visit(index + (int64_t)i * s->k, s, hits, q, i);
    }
}
