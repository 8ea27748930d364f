/* Canonical order: rows sorted by (x, y, z, features, original row), so that a shuffled file gives
 * the same result. Numbers are ordered by value; -0 comes before 0, and NaN features by their bits,
 * so that the order is total and any shuffling of distinct rows gives the same rows in turn. */
#ifndef GEOMETRY_ORDER_H
#define GEOMETRY_ORDER_H

#include "core/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* order (n): the row of xyz (n, 3) and features (n, c) for each position; features may be NULL if
 * c = 0. False: the rows are in canonical order already, and order counts up. Scratch is taken from
 * the arena and given back. */
bool order_rows(int32_t *order, struct arena *scratch, const float *xyz, const float *features,
                int32_t n, int32_t c);
/* Takes that scratch and gives it back: a measuring arena then knows its bytes. */
void order_measure(struct arena *scratch, int32_t n);
/* Whether order_rows would give this order again (NULL: the present order of the rows). */
bool order_holds(const int32_t *order, const float *xyz, const float *features, int32_t n,
                 int32_t c);
/* rows[i] = rows[order[i]] for n rows of `size` bytes, through a copy of as many bytes. */
void order_apply(void *rows, void *copy, const int32_t *order, int32_t n, size_t size);

#endif
