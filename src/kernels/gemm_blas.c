/* A block of a product through CBLAS: the engine of the double build, and what the tiles are
 * compared with. No product of the float build goes this way: BLIS allocates while it multiplies,
 * and ends the process where there is no memory. The library must be one that may be called from
 * several threads at once (blas_check asks it). */
#include "kernels/gemm_blas.h"

#include <cblas.h>
#include <pthread.h>

/* The threads are ours: an OpenBLAS with threads of its own is set to one thread. BLIS serial
 * has neither the threads nor the function. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
static pthread_once_t single = PTHREAD_ONCE_INIT;

static void make_single(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}

void gemm_blas(const struct gemm_block *p)
{
    pthread_once(&single, make_single);
    enum CBLAS_TRANSPOSE ta = p->ta ? CblasTrans : CblasNoTrans,
                         tb = p->tb ? CblasTrans : CblasNoTrans;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    int lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
    real beta = (real)(p->accumulate != 0);
#ifdef GELATTO_F64
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, p->a, lda, p->b, ldb, beta, p->c, ldc);
#else
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, p->a, lda, p->b, ldb, beta, p->c, ldc);
#endif
    if (p->end)
        gemm_block_finish(p->c, p->ldc, p->m, p->n, p->end);
}
