/* Exact farthest point sampling (Eldar et al. 1997) that skips what cannot change.
 *
 * Points are put in buckets of neighbours along a Morton curve. A bucket keeps its box and its
 * largest distance: a new sample changes nothing in a bucket whose box is at least that far away
 * (QuickFPS, Han et al. 2023, prunes a kd-tree the same way). The distance to the box is computed
 * with the operations of the distance to a point, each of them monotone under rounding, so it never
 * exceeds the computed distance of a point inside: skipping is exact, not approximate. */
#include "geometry/fps.h"

#include "geometry/grid.h"

#include <math.h>
#include <string.h>

enum { BUCKET = 32 };

struct buckets {
    int32_t n, count;
    int32_t *row;     /* (n) in bucket order, ascending within a bucket */
    float *x, *y, *z; /* (n) */
    float *dist;      /* (n) d2 to the nearest chosen row; -1 once chosen */
    float *low[3];    /* (count) */
    float *high[3];   /* (count) */
    float *max;       /* (count) largest dist */
    int32_t *arg;     /* (count) where: the lowest row that has it */
    uint64_t *key[2]; /* (n) curve position and row, for sorting */
    int32_t *bucket;  /* (n) of each row */
};

static int32_t bucket_count(int32_t n)
{
    return (n - 1) / BUCKET + 1;
}

static void take_buckets(struct buckets *b, struct arena *a, int32_t n)
{
    size_t size = (size_t)n, count = (size_t)bucket_count(n);
    b->n = n;
    b->count = bucket_count(n);
    b->row = arena_take(a, size, sizeof *b->row);
    b->x = arena_take(a, size, sizeof *b->x);
    b->y = arena_take(a, size, sizeof *b->y);
    b->z = arena_take(a, size, sizeof *b->z);
    b->dist = arena_take(a, size, sizeof *b->dist);
    for (int axis = 0; axis < 3; axis++) {
        b->low[axis] = arena_take(a, count, sizeof *b->low[axis]);
        b->high[axis] = arena_take(a, count, sizeof *b->high[axis]);
    }
    b->max = arena_take(a, count, sizeof *b->max);
    b->arg = arena_take(a, count, sizeof *b->arg);
    b->key[0] = arena_take(a, size, sizeof *b->key[0]);
    b->key[1] = arena_take(a, size, sizeof *b->key[1]);
    b->bucket = arena_take(a, size, sizeof *b->bucket);
}

void fps_measure(struct arena *scratch, int32_t n)
{
    size_t mark = arena_mark(scratch);
    struct buckets b;
    take_buckets(&b, scratch, n);
    arena_reset(scratch, mark);
}

/* Spreads the low 10 bits of v to every third bit. */
static uint32_t spread(uint32_t v)
{
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

/* Bits per axis that give a surface a few points per cell. */
static int curve_bits(int32_t n)
{
    int bits = 2;
    while (bits < 10 && (int64_t)1 << 2 * bits < n)
        bits++;
    return bits;
}

static void curve_keys(uint64_t *key, const float *xyz, int32_t n, int bits)
{
    float low[3], high[3];
    memcpy(low, xyz, sizeof low);
    memcpy(high, xyz, sizeof high);
    for (int64_t i = 1; i < n; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float v = xyz[3 * i + axis];
            low[axis] = v < low[axis] ? v : low[axis];
            high[axis] = v > high[axis] ? v : high[axis];
        }
    }
    double extent = 0;
    for (int axis = 0; axis < 3; axis++)
        extent = fmax(extent, (double)high[axis] - (double)low[axis]);
    double cells = (double)(1 << bits), scale = extent > 0 ? cells * (1 - 1e-9) / extent : 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t code = 0;
        for (int axis = 0; axis < 3; axis++) {
            double t = ((double)xyz[3 * i + axis] - (double)low[axis]) * scale;
            code |= spread((uint32_t)t) << axis;
        }
        key[i] = (uint64_t)code << 32 | (uint64_t)i;
    }
}

/* Sorts by the upper half, `digits` times 10 bits; the result is in key[digits & 1]. */
static void sort_keys(uint64_t *key[2], int32_t n, int digits)
{
    for (int d = 0; d < digits; d++) {
        int32_t count[1024] = {0};
        const uint64_t *from = key[d & 1];
        uint64_t *to = key[1 - (d & 1)];
        int shift = 32 + 10 * d;
        for (int64_t i = 0; i < n; i++)
            count[from[i] >> shift & 1023]++;
        for (int32_t i = 0, sum = 0; i < 1024; i++) {
            int32_t c = count[i];
            count[i] = sum;
            sum += c;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[from[i] >> shift & 1023]++] = from[i];
    }
}

