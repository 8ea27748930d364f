/* Balls by tiles: centres that lie together share one gathering of candidates, put in order of rank
 * once, so that each centre's hits come out of one vector loop already sorted. Where a tile would
 * gather too many, its centres visit the grid one by one.
 *
 * A random choice picks places in the sorted hits: it depends on the points and the stream only,
 * never on tiles, the grid or threads. */
#include "geometry/ball.h"

#include "kernels/kernels.h"

#include <string.h>

enum { GATHER = 2048 };

/* Candidates near a tile, ascending in rank. */
struct gathering {
    int32_t n;
    int32_t rank[GATHER];
    float x[GATHER], y[GATHER], z[GATHER];
    int32_t hits[GATHER + KERNELS_SLACK];
};

/* Floyd's sampling of the smaller part, those to keep or those to leave out. */
void ball_draw(uint64_t *places, struct random *r, int32_t k, int32_t n)
{
    int32_t drawn = k <= n - k ? k : n - k;
    for (int32_t j = n - drawn; j < n; j++) {
        uint32_t t = random_below(r, (uint32_t)j + 1);
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
        memcpy(slot, hits, (size_t)found * sizeof *slot);
        return found;
    }
    struct random r = random_start(*s->stream, (uint32_t)centre);
    ball_draw(s->places, &r, s->k, found);
    kernels()->keep(slot, hits, s->places, found);
    memset(s->places, 0, (size_t)rankset_words(found) * sizeof *s->places);
    return s->k;
}

/* Marks the box's candidates in the set; stops at more than `most` and returns how many. */
static int32_t mark_box(const struct ball_search *s, const struct grid_box *box, int32_t most)
{
    const struct grid *g = s->grid;
    int32_t count = 0;
    for (int32_t z = box->low[2]; z <= box->high[2]; z++) {
        for (int32_t y = box->low[1]; y <= box->high[1]; y++) {
            int32_t row = grid_row(g, y, z);
            int32_t begin = g->start[row + box->low[0]], end = g->start[row + box->high[0] + 1];
            count += end - begin;
            if (count > most)
                return count;
            for (int32_t i = begin; i < end; i++)
                rankset_add(&s->set, g->rank[i]);
        }
    }
    return count;
}

static int gather(struct gathering *t, const struct ball_search *s, const struct grid_box *box)
{
    int32_t marked = mark_box(s, box, GATHER);
    t->n = rankset_drain(&s->set, t->rank);
    if (marked > GATHER)
        return 0;
    for (int32_t i = 0; i < t->n; i++) {
        const float *p = s->xyz + 3 * (int64_t)t->rank[i];
        t->x[i] = p[0];
        t->y[i] = p[1];
        t->z[i] = p[2];
    }
    return 1;
}

/* One centre on its own, straight from the rows of the grid. */
static int32_t visit(int32_t *slot, const struct ball_search *s, struct gathering *t,
                     const float q[3], int32_t centre)
{
    const struct grid *g = s->grid;
    struct grid_box box = grid_around(g, q, q, grid_reach((double)s->radius));
    float r2 = s->radius * s->radius;
    int32_t found = 0;
    for (int32_t z = box.low[2]; z <= box.high[2]; z++) {
        for (int32_t y = box.low[1]; y <= box.high[1]; y++) {
            int32_t row = grid_row(g, y, z), end = g->start[row + box.high[0] + 1], next;
            for (int32_t i = g->start[row + box.low[0]]; i < end; i = next) {
                next = end - i < GATHER ? end : i + GATHER;
                int64_t hits = kernels()->ball(t->hits, g->rank + i, g->x + i, g->y + i, g->z + i,
                                               q, r2, next - i);
                for (int64_t h = 0; h < hits; h++)
                    rankset_add(&s->set, t->hits[h]);
                found += (int32_t)hits;
            }
        }
    }
    if (found <= s->k || !s->stream)
        return rankset_drain_first(&s->set, slot, s->k);
    struct random r = random_start(*s->stream, (uint32_t)centre);
    ball_draw(s->places, &r, s->k, found);
    rankset_drain_places(&s->set, slot, s->places);
    memset(s->places, 0, (size_t)rankset_words(found) * sizeof *s->places);
    return s->k;
}

static void widen(float low[3], float high[3], const float q[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = q[axis] < low[axis] ? q[axis] : low[axis];
        high[axis] = q[axis] > high[axis] ? q[axis] : high[axis];
    }
}

void ball_tile(int32_t *index, int32_t *count, const struct ball_search *s,
               const struct grid *centres, int32_t begin, int32_t end)
{
    struct gathering t;
    float low[3] = {centres->x[begin], centres->y[begin], centres->z[begin]}, high[3];
    float r2 = s->radius * s->radius;
    memcpy(high, low, sizeof high);
    for (int32_t c = begin + 1; c < end; c++)
        widen(low, high, (float[3]){centres->x[c], centres->y[c], centres->z[c]});
    struct grid_box box = grid_around(s->grid, low, high, grid_reach((double)s->radius));
    int together = gather(&t, s, &box);
    for (int32_t c = begin; c < end; c++) {
        int32_t i = centres->rank[c], *slot = index + (int64_t)i * s->k;
        float q[3] = {centres->x[c], centres->y[c], centres->z[c]};
        if (!together) {
            count[i] = visit(slot, s, &t, q, i);
            continue;
        }
        int64_t hits = kernels()->ball(t.hits, t.rank, t.x, t.y, t.z, q, r2, t.n);
        count[i] = keep(slot, s, t.hits, (int32_t)hits, i);
    }
}
