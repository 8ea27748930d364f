/* Entropy and saturation of attention weights: see attention_statistics.h. */
#include "kernels/attention_statistics.h"

#include <math.h>

enum { NEIGHBOURS_LEAST = 8 };
static const double SATURATED = 0.99;

int64_t attention_statistics_repeats(const int32_t *index, int64_t j, int64_t len)
{
    int64_t end = j + 1;
    while (end < len && index[end] == index[j])
        end++;
    return end;
}

/* At most one weight of a score exceeds 0.99, so counting weights counts scores. */
struct attention_statistics attention_statistics(const real *weights, const int32_t *index,
                                                 int64_t len, int64_t s, int64_t ld)
{
    double entropy = 0;
    int64_t saturated = 0, neighbours = 0;
    for (int64_t j = 0, end; j < len; j = end, neighbours++) {
        end = attention_statistics_repeats(index, j, len);
        for (int64_t c = 0; c < s; c++) {
            double w = 0;
            for (int64_t k = j; k < end; k++)
                w += (double)weights[k * ld + c];
            entropy -= w > 0 ? w * log(w) : 0;
            saturated += w > SATURATED;
        }
    }
    if (neighbours < NEIGHBOURS_LEAST)
        return (struct attention_statistics){-1, -1};
    return (struct attention_statistics){entropy / ((double)s * log((double)neighbours)),
                                         (double)saturated / (double)s};
}