static void bound_bucket(struct buckets *b, int32_t c)
{
    int64_t begin = (int64_t)c * BUCKET, end = begin + BUCKET < b->n ? begin + BUCKET : b->n;
    const float *plane[3] = {b->x, b->y, b->z};
    for (int axis = 0; axis < 3; axis++) {
        float low = plane[axis][begin], high = low;
        for (int64_t i = begin + 1; i < end; i++) {
            float v = plane[axis][i];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        b->low[axis][c] = low;
        b->high[axis][c] = high;
    }
    b->max[c] = INFINITY;
    b->arg[c] = (int32_t)begin;
}

static void fill_buckets(struct buckets *b, const float *xyz)
{
    int bits = curve_bits(b->n), digits = (3 * bits + 9) / 10;
    curve_keys(b->key[0], xyz, b->n, bits);
    sort_keys(b->key, b->n, digits);
    const uint64_t *sorted = b->key[digits & 1];
    for (int64_t i = 0; i < b->n; i++)
        b->bucket[(uint32_t)sorted[i]] = (int32_t)(i / BUCKET);
    /* rows in ascending order, so that the first maximum of a bucket is its lowest row */
    int32_t *next = b->arg;
    for (int32_t c = 0; c < b->count; c++)
        next[c] = c * BUCKET;
    for (int32_t i = 0; i < b->n; i++) {
        int32_t at = next[b->bucket[i]]++;
        b->row[at] = i;
        b->x[at] = xyz[3 * (int64_t)i];
        b->y[at] = xyz[3 * (int64_t)i + 1];
        b->z[at] = xyz[3 * (int64_t)i + 2];
        b->dist[at] = INFINITY;
    }
    for (int32_t c = 0; c < b->count; c++)
        bound_bucket(b, c);
}

static float box_d2(const struct buckets *b, int32_t c, const float q[3])
{
    float d[3];
    for (int axis = 0; axis < 3; axis++) {
        float below = b->low[axis][c] - q[axis], above = q[axis] - b->high[axis][c];
        float out = below > above ? below : above;
        d[axis] = out > 0 ? out : 0;
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

static void update_bucket(struct buckets *b, int32_t c, const float q[3])
{
    int32_t begin = c * BUCKET, end = begin + BUCKET < b->n ? begin + BUCKET : b->n;
    float best = -2;
    for (int32_t i = begin; i < end; i++) {
        float p[3] = {b->x[i], b->y[i], b->z[i]}, d2 = grid_d2(p, q);
        float dist = d2 < b->dist[i] ? d2 : b->dist[i];
        b->dist[i] = dist;
        if (dist > best) {
            best = dist;
            b->arg[c] = i;
        }
    }
    b->max[c] = best;
}

/* Position of the point to choose next. */
static int32_t farthest(const struct buckets *b)
{
    int32_t best = 0;
    for (int32_t c = 1; c < b->count; c++) {
        if (b->max[c] > b->max[best] ||
            (b->max[c] == b->max[best] && b->row[b->arg[c]] < b->row[b->arg[best]]))
            best = c;
    }
    return b->arg[best];
}

static int32_t position_of(const struct buckets *b, int32_t row)
{
    int32_t at = b->bucket[row] * BUCKET;
    while (b->row[at] != row)
        at++;
    return at;
}

void fps_order(int32_t *order, float *gap2, struct arena *scratch, const float *xyz, int32_t n,
               int32_t m, int32_t start)
{
    size_t mark = arena_mark(scratch);
    struct buckets b;
    take_buckets(&b, scratch, n);
    fill_buckets(&b, xyz);
    int32_t chosen = position_of(&b, start);
    for (int32_t rank = 0; rank < m; rank++) {
        if (rank > 0)
            chosen = farthest(&b);
        order[rank] = b.row[chosen];
        if (gap2)
            gap2[rank] = b.dist[chosen];
        float q[3] = {b.x[chosen], b.y[chosen], b.z[chosen]};
        b.dist[chosen] = -1;
        for (int32_t c = 0; c < b.count; c++) {
            /* its own bucket must see that the maximum is gone, even if all else is at 0 */
            if (c == chosen / BUCKET || box_d2(&b, c, q) < b.max[c])
                update_bucket(&b, c, q);
        }
    }
    for (int64_t i = 0; i < n; i++)
        b.bucket[b.row[i]] = b.dist[i] < 0;
    for (int32_t row = 0, rank = m; row < n; row++) {
        if (!b.bucket[row])
            order[rank++] = row;
    }
    arena_reset(scratch, mark);
}
