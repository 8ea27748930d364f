/* Exact k nearest points of a grid. Order is (d2, rank): ties go to the lower rank. */
#ifndef GEOMETRY_NEAREST_H
#define GEOMETRY_NEAREST_H

#include "geometry/grid.h"

/* d2 and rank in one number that sorts like the pair: d2 is never negative. */
static inline uint64_t nearest_key(float d2, int32_t rank)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &d2, sizeof bits);
    return (uint64_t)bits << 32 | (uint32_t)rank;
}

static inline int32_t nearest_rank(uint64_t key)
{
    return (int32_t)(uint32_t)key;
}

static inline float nearest_d2(uint64_t key)
{
    uint32_t bits = (uint32_t)(key >> 32);
    float d2;
    __builtin_memcpy(&d2, &bits, sizeof d2);
    return d2;
}

/* Keeps the k smallest keys so far as a heap with the largest on top: keys (k), *n of them. */
void nearest_offer(uint64_t *keys, int32_t *n, int32_t k, uint64_t key);

/* The min(k, points) nearest to q, in no order, at most r2 away (INFINITY: no limit); returns how
 * many. `guess` is a first reach to try: a wrong one costs time, never exactness. */
int32_t nearest_search(uint64_t *keys, const struct grid *g, const float q[3], int32_t k, float r2,
                       double guess);

#endif
