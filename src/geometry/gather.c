/* Gathering for a tile: see gather.h. */
#include "geometry/gather.h"

#include <string.h>

enum { AHEAD = 16 };

static struct grid_box box_of(const struct grid *g, const struct grid *queries, int32_t begin,
                              int32_t end, double reach)
{
    const float *plane[3] = {queries->x, queries->y, queries->z};
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = plane[axis][begin];
        for (int32_t i = begin + 1; i < end; i++) {
            float v = plane[axis][i];
            low[axis] = v < low[axis] ? v : low[axis];
            high[axis] = v > high[axis] ? v : high[axis];
        }
    }
    return grid_around(g, low, high, reach);
}

/* Marks the points of the box in the set and returns how many; stops above GATHER_MAX. */
static int32_t mark_box(const struct rankset *set, const struct grid *g, const struct grid_box *box)
{
    int32_t count = 0;
    for (int32_t z = box->low[2]; z <= box->high[2]; z++) {
        for (int32_t y = box->low[1]; y <= box->high[1]; y++) {
            int32_t row = grid_row(g, y, z);
            int32_t begin = g->start[row + box->low[0]], end = g->start[row + box->high[0] + 1];
            count += end - begin;
            if (count > GATHER_MAX)
                return count;
            for (int32_t i = begin; i < end; i++)
                rankset_add(set, g->rank[i]);
        }
    }
    return count;
}

int gather_tile(struct gathering *t, const struct rankset *set, const struct grid *g,
                const float *xyz, const struct grid *queries, int32_t begin, int32_t end,
                double reach)
{
    struct grid_box box = box_of(g, queries, begin, end, reach);
    int32_t marked = mark_box(set, g, &box);
    t->n = rankset_drain(set, t->rank);
    for (int32_t i = 0; i < t->n; i++) {
        __builtin_prefetch(xyz + 3 * (int64_t)t->rank[i + AHEAD < t->n ? i + AHEAD : i]);
        const float *p = xyz + 3 * (int64_t)t->rank[i];
        t->x[i] = p[0];
        t->y[i] = p[1];
        t->z[i] = p[2];
    }
    return marked <= GATHER_MAX;
}
