/* The category of a shape by its parts: see guess.h. Summed by class first, so that the points are
 * gone through once however many categories a file has. */
#include "model/guess.h"

#include "core/error.h"
#include "core/memory.h"
#include "model/softmax.h"

enum { ROWS = 1024 }; /* that are summed at a time */

/* (classes): the sums of the probabilities over all points. */
static int add_up(double *sum, const float *logits, int64_t n, int32_t classes)
{
    float *p = memory_alloc(ROWS * (size_t)classes, sizeof *p);
    int code = p ? 0 : GLT_ENOMEM;
    for (int64_t i = 0; i < n && code == 0; i += ROWS) {
        int64_t rows = n - i < ROWS ? n - i : ROWS;
        code = softmax(p, logits + i * classes, rows, classes, 0, classes);
        for (int64_t k = 0; code == 0 && k < rows * classes; k++)
            sum[k % classes] += (double)p[k];
    }
    memory_free(p);
    return code;
}

static double sum_of_parts(const double *sum, const struct category_info *k)
{
    double all = 0;
    for (int32_t c = k->first; c < k->first + k->count; c++)
        all += sum[c];
    return all;
}

int guess_category(int32_t *out, int32_t *rival, const struct category_info *list, int32_t n_list,
                   const float *logits, int64_t n, int32_t classes)
{
    double *sum = memory_alloc((size_t)classes, sizeof *sum), most = -1, next = -1;
    int code = sum ? add_up(sum, logits, n, classes) : GLT_ENOMEM;
    int32_t first = 0, second = -1;
    for (int32_t k = 0; code == 0 && k < n_list; k++) {
        double all = sum_of_parts(sum, &list[k]);
        if (all > most) {
            next = most;
            second = k ? first : -1;
            most = all;
            first = k;
        } else if (all > next) {
            next = all;
            second = k;
        }
    }
    memory_free(sum);
    TRY(code);
    *out = first;
    *rival = next > most / 2 ? second : -1;
    return 0;
}
