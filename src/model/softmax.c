/* Soft-max over rows: see softmax.h. */
#include "model/softmax.h"

#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"

#include <stdbool.h>

enum { GRAIN = 256 };

struct rows {
    float *y;
    const float *x;
    int32_t classes, first, end;
};

static bool is_finite(const float *x, int32_t n)
{
    int32_t bad = 0;
    for (int32_t c = 0; c < n; c++) /* without a branch, so that it is vectorised */
        bad |= !(x[c] - x[c] == 0);
    return !bad;
}

int softmax_check(const float *x, int64_t n, int32_t classes, int32_t first, int32_t count)
{
    for (int64_t i = 0; i < n; i++)
        if (!is_finite(x + i * classes + first, count))
            return error_topic(error_set(GLT_ENUMERIC,
                                         "the network's output is not finite: coordinates or "
                                         "features far from those it was trained on?"),
                               GLT_TOPIC_VALUE, "logits");
    return 0;
}

/* Subtracts the largest score of the row, so that no exponential overflows. */
static void shift_row(float *y, const float *x, const struct rows *a)
{
    float best = x[a->first];
    for (int32_t c = a->first; c < a->end; c++)
        best = x[c] > best ? x[c] : best;
    for (int32_t c = 0; c < a->classes; c++)
        y[c] = c < a->first || c >= a->end ? 0 : x[c] - best;
}

static void scale_row(float *y, const struct rows *a)
{
    double sum = 0;
    for (int32_t c = a->first; c < a->end; c++)
        sum += (double)y[c];
    float scale = (float)(1 / sum);
    for (int32_t c = 0; c < a->classes; c++)
        y[c] = c < a->first || c >= a->end ? 0 : y[c] * scale;
}

static void softmax_chunk(void *user, int64_t begin, int64_t end)
{
    const struct rows *a = user;
    for (int64_t i = begin; i < end; i++)
        shift_row(a->y + i * a->classes, a->x + i * a->classes, a);
    float *y = a->y + begin * a->classes;
    kernels()->exponentials(y, y, (end - begin) * a->classes);
    for (int64_t i = begin; i < end; i++)
        scale_row(a->y + i * a->classes, a);
}

int softmax(float *y, const float *x, int64_t n, int32_t classes, int32_t first, int32_t count)
{
    struct rows a = {y, x, classes, first, first + count};
    TRY(softmax_check(x, n, classes, first, count));
    parallel_for(n, GRAIN, softmax_chunk, &a);
    return 0;
}
