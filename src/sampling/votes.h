/* Votes: the network's probabilities, summed per point over the samples that it was in. */
#ifndef SAMPLING_VOTES_H
#define SAMPLING_VOTES_H

#include <stdint.h>

struct votes {
    int32_t n, classes;
    int32_t capacity; /* in points */
    float *sum;       /* (n, classes) */
    int32_t *count;   /* (n) samples the point was in */
};

/* Starts without votes for n points; memory is kept and grows on demand. */
int votes_begin(struct votes *v, int32_t n, int32_t classes);
void votes_free(struct votes *v);
/* Adds probabilities (n, classes) of the points row (n). */
void votes_add(struct votes *v, const int32_t *row, const float *probabilities, int32_t n);
/* Adds the votes of `from`, whose point i is row[i] here. */
void votes_merge(struct votes *v, const int32_t *row, const struct votes *from);
/* The class with the largest sum; the lowest of several. */
int32_t votes_best(const float *sum, int32_t classes);

#endif
