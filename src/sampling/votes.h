/* Votes: the network's probabilities, summed per point over the samples that it was in. */
#ifndef SAMPLING_VOTES_H
#define SAMPLING_VOTES_H

#include <stdint.h>

struct votes {
    int32_t n, classes;
    int32_t capacity; /* points that there is memory for */
    float *sum;       /* (n, classes) */
    int32_t *count;   /* (n) samples the point was in */
};

/* No votes yet for n points; the memory is kept and grows if it must. */
int votes_begin(struct votes *v, int32_t n, int32_t classes);
void votes_free(struct votes *v);
/* probabilities (n, classes) of the points row (n) */
void votes_add(struct votes *v, const int32_t *row, const float *probabilities, int32_t n);
/* Adds the votes of `from`, whose point i is row[i] here. */
void votes_merge(struct votes *v, const int32_t *row, const struct votes *from);
/* The class with the largest sum, the lower one of equals. */
int32_t votes_best(const float *sum, int32_t classes);

#endif
