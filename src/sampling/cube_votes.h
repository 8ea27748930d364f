/* Votes of cubes: probabilities that points near each other share.
 *
 * A dense tile is dealt into several samples, and a point is in one of them. Points of one small
 * cube have the same class, except for a few at a boundary, so the mean of the cube is more
 * reliable than the single vote of a point. Sums are integers: they do not depend on the order in
 * which samples are added. */
#ifndef SAMPLING_CUBE_VOTES_H
#define SAMPLING_CUBE_VOTES_H

#include "sampling/cubes.h"

#include <stddef.h>

struct cube_votes {
    struct cubes cubes;
    int32_t classes;
    uint64_t *sum;         /* (cubes, classes) in units of 2^-24 */
    float *mean;           /* (cubes, classes) probabilities, after cube_votes_finish */
    size_t cubes_capacity; /* capacity of both */
    int32_t *cube;         /* (n) of each point of the tile */
    int32_t capacity;      /* capacity of cube, in points */
};

/* Starts without votes for the n points of a tile, which are rows of xyz; cubes begin at low. */
struct cube_votes_tile {
    int32_t n;
    const float *xyz;
    double low[3], edge;
    int32_t classes;
};
int cube_votes_begin(struct cube_votes *v, const struct cube_votes_tile *tile);
void cube_votes_free(struct cube_votes *v);
/* Adds probabilities (n, classes) of the points first to first + n - 1 of the tile, which are these
 * rows of xyz. */
int cube_votes_add(struct cube_votes *v, int32_t first, const int32_t *rows,
                   const float *probabilities, int32_t n);
/* Call this after all votes were added. */
void cube_votes_finish(struct cube_votes *v);
/* After that: probabilities (n, classes) of the points first to first + n - 1, each the mean of its
 * cube. */
void cube_votes_mean(float *probabilities, const struct cube_votes *v, int32_t first, int32_t n);

#endif
