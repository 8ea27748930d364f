/* Does the BLAS give the same bits when several threads call it at once? Some builds do not: of
 * Debian's OpenBLAS 0.3.21, `serial` had 14 to 217 of 16,000 small products wrong with four
 * threads, and `openmp` other bits inside a parallel region than outside; BLIS and OpenBLAS
 * `pthread` had none. doctor refuses a BLAS that fails. */
#include "kernels/gemm.h"

#include "core/error.h"
#include "core/memory.h"
#include "kernels/gemm_block.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { SHAPES = 40, SIDE = 48, REALS = SIDE * SIDE, MOST_THREADS = 16 };

struct stress {
    const real *a, *b;    /* (SIDE, SIDE) */
    const real *expected; /* (SHAPES, REALS) */
    int64_t products;
    _Atomic int64_t next, wrong;
};

static struct gemm_block shape_at(int64_t i, real *c, const real *a, const real *b)
{
    return (struct gemm_block){.c = c,
                               .a = a,
                               .b = b,
                               .ldc = SIDE,
                               .lda = SIDE,
                               .ldb = SIDE,
                               .m = 1 + i * 7 % SIDE,
                               .n = 1 + i * 11 % SIDE,
                               .k = 1 + i * 13 % SIDE,
                               .ta = i & 1,
                               .tb = i >> 1 & 1};
}

static void *worker(void *user)
{
    struct stress *s = user;
    real c[REALS];
    for (int64_t i; (i = atomic_fetch_add(&s->next, 1)) < s->products;) {
        memset(c, 0, sizeof c);
        struct gemm_block p = shape_at(i % SHAPES, c, s->a, s->b);
        gemm_block_blas(&p);
        if (memcmp(c, s->expected + i % SHAPES * REALS, sizeof c) != 0)
            atomic_fetch_add(&s->wrong, 1);
    }
    return NULL;
}

/* The products alone on one thread, each against a naive sum in double; how many are wrong. */
static int64_t expect(real *expected, const real *a, const real *b)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < SHAPES; i++) {
        struct gemm_block p = shape_at(i, expected + i * REALS, a, b);
        gemm_block_blas(&p);
        double worst = 0;
        for (int64_t r = 0; r < p.m; r++)
            for (int64_t j = 0; j < p.n; j++) {
                double y = 0;
                for (int64_t t = 0; t < p.k; t++)
                    y += (double)a[p.ta ? t * SIDE + r : r * SIDE + t] *
                         (double)b[p.tb ? j * SIDE + t : t * SIDE + j];
                worst = fmax(worst, fabs(y - (double)p.c[r * SIDE + j]));
            }
        wrong += !(worst <= SIDE * (double)REAL_EPSILON);
    }
    return wrong;
}

int gemm_stress(int64_t *wrong, int threads, int64_t products)
{
    real *block = memory_alloc((2 + SHAPES) * REALS, sizeof *block);
    if (!block)
        return GLT_ENOMEM;
    real *a = block, *b = block + REALS, *expected = block + 2 * REALS;
    for (int i = 0; i < REALS; i++) {
        a[i] = (real)(i * 37 % 101) / 101 - (real)0.5;
        b[i] = (real)(i * 53 % 103) / 103 - (real)0.5;
    }
    struct stress s = {.a = a, .b = b, .expected = expected, .products = products};
    s.wrong = expect(expected, a, b);
    pthread_t id[MOST_THREADS];
    int started = 0;
    while (started < threads && started < MOST_THREADS &&
           pthread_create(&id[started], NULL, worker, &s) == 0)
        started++;
    if (started == 0)
        worker(&s);
    for (int i = 0; i < started; i++)
        pthread_join(id[i], NULL);
    *wrong = s.wrong;
    memory_free(block);
    return 0;
}

int gemm_self_test(void)
{
    int64_t wrong;
    TRY(gemm_stress(&wrong, 4, 16000));
    if (wrong > 0)
        return error_set(GLT_EUNSUPPORTED,
                         "the BLAS (%s) gave wrong or changing results in %ld of 16000 products "
                         "called from 4 threads: link another build (BLIS serial, or OpenBLAS "
                         "pthread; never OpenBLAS serial)",
                         gemm_library(), (long)wrong);
    return 0;
}
