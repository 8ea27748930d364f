/* The points of a grid near a tile of queries, ascending in rank, in planes for vector loops. */
#ifndef GEOMETRY_GATHER_H
#define GEOMETRY_GATHER_H

#include "geometry/grid.h"
#include "geometry/rankset.h"
#include "kernels/kernels.h"

enum { GATHER_MAX = 2048 };

struct gathering {
    int32_t n;
    int32_t rank[GATHER_MAX];
    float x[GATHER_MAX], y[GATHER_MAX], z[GATHER_MAX];
};

/* All points of g (xyz (n, 3) in rank order) within `reach` on every axis of the queries at
 * positions [begin, end) of their own grid, and some more; the set is empty before and after.
 * Returns 0 if there are over GATHER_MAX. */
int gather_tile(struct gathering *t, const struct rankset *set, const struct grid *g,
                const float *xyz, const struct grid *queries, int32_t begin, int32_t end,
                double reach);

/* The end of the positions in the same cell as `begin`, at most `end`. */
static inline int32_t gather_tile_end(const struct grid *queries, int32_t begin, int32_t end)
{
    int32_t cell = queries->cell[queries->rank[begin]], next = begin + 1;
    while (next < end && queries->cell[queries->rank[next]] == cell)
        next++;
    return next;
}

#endif
