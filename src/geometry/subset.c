/* Stratified subsets: see subset.h. The Z-order curve is Morton's (1966): nearby keys are nearby
 * points, so equal runs of the sorted keys are strata. */
#include "geometry/subset.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/parallel.h"
#include "geometry/bounds.h"
#include "geometry/grid.h"
#include "geometry/nearest.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SIDE = 65536, BINS = 1 << 16, DIGITS = 3, GRAIN = 4096 };

struct keyed {
    uint64_t key; /* 48 bits */
    int32_t row;
};

static bool is_finite(const float *p)
{
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

/* The bits of a 16-bit number, with two zeros between neighbours. */
static uint64_t spread(uint64_t v)
{
    v = (v | v << 16) & 0x0000ff0000ffull;
    v = (v | v << 8) & 0x00f00f00f00full;
    v = (v | v << 4) & 0x0c30c30c30c3ull;
    return (v | v << 2) & 0x249249249249ull;
}

static uint64_t key_of(const float *p, const double low[3], double scale)
{
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        double cell = ((double)p[axis] - low[axis]) * scale;
        key |= spread(cell < SIDE - 1 ? (uint64_t)cell : SIDE - 1) << axis;
    }
    return key;
}

/* The smallest corner of the finite points and the longest side; returns the number of finite
 * points. */
static int64_t measure(double low[3], double *side, const float *xyz, int64_t n)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t finite = 0;
    low[0] = low[1] = low[2] = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (!is_finite(xyz + 3 * i))
            continue;
        finite++;
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fmin(low[axis], (double)xyz[3 * i + axis]);
            high[axis] = fmax(high[axis], (double)xyz[3 * i + axis]);
        }
    }
    *side = 0;
    for (int axis = 0; axis < 3 && finite; axis++)
        *side = fmax(*side, high[axis] - low[axis]);
    return finite;
}

/* Stable passes from the last digit to the first; returns the array with the result. */
static struct keyed *sort_keys(struct keyed *from, struct keyed *to, int64_t *count, int64_t n)
{
    for (int d = 0; d < DIGITS; d++) {
        memset(count, 0, BINS * sizeof *count);
        for (int64_t i = 0; i < n; i++)
            count[from[i].key >> 16 * d & (BINS - 1)]++;
        for (int64_t bin = 0, sum = 0; bin < BINS; bin++) {
            int64_t size = count[bin];
            count[bin] = sum;
            sum += size;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[from[i].key >> 16 * d & (BINS - 1)]++] = from[i];
        struct keyed *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static int64_t take_all(int32_t *rows, const float *xyz, int64_t n)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (is_finite(xyz + 3 * i))
            rows[m++] = (int32_t)i;
    return m;
}

/* Takes the middle of each run: marked first, then listed in ascending order. */
static void take_middles(int32_t *rows, uint8_t *taken, const struct keyed *sorted, int64_t finite,
                         int64_t m, int64_t n)
{
    for (int64_t i = 0; i < m; i++) {
        int64_t begin = i * finite / m, end = (i + 1) * finite / m;
        taken[sorted[(begin + end) / 2].row] = 1;
    }
    for (int64_t i = 0, k = 0; i < n; i++)
        if (taken[i])
            rows[k++] = (int32_t)i;
}

int64_t subset_rows(int32_t *rows, int64_t m, struct call *call, const float *xyz, int64_t n)
{
    double low[3], side;
    int64_t finite = measure(low, &side, xyz, n), k = 0, mark = call_mark(call);
    if (finite <= m)
        return take_all(rows, xyz, n);
    struct keyed *keys = call_alloc(call, (size_t)finite, sizeof *keys);
    struct keyed *copy = call_alloc(call, (size_t)finite, sizeof *copy);
    int64_t *count = call_alloc(call, BINS, sizeof *count);
    uint8_t *taken = call_alloc(call, (size_t)n, 1);
    if (keys && copy && count && taken) {
        double scale = side > 0 ? SIDE / side : 0;
        for (int64_t i = 0; i < n; i++)
            if (is_finite(xyz + 3 * i))
                keys[k++] = (struct keyed){key_of(xyz + 3 * i, low, scale), (int32_t)i};
        take_middles(rows, taken, sort_keys(keys, copy, count, finite), finite, m, n);
    }
    bool done = keys && copy && count && taken;
    call_reset(call, mark);
    return done ? m : GLT_ENOMEM;
}

/* --- owners --- */

struct search {
    int32_t *owner;
    const float *xyz;
    const struct grid *grid;
    double guess;
};

static void search_chunk(void *user, int64_t begin, int64_t end)
{
    const struct search *s = user;
    for (int64_t i = begin; i < end; i++) {
        uint64_t key;
        bool found = is_finite(s->xyz + 3 * i) &&
                     nearest_search(&key, s->grid, s->xyz + 3 * i, 1, INFINITY, s->guess) == 1;
        s->owner[i] = found ? nearest_rank(key) : -1;
    }
}

/* The edge of a cube that holds two points on average, if they fill a surface of the box. */
static double spacing(const float *xyz, int64_t m)
{
    struct bounds box = bounds_without_strays(xyz, (int32_t)m);
    double side = 0;
    for (int axis = 0; axis < 3; axis++)
        side = fmax(side, (double)box.high[axis] - (double)box.low[axis]);
    return side > 0 ? fmax(side * sqrt(2.0 / (double)m), side * 1e-4) : 1;
}

int subset_owners(int32_t *owner, const int32_t *rows, int64_t m, struct call *call,
                  const float *xyz, int64_t n)
{
    struct grid grid = {0};
    struct arena arena = arena_measuring();
    int64_t mark = call_mark(call);
    if (m == 0) {
        memset(owner, 0xff, (size_t)n * sizeof *owner);
        return 0;
    }
    float *taken = call_alloc(call, (size_t)m + 1, 3 * sizeof *taken);
    if (!taken)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < m; i++)
        memcpy(taken + 3 * i, xyz + 3 * (int64_t)rows[i], 3 * sizeof *taken);
    grid_take(&grid, &arena, (int32_t)m);
    size_t bytes = arena.peak;
    TRY(arena_init(&arena, bytes));
    grid_take(&grid, &arena, (int32_t)m);
    double edge = spacing(taken, m);
    grid_build(&grid, taken, (int32_t)m, edge);
    struct search s = {owner, xyz, &grid, edge};
    parallel_for(n, GRAIN, search_chunk, &s);
    for (int64_t i = 0; i < m; i++)
        owner[rows[i]] = (int32_t)i;
    arena_free(&arena);
    call_reset(call, mark);
    return 0;
}
