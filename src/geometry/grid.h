/* A uniform grid over points in rank order: points of a cell are adjacent, ascending in rank, and
 * the cells of one row (same y, same z) follow each other, so a row of a box is one run.
 *
 * The cell of a coordinate is a monotone function of it, computed in double: every point whose x is
 * in [a, b] is in a cell of grid_cell(a) .. grid_cell(b), without a margin for rounding. */
#ifndef GEOMETRY_GRID_H
#define GEOMETRY_GRID_H

#include "core/arena.h"

#include <stdint.h>

struct grid {
    int32_t n, dims[3], stride[3]; /* cells per axis, and from one to the next */
    double low[3], scale;          /* cells per unit of length */
    int32_t *start;                /* (cells + 1) */
    int32_t *rank;                 /* (n) in cell order */
    float *x, *y, *z;              /* (n) in cell order */
    int32_t *cell;                 /* (n) scratch: the cell of each rank */
};

/* Cells of a box, both ends included. */
struct grid_box {
    int32_t low[3], high[3];
};

/* Binds the arrays for at most n points. */
void grid_take(struct grid *g, struct arena *a, int32_t n);
/* Cells of at least the given edge, larger if there would be too many. edge > 0. */
void grid_build(struct grid *g, const float *xyz, int32_t n, double edge);
/* The same with x as the slowest axis, not the fastest: for walking through points cell by cell
 * when their ranks follow x, as in canonical order. */
void grid_build_by_x(struct grid *g, const float *xyz, int32_t n, double edge);

static inline int32_t grid_cell(const struct grid *g, int axis, double value)
{
    double t = (value - g->low[axis]) * g->scale;
    int32_t last = g->dims[axis] - 1;
    return t > 0 ? (t < last ? (int32_t)t : last) : 0;
}

/* All cells that hold points within `reach` of the box [low, high] on every axis. */
static inline struct grid_box grid_around(const struct grid *g, const float low[3],
                                          const float high[3], double reach)
{
    struct grid_box b;
    for (int i = 0; i < 3; i++) {
        b.low[i] = grid_cell(g, i, (double)low[i] - reach);
        b.high[i] = grid_cell(g, i, (double)high[i] + reach);
    }
    return b;
}

/* First cell of row (y, z) of a grid by grid_build. */
static inline int32_t grid_row(const struct grid *g, int32_t y, int32_t z)
{
    return z * g->stride[2] + y * g->stride[1];
}

/* Every point with float d2 <= r2 (r2 = radius * radius in float) is within this distance on each
 * axis: the relative margin covers the rounding of d2, the absolute one squares that underflow. */
static inline double grid_reach(double radius)
{
    return radius * (1 + 1e-5) + 1e-18;
}

static inline float grid_d2(const float *p, const float *q)
{
    float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    return (dx * dx + dy * dy) + dz * dz;
}

#endif
