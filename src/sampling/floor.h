/* The floor of a tile: the height from which its points are measured. */
#ifndef SAMPLING_FLOOR_H
#define SAMPLING_FLOOR_H

#include <stdint.h>

/* The height below which 1 % of z (n > 0) lie, so that a few stray points under the ground do not
 * matter. Reorders z. */
float floor_height(float *z, int32_t n);

#endif
