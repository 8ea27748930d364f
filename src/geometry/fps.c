/* Exact farthest point sampling (Eldar et al. 1997) that skips points whose distance cannot change.
 *
 * Points are sorted along a Morton curve and cut into buckets of 16, buckets into groups of 16. A
 * bucket and a group keep their box and their largest distance: a new sample changes nothing if the
 * box is at least that far away (QuickFPS, Han et al. 2023, prunes a kd-tree the same way). The
 * distance to a box never exceeds the computed distance of a point inside (see vec_farthest.inc),
 * so skipping is exact, not approximate. */
#include "geometry/fps.h"

#include "core/arena.h"
#include "geometry/bounds.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { LANES = FARTHEST_LANES, GROUP = LANES * LANES, BINS = 1 << 11 };
enum { CURVE_BITS = 7, AHEAD = 4 * LANES }; /* 3 times 7 bits fit two digits */

struct sampler {
    int32_t n, groups;
    struct farthest_group *group; /* (groups) */
    float *box;                   /* (7, groups): low, high, largest dist */
    int32_t *bucket, *row;        /* (groups) the bucket with the largest distance, and its row */
    uint64_t *near;               /* (groups) bits */
    uint64_t *chosen;             /* (n) bits */
    uint64_t *key[2];             /* (n) curve position and row, for sorting */
};

static void take_sampler(struct sampler *s, struct arena *a, int32_t n)
{
    s->n = n;
    s->groups = (n - 1) / GROUP + 1;
    size_t size = (size_t)n, groups = (size_t)s->groups;
    s->group = arena_take(a, groups, sizeof *s->group);
    s->box = arena_take(a, 7 * groups, sizeof *s->box);
    s->bucket = arena_take(a, groups, sizeof *s->bucket);
    s->row = arena_take(a, groups, sizeof *s->row);
    s->near = arena_take(a, groups / 64 + 1, sizeof *s->near);
    s->chosen = arena_take(a, size / 64 + 1, sizeof *s->chosen);
    s->key[0] = arena_take(a, size, sizeof *s->key[0]);
    s->key[1] = arena_take(a, size, sizeof *s->key[1]);
}

void fps_measure(struct arena *scratch, int32_t n)
{
    size_t mark = arena_mark(scratch);
    struct sampler s;
    take_sampler(&s, scratch, n);
    arena_reset(scratch, mark);
}

/* Spreads the bits of v to every third bit. */
static uint32_t spread(uint32_t v)
{
    uint32_t out = 0;
    for (int bit = 0; bit < CURVE_BITS; bit++)
        out |= (v >> bit & 1) << 3 * bit;
    return out;
}

/* Bits per axis that give a surface a few points per cell. */
static int curve_bits(int32_t n)
{
    int bits = 2;
    while (bits < CURVE_BITS && (int64_t)1 << 2 * bits < n)
        bits++;
    return bits;
}

/* The position of each point on the curve. Only speed depends on it, so floats suffice; the last
 * cell takes points that rounding pushes past it. */
static void curve_keys(uint64_t *key, const float *xyz, int32_t n)
{
    struct bounds box = bounds_of(xyz, n);
    uint32_t code[1 << CURVE_BITS];
    int32_t cells = 1 << curve_bits(n);
    for (int32_t i = 0; i < cells; i++)
        code[i] = spread((uint32_t)i);
    double extent = 0;
    for (int axis = 0; axis < 3; axis++)
        extent = fmax(extent, (double)box.high[axis] - (double)box.low[axis]);
    float scale = (float)(extent > 0 ? cells / extent : 0);
    for (int64_t i = 0; i < n; i++) {
        uint32_t at = 0;
        for (int axis = 0; axis < 3; axis++) {
            float t = (xyz[3 * i + axis] - box.low[axis]) * scale;
            at |= code[t < (float)cells ? (int32_t)t : cells - 1] << axis;
        }
        key[i] = (uint64_t)at << 32 | (uint64_t)i;
    }
}

/* Sorts by the upper half in two digits of 11 bits; the result is in key[0] again. */
static void sort_keys(uint64_t *key[2], int32_t n)
{
    int32_t count[2][BINS] = {0};
    for (int64_t i = 0; i < n; i++) {
        count[0][key[0][i] >> 32 & (BINS - 1)]++;
        count[1][key[0][i] >> 43]++;
    }
    for (int d = 0; d < 2; d++) {
        for (int32_t i = 0, sum = 0; i < BINS; i++) {
            int32_t c = count[d][i];
            count[d][i] = sum;
            sum += c;
        }
    }
    for (int64_t i = 0; i < n; i++)
        key[1][count[0][key[0][i] >> 32 & (BINS - 1)]++] = key[0][i];
    for (int64_t i = 0; i < n; i++)
        key[0][count[1][key[1][i] >> 43]++] = key[1][i];
}

static void bound(float *low, float *high, const float *plane)
{
    *low = *high = plane[0];
    for (int i = 1; i < LANES; i++) {
        *low = plane[i] < *low ? plane[i] : *low;
        *high = plane[i] > *high ? plane[i] : *high;
    }
}

/* Fills a bucket with n > 0 points; unused lanes repeat the first, which does not change
 * the box. */
