/* Soft-max over rows: see softmax.h. */
#include "model/softmax.h"

#include "core/error.h"
#include "core/parallel.h"

#include <math.h>

enum { GRAIN = 256, KEPT = 64 };

struct rows {
    float *y;
    const float *x;
    int32_t classes, first, end;
};

int softmax_check(const float *x, int64_t n, int32_t classes, int32_t first, int32_t count)
{
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = first; c < first + count; c++)
            if (!isfinite(x[i * classes + c]))
                return error_topic(error_set(GLT_ENUMERIC,
                                             "the network's output is not finite: coordinates or "
                                             "features far from those it was trained on?"),
                                   GLT_TOPIC_VALUE, "logits");
    return 0;
}

static void softmax_chunk(void *user, int64_t begin, int64_t end)
{
    const struct rows *a = user;
    for (int64_t i = begin; i < end; i++) {
        const float *x = a->x + i * a->classes;
        float *y = a->y + i * a->classes, best = x[a->first];
        double sum = 0, kept[KEPT]; /* an exponential is dear: those of the first classes stay */
        for (int32_t c = a->first; c < a->end; c++)
            best = x[c] > best ? x[c] : best;
        for (int32_t c = a->first; c < a->end; c++) {
            double e = exp((double)x[c] - (double)best);
            sum += e;
            kept[c - a->first < KEPT ? c - a->first : KEPT - 1] = e;
        }
        for (int32_t c = 0; c < a->classes; c++) {
            int32_t k = c - a->first;
            if (c < a->first || c >= a->end)
                y[c] = 0;
            else
                y[c] = (float)((k < KEPT - 1 ? kept[k] : exp((double)x[c] - (double)best)) / sum);
        }
    }
}

int softmax(float *y, const float *x, int64_t n, int32_t classes, int32_t first, int32_t count)
{
    struct rows a = {y, x, classes, first, first + count};
    TRY(softmax_check(x, n, classes, first, count));
    parallel_for(n, GRAIN, softmax_chunk, &a);
    return 0;
}
