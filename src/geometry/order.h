/* Canonical order: rows sorted by (x, y, z, features, original row), so that a shuffled file gives
 * the same answer. Numbers are ordered by value; -0 comes before 0, and NaN features by their bits,
 * so that the order is total and any shuffling of distinct rows gives the same rows in turn. */
#ifndef GEOMETRY_ORDER_H
#define GEOMETRY_ORDER_H

#include "core/arena.h"

#include <stdint.h>

/* order (n): the row of xyz (n, 3) and features (n, c) at each place; features may be NULL if
 * c = 0. Scratch comes from the arena and is given back. */
void order_rows(int32_t *order, struct arena *scratch, const float *xyz, const float *features,
                int32_t n, int32_t c);
/* Takes that scratch (and gives it back): with a measuring arena, tells its size. */
void order_measure(struct arena *scratch, int32_t n);

#endif
