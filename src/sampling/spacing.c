/* Thinning to a spacing: see spacing.h. Cubes are found by hashing, because most of them are empty.
 */
#include "sampling/spacing.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "geometry/nearest.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

struct cubes {
    const struct item *x;
    double edge;
    int32_t *first; /* (size) 1 + the row that stays in a cube; 0: empty */
    uint64_t size;  /* a power of two */
};

static double cube_at(const struct cubes *c, int32_t row, int axis)
{
    return floor((double)c->x->xyz[3 * (int64_t)row + axis] / c->edge);
}

static uint64_t hash(const struct cubes *c, int32_t row)
{
    uint64_t h = 0, bits;
    for (int axis = 0; axis < 3; axis++) {
        double at = cube_at(c, row, axis) + 0.0; /* -0 is 0 */
        memcpy(&bits, &at, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15;
        h ^= h >> 32;
    }
    return h;
}

static bool same_cube(const struct cubes *c, int32_t a, int32_t b)
{
    return cube_at(c, a, 0) == cube_at(c, b, 0) && cube_at(c, a, 1) == cube_at(c, b, 1) &&
           cube_at(c, a, 2) == cube_at(c, b, 2);
}

/* Squared distance from the centre of its cube. */
static double off_centre(const struct cubes *c, int32_t row)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double centre = (cube_at(c, row, axis) + 0.5) * c->edge;
        double d = (double)c->x->xyz[3 * (int64_t)row + axis] - centre;
        sum += d * d;
    }
    return sum;
}

static void offer(struct cubes *c, int32_t row)
{
    uint64_t at = hash(c, row) & (c->size - 1);
    while (c->first[at] && !same_cube(c, c->first[at] - 1, row))
        at = (at + 1) & (c->size - 1);
    if (!c->first[at] || off_centre(c, row) < off_centre(c, c->first[at] - 1))
        c->first[at] = row + 1;
}

/* kept (n): whether a row stays. Returns how many do, or GLT_ENOMEM. */
static int32_t choose(bool *kept, const struct item *x, double spacing)
{
    struct cubes c = {.x = x, .edge = spacing, .size = 2};
    int32_t n = 0;
    while (c.size < 2 * (uint64_t)x->n)
        c.size *= 2;
    c.first = memory_alloc(c.size, sizeof *c.first);
    if (!c.first)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < x->n; i++)
        offer(&c, i);
    for (uint64_t at = 0; at < c.size; at++)
        if (c.first[at]) {
            kept[c.first[at] - 1] = true;
            n++;
        }
    memory_free(c.first);
    return n;
}

static int copy_kept(struct item *out, const struct item *x, const bool *kept, int32_t n)
{
    struct item y;
    TRY(item_new(&y, n, x->extra, false));
    for (int32_t i = 0, to = 0; i < x->n; i++) {
        if (!kept[i])
            continue;
        memcpy(y.xyz + 3 * (int64_t)to, x->xyz + 3 * (int64_t)i, 3 * sizeof *y.xyz);
        if (x->extra)
            memcpy(y.features + (int64_t)to * x->extra, x->features + (int64_t)i * x->extra,
                   (size_t)x->extra * sizeof *y.features);
        y.row[to++] = x->row[i];
    }
    y.grey = x->grey;
    y.step = x->step;
    y.rows = n; /* the others are not left out: they follow */
    memcpy(y.origin, x->origin, sizeof y.origin);
    item_find_low(&y);
    *out = y;
    return 0;
}

int spacing_thin(struct item *out, const struct item *x, double spacing)
{
    bool *kept = memory_alloc((size_t)x->n, sizeof *kept);
    if (!kept)
        return GLT_ENOMEM;
    int32_t n = choose(kept, x, spacing);
    int code = n < 0 ? n : copy_kept(out, x, kept, n);
    memory_free(kept);
    return code;
}

/* --- the way back --- */

struct search {
    int32_t *nearest;
    const float *xyz;
    struct grid grid;
    double spacing;
};

static void search_chunk(void *user, int64_t begin, int64_t end)
{
    struct search *s = user;
    for (int64_t i = begin; i < end; i++) {
        uint64_t key;
        nearest_search(&key, &s->grid, s->xyz + 3 * i, 1, INFINITY, s->spacing);
        s->nearest[i] = nearest_rank(key);
    }
}

int spacing_nearest(int32_t *nearest, const struct item *whole, const struct item *thin,
                    double spacing)
{
    struct search s = {.nearest = nearest, .xyz = whole->xyz, .spacing = spacing};
    struct arena a = arena_measuring();
    grid_take(&s.grid, &a, thin->n);
    TRY(arena_init(&a, a.peak));
    grid_take(&s.grid, &a, thin->n);
    grid_build(&s.grid, thin->xyz, thin->n, spacing);
    parallel_for(whole->n, GRAIN, search_chunk, &s);
    arena_free(&a);
    return 0;
}
