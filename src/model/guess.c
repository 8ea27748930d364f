/* The category of a shape by its parts: see guess.h. Summed by class first, so that the points are
 * gone through once however many categories a file has. */
#include "model/guess.h"

#include "core/error.h"
#include "core/memory.h"
#include "model/softmax.h"

enum { ROWS = 1024 }; /* that are summed at a time */

static double sum_of_parts(const double *sum, const struct category_info *k)
{
    double all = 0;
    for (int32_t c = k->first; c < k->first + k->count; c++)
        all += sum[c];
    return all;
}

int guess_category(int32_t *out, const struct model *m, const float *logits, int64_t n)
{
    int64_t classes = m->classes;
    float *p = memory_alloc(ROWS * (size_t)classes, sizeof *p);
    double *sum = memory_alloc((size_t)classes, sizeof *sum), most = -1;
    int code = p && sum ? 0 : GLT_ENOMEM;
    for (int64_t i = 0; i < n && code == 0; i += ROWS) {
        int64_t rows = n - i < ROWS ? n - i : ROWS;
        code = softmax(p, logits + i * classes, rows, m->classes, 0, m->classes);
        for (int64_t k = 0; k < rows * classes; k++)
            sum[k % classes] += (double)p[k];
    }
    for (int32_t k = 0; code == 0 && k < m->categories; k++) {
        double all = sum_of_parts(sum, &m->category_info[k]);
        if (all > most) {
            most = all;
            *out = k;
        }
    }
    memory_free(p);
    memory_free(sum);
    return code;
}
