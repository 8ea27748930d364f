/* The floor of a tile: the height its points are measured from. */
#ifndef SAMPLING_FLOOR_H
#define SAMPLING_FLOOR_H

#include <stdint.h>

/* The height below which lies one in a hundred of z (n > 0), so that a few stray points under the
 * ground decide nothing. Moves them. */
float floor_height(float *z, int32_t n);

#endif
