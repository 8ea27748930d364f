/* Unit spheres: see normalise.h. */
#include "sampling/normalise.h"

#include <math.h>

void normalise_sphere(float *xyz, const int32_t *order, int32_t n)
{
    double mean[3] = {0}, largest = 0;
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += (double)xyz[3 * (int64_t)(order ? order[i] : i) + k] / n;
    for (int64_t i = 0; i < n; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) {
            double d = (double)xyz[3 * i + k] - mean[k];
            d2 += d * d;
        }
        largest = d2 > largest ? d2 : largest;
    }
    double scale = largest > 0 ? 1 / sqrt(largest) : 1;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            xyz[3 * i + k] = (float)(((double)xyz[3 * i + k] - mean[k]) * scale);
}
