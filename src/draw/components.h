/* Principal components (Pearson, 1901) as colours: the first three directions in which rows differ
 * most become red, green and blue. */
#ifndef DRAW_COMPONENTS_H
#define DRAW_COMPONENTS_H

#include "draw/image.h"

/* x (n, c). Plain loops in a fixed order: the same numbers give the same colours. */
int components_colours(struct colour *dst, const float *x, int64_t n, int64_t c);

#endif
