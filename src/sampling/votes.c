/* Votes: see metrics.h. */
#include "core/error.h"
#include "core/memory.h"
#include "sampling/metrics.h"

int votes_create(struct votes *v, int32_t n, int32_t classes)
{
    struct votes x = {.n = n, .classes = classes};
    x.sum = memory_alloc((size_t)n, (size_t)classes * sizeof *x.sum);
    x.count = memory_alloc((size_t)n, sizeof *x.count);
    if (!x.sum || !x.count) {
        votes_free(&x);
        return GLT_ENOMEM;
    }
    *v = x;
    return 0;
}

void votes_free(struct votes *v)
{
    memory_free(v->sum);
    memory_free(v->count);
    *v = (struct votes){0};
}

void votes_add(struct votes *v, const int32_t *row, const float *probabilities, int32_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float *sum = v->sum + (int64_t)row[i] * v->classes;
        for (int32_t k = 0; k < v->classes; k++)
            sum[k] += probabilities[i * v->classes + k];
        v->count[row[i]]++;
    }
}

void votes_result(int32_t *labels, float *confidence, const struct votes *v)
{
    for (int64_t i = 0; i < v->n; i++) {
        const float *sum = v->sum + i * v->classes;
        int32_t best = 0;
        for (int32_t k = 1; k < v->classes; k++)
            best = sum[k] > sum[best] ? k : best;
        labels[i] = v->count[i] ? best : -1;
        if (confidence)
            confidence[i] = v->count[i] ? sum[best] / (float)v->count[i] : 0;
    }
}
