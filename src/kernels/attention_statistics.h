/* How attention spreads over the neighbours of a centre: two numbers that say whether it attends.
 *
 * Entropy is -sum_j w_j ln w_j as a share of ln n, that of uniform weights: 1 is mean pooling.
 * A score is saturated if one neighbour has nearly all of the weight: then the softmax is an
 * arg-max, through which hardly any gradient passes. */
#ifndef KERNELS_ATTENTION_STATISTICS_H
#define KERNELS_ATTENTION_STATISTICS_H

#include "kernels/real.h"

#include <stdint.h>

struct attention_statistics {
    double entropy;    /* mean over the scores */
    double saturation; /* share of the scores whose largest weight exceeds 0.99 */
};

/* The end of the entries from j on that name the same neighbour. */
int64_t attention_statistics_repeats(const int32_t *index, int64_t j, int64_t len);

/* Of one centre with a list of len neighbours: weights (len, s; ld), which add up to 1 for each
 * score. A padded list repeats a neighbour in a row: it is one neighbour with all of their weight.
 * Both are -1 for fewer than 8 neighbours: two of them saturate easily. */
struct attention_statistics attention_statistics(const real *weights, const int32_t *index,
                                                 int64_t len, int64_t s, int64_t ld);

#endif
