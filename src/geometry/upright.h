/* Which axis of a shape points up, estimated from its geometry. */
#ifndef GEOMETRY_UPRIGHT_H
#define GEOMETRY_UPRIGHT_H

#include <stdint.h>

/* share (3): the probability that x, y and z point up; the sum is 1. xyz (n, 3). Position and size
 * of the shape do not matter. For shapes of ModelNet40 the right axis is the most likely in four
 * cases out of five. */
void upright_shares(double share[3], const float *xyz, int32_t n);

#endif
