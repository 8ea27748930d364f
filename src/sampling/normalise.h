/* Normalising a shape: the mean of its points to 0, their largest radius to 1 (docs/network.md,
 * section 7). */
#ifndef SAMPLING_NORMALISE_H
#define SAMPLING_NORMALISE_H

#include <stdint.h>

/* xyz (n, 3), in place. The sum follows `order`, the canonical order of the rows (NULL: they are in
 * it already), so that a shuffled cloud gives the same bits. */
void normalise_sphere(float *xyz, const int32_t *order, int32_t n);

#endif
