/* Votes of cubes: see cube_votes.h. */
#include "sampling/cube_votes.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static const float UNITS = 16777216; /* per 1: 2^24, the precision of a float near 1 */

int cube_votes_begin(struct cube_votes *v, const struct cube_votes_tile *tile)
{
    if (tile->n > v->capacity) {
        memory_free(v->cube);
        v->capacity = 0;
        v->cube = memory_alloc_raw((size_t)tile->n, sizeof *v->cube);
        if (!v->cube)
            return GLT_ENOMEM;
        v->capacity = tile->n;
    }
    if (tile->classes != v->classes) {
        memory_free(v->sum);
        memory_free(v->mean);
        v->sum = NULL;
        v->mean = NULL;
        v->cubes_capacity = 0;
    }
    cubes_begin(&v->cubes, tile->xyz, tile->low, tile->edge);
    v->classes = tile->classes;
    return 0;
}

void cube_votes_free(struct cube_votes *v)
{
    cubes_free(&v->cubes);
    memory_free(v->sum);
    memory_free(v->mean);
    memory_free(v->cube);
    *v = (struct cube_votes){0};
}

/* Reserves sums for all cubes that v->cubes has capacity for. */
static int reserve_sums(struct cube_votes *v)
{
    size_t row = (size_t)v->classes, capacity = v->cubes.size / 2;
    if (capacity <= v->cubes_capacity)
        return 0;
    uint64_t *sum = memory_alloc_raw(capacity, row * sizeof *sum);
    float *mean = memory_alloc_raw(capacity, row * sizeof *mean);
    if (!sum || !mean) {
        memory_free(sum);
        memory_free(mean);
        return GLT_ENOMEM;
    }
    if (v->sum)
        memcpy(sum, v->sum, v->cubes_capacity * row * sizeof *sum);
    memory_free(v->sum);
    memory_free(v->mean);
    v->sum = sum;
    v->mean = mean;
    v->cubes_capacity = capacity;
    return 0;
}

int cube_votes_add(struct cube_votes *v, int32_t first, const int32_t *rows,
                   const float *probabilities, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t before = v->cubes.n, at = cubes_find(&v->cubes, rows[i]);
        if (at < 0)
            return at;
        TRY(reserve_sums(v));
        const float *p = probabilities + (int64_t)i * v->classes;
        uint64_t *sum = v->sum + (int64_t)at * v->classes;
        if (at == before)
            memset(sum, 0, (size_t)v->classes * sizeof *sum);
        for (int32_t k = 0; k < v->classes; k++)
            sum[k] += (uint32_t)(int32_t)(p[k] * UNITS);
        v->cube[first + i] = at;
    }
    return 0;
}

void cube_votes_finish(struct cube_votes *v)
{
    for (int64_t i = 0; i < v->cubes.n; i++) {
        const uint64_t *sum = v->sum + i * v->classes;
        float *mean = v->mean + i * v->classes;
        uint64_t all = 0;
        for (int32_t k = 0; k < v->classes; k++)
            all += sum[k];
        double scale = all ? 1 / (double)all : 0;
        for (int32_t k = 0; k < v->classes; k++)
            mean[k] = (float)((double)sum[k] * scale);
    }
}

void cube_votes_mean(float *probabilities, const struct cube_votes *v, int32_t first, int32_t n)
{
    size_t row = (size_t)v->classes;
    for (int32_t i = 0; i < n; i++)
        memcpy(probabilities + (size_t)i * row, v->mean + (size_t)v->cube[first + i] * row,
               row * sizeof *probabilities);
}