static void fill_bucket(struct farthest_group *g, int b, const uint64_t *sorted, int32_t n,
                        const float *xyz)
{
    int32_t lowest = 0;
    for (int32_t i = 0; i < LANES; i++) {
        int32_t row = (int32_t)(uint32_t)sorted[i < n ? i : 0];
        const float *p = xyz + 3 * (int64_t)row;
        g->x[b][i] = p[0];
        g->y[b][i] = p[1];
        g->z[b][i] = p[2];
        g->dist[b][i] = i < n ? INFINITY : -1;
        g->row[b][i] = row;
        lowest = row < g->row[b][lowest] ? i : lowest;
    }
    bound(&g->low[0][b], &g->high[0][b], g->x[b]);
    bound(&g->low[1][b], &g->high[1][b], g->y[b]);
    bound(&g->low[2][b], &g->high[2][b], g->z[b]);
    g->max[b] = INFINITY;
    g->max_row[b] = g->row[b][lowest];
    g->max_lane[b] = lowest;
}

/* Makes a bucket that no sample can change. */
static void empty_bucket(struct farthest_group *g, int b)
{
    for (int i = 0; i < LANES; i++) {
        g->x[b][i] = g->y[b][i] = g->z[b][i] = 0;
        g->dist[b][i] = -1;
        g->row[b][i] = INT32_MAX;
    }
    for (int axis = 0; axis < 3; axis++) {
        g->low[axis][b] = INFINITY;
        g->high[axis][b] = -INFINITY;
    }
    g->max[b] = -1;
    g->max_row[b] = INT32_MAX;
    g->max_lane[b] = 0;
}

/* A group's entry in the arrays that every step scans. */
static void set_top(struct sampler *s, int32_t c, int64_t bucket)
{
    const struct farthest_group *g = s->group + c;
    s->box[6 * (int64_t)s->groups + c] = g->max[bucket];
    s->row[c] = g->max_row[bucket];
    s->bucket[c] = (int32_t)bucket;
}

static void fill_groups(struct sampler *s, const float *xyz)
{
    curve_keys(s->key[0], xyz, s->n);
    sort_keys(s->key, s->n);
    for (int32_t c = 0; c < s->groups; c++) {
        struct farthest_group *g = s->group + c;
        for (int b = 0; b < LANES; b++) {
            int64_t begin = (int64_t)c * GROUP + b * LANES, left = s->n - begin;
            if (left <= 0) {
                empty_bucket(g, b);
                continue;
            }
            for (int64_t i = begin + AHEAD; i < begin + AHEAD + LANES && i < s->n; i++)
                __builtin_prefetch(xyz + 3 * (int64_t)(uint32_t)s->key[0][i]);
            fill_bucket(g, b, s->key[0] + begin, left < LANES ? (int32_t)left : LANES, xyz);
        }
        for (int axis = 0; axis < 3; axis++) {
            float low = INFINITY, high = -INFINITY;
            for (int b = 0; b < LANES; b++) {
                low = g->low[axis][b] < low ? g->low[axis][b] : low;
                high = g->high[axis][b] > high ? g->high[axis][b] : high;
            }
            s->box[axis * (int64_t)s->groups + c] = low;
            s->box[(3 + axis) * (int64_t)s->groups + c] = high;
        }
        set_top(s, c, kernels()->largest(g->max, g->max_row, LANES));
    }
}

/* Chooses a point and updates the distances of all others to it. */
static void choose(struct sampler *s, const struct kernels *table, int32_t c, int b, int lane)
{
    struct farthest_group *g = s->group + c;
    float q[3] = {g->x[b][lane], g->y[b][lane], g->z[b][lane]};
    int32_t row = g->row[b][lane];
    s->chosen[row >> 6] |= 1ull << (row & 63);
    g->dist[b][lane] = -1;
    /* forces an update of its bucket, whose maximum is gone, even if all its other points
     * are at 0 */
    g->max[b] = INFINITY;
    s->box[6 * (int64_t)s->groups + c] = INFINITY;
    table->boxes_near(s->near, s->box, s->groups, q, s->groups);
    for (int32_t w = 0; w * 64 < s->groups; w++) {
        for (uint64_t bits = s->near[w]; bits; bits &= bits - 1) {
            int32_t near = w * 64 + __builtin_ctzll(bits);
            set_top(s, near, table->farthest_group(s->group + near, q));
        }
    }
}

static void choose_start(struct sampler *s, int32_t start)
{
    int64_t place = 0;
    while ((uint32_t)s->key[0][place] != (uint32_t)start)
        place++;
    choose(s, kernels(), (int32_t)(place / GROUP), (int)(place / LANES % LANES),
           (int)(place % LANES));
}

void fps_order(int32_t *order, float *gap2, struct arena *scratch, const float *xyz, int32_t n,
               int32_t m, int32_t start)
{
    size_t mark = arena_mark(scratch);
    const struct kernels *table = kernels();
    struct sampler s;
    take_sampler(&s, scratch, n);
    memset(s.chosen, 0, ((size_t)n / 64 + 1) * sizeof *s.chosen);
    fill_groups(&s, xyz);
    const float *max = s.box + 6 * (int64_t)s.groups;
    order[0] = start;
    if (gap2)
        gap2[0] = INFINITY;
    choose_start(&s, start);
    for (int32_t rank = 1; rank < m; rank++) {
        int32_t c = (int32_t)table->largest(max, s.row, s.groups), b = s.bucket[c];
        order[rank] = s.row[c];
        if (gap2)
            gap2[rank] = max[c];
        choose(&s, table, c, b, s.group[c].max_lane[b]);
    }
    for (int32_t i = 0, rank = m; rank < n; i++) {
        if (!(s.chosen[i >> 6] >> (i & 63) & 1))
            order[rank++] = i;
    }
    arena_reset(scratch, mark);
}
