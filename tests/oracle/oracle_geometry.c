/* The oracle's geometry: every rule of network.md section 2 by comparing everything with
 * everything.
 *
 * Distances are d^2 = (dx*dx + dy*dy) + dz*dz in float, as the rule says; ties go to the lower row.
 */
#include "oracle_parts.h"

#include <math.h>
#include <stdlib.h>

static float square_distance(const float *a, const float *b)
{
    float dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    float xx = dx * dx, yy = dy * dy, zz = dz * dz;
    float xy = xx + yy;
    return xy + zz;
}

void oracle_sample(int32_t *order, const float *xyz, int32_t n, int32_t m, int32_t first)
{
    char *chosen = oracle_memory(n, 1);
    int32_t count = 0;
    while (count < m && count < n) {
        int32_t best = count ? -1 : first;
        float best_distance = -1;
        for (int32_t i = 0; count && i < n; i++) {
            float nearest = INFINITY; /* to what is chosen already */
            for (int32_t j = 0; j < count && !chosen[i]; j++)
                nearest = fminf(nearest, square_distance(xyz + 3 * i, xyz + 3 * order[j]));
            if (!chosen[i] && nearest > best_distance) {
                best_distance = nearest;
                best = i;
            }
        }
        chosen[best] = 1;
        order[count++] = best;
    }
    for (int32_t i = 0; i < n; i++)
        if (!chosen[i])
            order[count++] = i;
    free(chosen);
}

/* The row of `from` nearest to p that is not taken yet, within the limit; -1 if there is none. */
static int32_t nearest_free(const float *xyz, const char *taken, int32_t candidates, const float *p,
                            float limit)
{
    int32_t best = -1;
    float best_distance = INFINITY;
    for (int32_t j = 0; j < candidates; j++) {
        float d = square_distance(p, xyz + 3 * j);
        if (!taken[j] && d <= limit && (best < 0 || d < best_distance)) {
            best = j;
            best_distance = d;
        }
    }
    return best;
}

int32_t oracle_neighbours(int32_t *start, int32_t *index, const float *xyz, int32_t centres,
                          int32_t candidates, float radius, int32_t k, enum oracle_rule rule)
{
    int32_t edges = 0;
    char *taken = oracle_memory(candidates, 1);
    start[0] = 0;
    for (int32_t i = 0; i < centres; i++) {
        const float *p = xyz + 3 * i;
        float limit = rule == ORACLE_KNN ? INFINITY : radius * radius;
        int32_t count = 0;
        for (int32_t j = 0; j < candidates; j++)
            taken[j] = 0;
        if (rule == ORACLE_FIRST) {
            for (int32_t j = 0; j < candidates && count < k; j++)
                if (square_distance(p, xyz + 3 * j) <= limit)
                    count += taken[j] = 1;
        } else {
            for (int32_t j; count < k && (j = nearest_free(xyz, taken, candidates, p, limit)) >= 0;)
                count += taken[j] = 1;
        }
        for (int32_t j = 0; j < candidates; j++)
            if (taken[j])
                index[edges++] = j;
        start[i + 1] = edges;
    }
    free(taken);
    return edges;
}

void oracle_upsample(int32_t *index, double *weight, const float *xyz, int32_t fine, int32_t coarse)
{
    char *taken = oracle_memory(coarse, 1);
    for (int32_t i = 0; i < fine; i++) {
        int32_t *to = index + 3 * i;
        double *w = weight + 3 * i, sum = 0;
        to[0] = to[1] = to[2] = 0;
        w[0] = w[1] = w[2] = 0;
        if (i < coarse) { /* a coarse point copies itself */
            to[0] = i;
            w[0] = 1;
            continue;
        }
        int32_t count = 0;
        for (; count < 3 && count < coarse; count++) {
            int32_t j = nearest_free(xyz, taken, coarse, xyz + 3 * i, INFINITY);
            taken[j] = 1;
            to[count] = j;
            w[count] = 1 / (sqrt((double)square_distance(xyz + 3 * i, xyz + 3 * j)) + 1e-8);
            sum += w[count];
        }
        for (int32_t t = 0; t < count; t++) {
            taken[to[t]] = 0;
            w[t] /= sum;
        }
    }
    free(taken);
}
