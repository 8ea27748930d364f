/* Brute force for every rule of network.md section 2: slow, short, and sharing no code with the
 * library's geometry. */
#ifndef TESTS_GEOMETRY_ORACLE_H
#define TESTS_GEOMETRY_ORACLE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static inline float oracle_d2(const float *p, const float *q)
{
    float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    return (dx * dx + dy * dy) + dz * dz;
}

static inline void oracle_fps(int32_t *order, const float *xyz, int32_t n, int32_t m, int32_t start)
{
    float *dist = malloc((size_t)n * sizeof *dist); /* -1: taken */
    for (int32_t i = 0; i < n; i++)
        dist[i] = INFINITY;
    for (int32_t rank = 0; rank < m; rank++) {
        int32_t best = rank == 0 ? start : 0;
        for (int32_t i = 0; i < n; i++)
            best = dist[i] > dist[best] ? i : best;
        order[rank] = best;
        dist[best] = -1;
        for (int32_t i = 0; i < n; i++) {
            float d2 = oracle_d2(xyz + 3 * (int64_t)i, xyz + 3 * (int64_t)best);
            dist[i] = d2 < dist[i] ? d2 : dist[i];
        }
    }
    for (int32_t i = 0; i < n; i++) {
        if (dist[i] >= 0)
            order[m++] = i;
    }
    free(dist);
}

/* Ranks inside the ball, ascending. */
static inline int32_t oracle_ball(int32_t *out, const float *xyz, int32_t n, const float *q,
                                  float radius)
{
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) {
        if (oracle_d2(xyz + 3 * (int64_t)i, q) <= radius * radius)
            out[found++] = i;
    }
    return found;
}

/* The k nearest of the listed ranks, nearest first, ties to the lower rank. */
static inline int32_t oracle_nearest(int32_t *out, const float *xyz, const int32_t *listed,
                                     int32_t n, const float *q, int32_t k)
{
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) {
        float d2 = oracle_d2(xyz + 3 * (int64_t)listed[i], q);
        int32_t at = found < k ? found++ : k;
        while (at > 0 && d2 < oracle_d2(xyz + 3 * (int64_t)out[at - 1], q)) {
            if (at < k)
                out[at] = out[at - 1];
            at--;
        }
        if (at < k)
            out[at] = listed[i];
    }
    return found;
}

static inline int oracle_ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

#endif
