/* Boxes around points. */
#ifndef GEOMETRY_BOUNDS_H
#define GEOMETRY_BOUNDS_H

#include <stdint.h>
#include <string.h>

struct bounds {
    float low[3], high[3];
};

/* The smallest box around most points: a few that are far from the rest may be outside. */
struct bounds bounds_without_strays(const float *xyz, int32_t n); /* n > 0 */

/* The smallest box around all. */
static inline struct bounds bounds_of(const float *xyz, int32_t n) /* n > 0 */
{
    struct bounds b;
    memcpy(b.low, xyz, sizeof b.low);
    memcpy(b.high, xyz, sizeof b.high);
    for (int64_t i = 1; i < n; i++) {
        for (int axis = 0; axis < 3; axis++) {
            float v = xyz[3 * i + axis];
            b.low[axis] = v < b.low[axis] ? v : b.low[axis];
            b.high[axis] = v > b.high[axis] ? v : b.high[axis];
        }
    }
    return b;
}

#endif
