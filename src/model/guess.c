/* The category of a shape by its parts: see guess.h. Sums are taken by class and then accumulated
 * over classes, so that points and classes are visited once, however many categories a file has. */
#include "model/guess.h"

#include "core/error.h"
#include "core/memory.h"
#include "model/softmax.h"

enum { BLOCK = 1 << 16 }; /* probabilities summed at a time, at least a row */

/* sum (classes + 1): the probabilities over all points, accumulated over the classes before
 * each. */
static int add_up(double *sum, const float *logits, int64_t n, int32_t classes)
{
    int64_t block = BLOCK / classes + 1;
    float *p = memory_alloc((size_t)(block * classes), sizeof *p);
    int code = p ? 0 : GLT_ENOMEM;
    for (int64_t i = 0; i < n && code == 0; i += block) {
        int64_t rows = n - i < block ? n - i : block;
        code = softmax(p, logits + i * classes, rows, classes, 0, classes);
        for (int64_t k = 0; code == 0 && k < rows * classes; k++)
            sum[k % classes + 1] += (double)p[k];
    }
    for (int32_t c = 0; c < classes; c++)
        sum[c + 1] += sum[c];
    memory_free(p);
    return code;
}

int guess_category(int32_t *out, int32_t *rival, const struct classes *c, const float *logits,
                   int64_t n)
{
    double *sum = memory_alloc((size_t)c->n + 1, sizeof *sum), highest = -1, next = -1;
    int code = sum ? add_up(sum, logits, n, c->n) : GLT_ENOMEM;
    int32_t first = 0, second = -1;
    for (int32_t k = 0; code == 0 && k < c->n_categories; k++) {
        const struct category *x = &c->categories[k];
        double all = sum[x->first + x->count] - sum[x->first];
        if (all > highest) {
            next = highest;
            second = k ? first : -1;
            highest = all;
            first = k;
        } else if (all > next) {
            next = all;
            second = k;
        }
    }
    memory_free(sum);
    TRY(code);
    *out = first;
    *rival = next > highest / 2 ? second : -1;
    return 0;
}
