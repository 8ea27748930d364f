/* Entropy and saturation of attention weights: see attention_statistics.h. */
#include "kernels/attention_statistics.h"

#include <math.h>

static const double SATURATED = 0.99;

/* At most one weight of a score exceeds 0.99, so counting weights counts scores. */
struct attention_statistics attention_statistics(const real *weights, int64_t n, int64_t s,
                                                 int64_t ld)
{
    double entropy = 0;
    int64_t saturated = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t c = 0; c < s; c++) {
            double w = (double)weights[j * ld + c];
            entropy -= w > 0 ? w * log(w) : 0;
            saturated += w > SATURATED;
        }
    return (struct attention_statistics){entropy / ((double)s * log((double)n)),
                                         (double)saturated / (double)s};
}
