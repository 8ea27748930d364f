/* See gemm_plain.h. Rows of b are added one after the other, so that the compiler vectorises over
 * the columns; a transposed b is read along its rows too, as dot products. */
#include "kernels/gemm_plain.h"

#include <string.h>

static real a_at(const struct gemm_block *p, int64_t i, int64_t t)
{
    return p->ta ? p->a[t * p->lda + i] : p->a[i * p->lda + t];
}

static void add_rows(const struct gemm_block *p, int64_t i, real *c)
{
    for (int64_t t = 0; t < p->k; t++) {
        real x = a_at(p, i, t);
        const real *b = p->b + t * p->ldb;
        for (int64_t j = 0; j < p->n; j++)
            c[j] += x * b[j];
    }
}

static void add_dots(const struct gemm_block *p, int64_t i, real *c)
{
    for (int64_t j = 0; j < p->n; j++) {
        const real *b = p->b + j * p->ldb;
        real sum = 0;
        for (int64_t t = 0; t < p->k; t++)
            sum += a_at(p, i, t) * b[t];
        c[j] += sum;
    }
}

void gemm_plain(const struct gemm_block *p)
{
    for (int64_t i = 0; i < p->m; i++) {
        real *c = p->c + i * p->ldc;
        if (!p->accumulate)
            memset(c, 0, (size_t)p->n * sizeof *c);
        if (p->tb)
            add_dots(p, i, c);
        else
            add_rows(p, i, c);
    }
    if (p->end)
        gemm_block_finish(p->c, p->ldc, p->m, p->n, p->end);
}
