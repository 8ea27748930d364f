/* Exact farthest point sampling. */
#ifndef GEOMETRY_FPS_H
#define GEOMETRY_FPS_H

#include "core/arena.h"

#include <stdint.h>

/* order (n): m <= n rows in farthest-point order from row `start`, then the others in row order.
 * Each row is chosen once; ties go to the lower row. gap2 (m) or NULL: d2 of each chosen row to
 * those before it (infinity for the first). Scratch is taken from the arena and given back. */
void fps_order(int32_t *order, float *gap2, struct arena *scratch, const float *xyz, int32_t n,
               int32_t m, int32_t start);
/* Takes that scratch and gives it back: a measuring arena then knows its size. */
void fps_measure(struct arena *scratch, int32_t n);

#endif
