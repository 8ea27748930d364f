/* Votes: see votes.h. */
#include "sampling/votes.h"

#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static int reserve(struct votes *v, int32_t n, int32_t classes)
{
    votes_free(v);
    v->sum = memory_alloc((size_t)n, (size_t)classes * sizeof *v->sum);
    v->count = memory_alloc((size_t)n, sizeof *v->count);
    if (!v->sum || !v->count) {
        votes_free(v);
        return GLT_ENOMEM;
    }
    v->capacity = n;
    return 0;
}

int votes_begin(struct votes *v, int32_t n, int32_t classes)
{
    if (n > v->capacity || classes != v->classes) {
        TRY(reserve(v, n, classes));
    } else {
        memset(v->sum, 0, (size_t)n * (size_t)classes * sizeof *v->sum);
        memset(v->count, 0, (size_t)n * sizeof *v->count);
    }
    v->n = n;
    v->classes = classes;
    return 0;
}

void votes_free(struct votes *v)
{
    memory_free(v->sum);
    memory_free(v->count);
    *v = (struct votes){0};
}

static void add(struct votes *v, int64_t to, const float *sum, int32_t count)
{
    float *dst = v->sum + to * v->classes;
    for (int32_t k = 0; k < v->classes; k++)
        dst[k] += sum[k];
    v->count[to] += count;
}

void votes_add(struct votes *v, const int32_t *row, const float *probabilities, int32_t n)
{
    for (int64_t i = 0; i < n; i++)
        add(v, row[i], probabilities + i * v->classes, 1);
}

void votes_merge(struct votes *v, const int32_t *row, const struct votes *from)
{
    for (int64_t i = 0; i < from->n; i++)
        add(v, row[i], from->sum + i * v->classes, from->count[i]);
}

int32_t votes_best(const float *sum, int32_t classes)
{
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++)
        best = sum[k] > sum[best] ? k : best;
    return best;
}
