/* Uniform grid by counting sort: see grid.h. */
#include "geometry/grid.h"

#include "core/arena.h"
#include "geometry/bounds.h"

#include <string.h>

/* Memory and clearing stay linear in the points, however small the edge. */
static int64_t max_cells(int32_t n)
{
    int64_t cells = 4 * (int64_t)n + 64;
    return cells < 1 << 30 ? cells : 1 << 30; /* cells are numbered by int32_t */
}

void grid_take(struct grid *g, struct arena *a, int32_t n)
{
    size_t size = (size_t)n;
    g->start = arena_take(a, (size_t)max_cells(n) + 1, sizeof *g->start);
    g->rank = arena_take(a, size, sizeof *g->rank);
    g->x = arena_take(a, size, sizeof *g->x);
    g->y = arena_take(a, size, sizeof *g->y);
    g->z = arena_take(a, size, sizeof *g->z);
    g->cell = arena_take(a, size, sizeof *g->cell);
}

static void choose_cells(struct grid *g, const float *xyz, int32_t n, double edge)
{
    struct bounds box =
        bounds_without_strays(xyz, n); /* points outside are in its outermost cells */
    double extent[3], max = (double)max_cells(n);
    for (int axis = 0; axis < 3; axis++) {
        g->low[axis] = (double)box.low[axis];
        extent[axis] = (double)box.high[axis] - (double)box.low[axis];
        edge = edge < extent[axis] / max ? extent[axis] / max : edge;
    }
    double cells;
    do { /* few rounds: each divides the number of cells by 1.4 to 2.7 */
        cells = 1;
        for (int axis = 0; axis < 3; axis++) {
            double size = extent[axis] / edge;
            g->dims[axis] = (size < max ? (int32_t)size : (int32_t)max) + 1;
            cells *= g->dims[axis];
        }
        g->scale = 1 / edge;
        edge *= 1.4;
    } while (cells > max);
}

static void sort_into_cells(struct grid *g, const float *xyz, int32_t n)
{
    int32_t cells = g->dims[0] * g->dims[1] * g->dims[2];
    int32_t *next = g->start + 1; /* one ahead: the end of a cell is the start of the next */
    memset(g->start, 0, ((size_t)cells + 1) * sizeof *g->start);
    for (int64_t i = 0; i < n; i++) {
        int32_t cx = grid_cell(g, 0, (double)xyz[3 * i]);
        int32_t cy = grid_cell(g, 1, (double)xyz[3 * i + 1]);
        int32_t cz = grid_cell(g, 2, (double)xyz[3 * i + 2]);
        int32_t cell = cx * g->stride[0] + cy * g->stride[1] + cz * g->stride[2];
        g->cell[i] = cell;
        next[cell]++;
    }
    for (int32_t c = 0, sum = 0; c < cells; c++) {
        int32_t count = next[c];
        next[c] = sum;
        sum += count;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t at = next[g->cell[i]]++;
        g->rank[at] = i;
        g->x[at] = xyz[3 * (int64_t)i];
        g->y[at] = xyz[3 * (int64_t)i + 1];
        g->z[at] = xyz[3 * (int64_t)i + 2];
    }
}

void grid_build(struct grid *g, const float *xyz, int32_t n, double edge)
{
    g->n = n;
    choose_cells(g, xyz, n, edge);
    g->stride[0] = 1;
    g->stride[1] = g->dims[0];
    g->stride[2] = g->dims[0] * g->dims[1];
    sort_into_cells(g, xyz, n);
}

void grid_build_by_x(struct grid *g, const float *xyz, int32_t n, double edge)
{
    g->n = n;
    choose_cells(g, xyz, n, edge);
    g->stride[0] = g->dims[1] * g->dims[2];
    g->stride[1] = g->dims[2];
    g->stride[2] = 1;
    sort_into_cells(g, xyz, n);
}
