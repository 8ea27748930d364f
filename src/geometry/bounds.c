/* Boxes that strays do not stretch: see bounds.h. */
#include "geometry/bounds.h"

enum { SAMPLE = 64, STRAYS = 2 }; /* of the points drawn, this many may be strays on each side */

static void sort(float *x, int n)
{
    for (int i = 1; i < n; i++) {
        float v = x[i];
        int at = i;
        for (; at > 0 && x[at - 1] > v; at--)
            x[at] = x[at - 1];
        x[at] = v;
    }
}

struct bounds bounds_without_strays(const float *xyz, int32_t n)
{
    struct bounds b = bounds_of(xyz, n);
    if (n < SAMPLE)
        return b;
    for (int axis = 0; axis < 3; axis++) {
        float x[SAMPLE];
        for (int i = 0; i < SAMPLE; i++)
            x[i] = xyz[3 * ((int64_t)n * i / SAMPLE) + axis];
        sort(x, SAMPLE);
        float low = x[STRAYS], high = x[SAMPLE - 1 - STRAYS], margin = high - low;
        b.low[axis] = b.low[axis] > low - margin ? b.low[axis] : low - margin;
        b.high[axis] = b.high[axis] < high + margin ? b.high[axis] : high + margin;
    }
    return b;
}
