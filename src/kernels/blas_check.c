/* Stress test of the linked BLAS. Some builds keep a buffer that threads share without knowing:
 * OpenBLAS serial gave 14 to 217 wrong products of 16,000 from four threads, BLIS none. */
#include "kernels/blas_check.h"

#include "core/error.h"
#include "core/memory.h"
#include "kernels/gemm_blas.h"
#include "kernels/gemm_block.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Below a million multiply-adds a BLAS may take a path without the buffer that goes wrong. */
enum { SIZES = 16, SMALLEST = 104, LARGEST = 168, THREADS_MAX = 16 };

struct check {
    real *a, *b;           /* (LARGEST, LARGEST) */
    real *alone;           /* (SIZES, LARGEST, LARGEST): the products computed by one thread */
    int64_t products_each; /* of one thread */
    _Atomic int64_t wrong;
};

struct worker {
    struct check *check;
    real *c; /* (LARGEST, LARGEST) */
    int id;
    pthread_t thread;
};

/* Size i of the list, odd and even. */
static void multiply(real *c, const struct check *check, int i)
{
    const int span = LARGEST - SMALLEST + 1;
    int m = SMALLEST + i * 37 % span, n = SMALLEST + i * 53 % span;
    int k = SMALLEST + i * 29 % span;
    struct gemm_block block = {.c = c, .a = check->a, .b = check->b, .m = m, .n = n, .k = k};
    block.lda = block.ldb = block.ldc = LARGEST;
    block.tb = i & 1;
    gemm_blas(&block);
}

static void *work(void *user)
{
    struct worker *w = user;
    struct check *check = w->check;
    for (int64_t p = 0; p < check->products_each; p++) {
        int i = (int)((p + w->id) % SIZES);
        memset(w->c, 0, LARGEST * LARGEST * sizeof *w->c);
        multiply(w->c, check, i);
        const real *alone = check->alone + (int64_t)i * LARGEST * LARGEST;
        if (memcmp(w->c, alone, LARGEST * LARGEST * sizeof *alone) != 0)
            atomic_fetch_add(&check->wrong, 1);
    }
    return NULL;
}

static int run(struct worker *workers, int threads)
{
    int started = 0, code = 0;
    for (; started < threads; started++)
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) {
            code = error_set(GLT_ENOMEM, "could not start thread %d of %d", started + 1, threads);
            break;
        }
    for (int t = 0; t < started; t++)
        pthread_join(workers[t].thread, NULL);
    return code;
}

int blas_check(int64_t *wrong, int threads, int64_t products)
{
    if (threads < 1 || threads > THREADS_MAX)
        return error_set(GLT_EARGUMENT, "threads = %d: give 1 to %d", threads, THREADS_MAX);
    const size_t square = LARGEST * LARGEST;
    struct worker workers[THREADS_MAX];
    struct check check = {.products_each = (products + threads - 1) / threads};
    real *block = memory_alloc((size_t)(2 + SIZES + threads) * square, sizeof *block);
    if (!block)
        return GLT_ENOMEM;
    check.a = block;
    check.b = block + square;
    check.alone = block + 2 * square;
    for (size_t i = 0; i < square; i++) { /* any numbers will do whose sums round */
        check.a[i] = (real)((double)((i * 2654435761u) % 65521) / 65521 - 0.5);
        check.b[i] = (real)((double)((i * 2246822519u) % 65519) / 65519 - 0.5);
    }
    for (int i = 0; i < SIZES; i++)
        multiply(check.alone + (size_t)i * square, &check, i);
    for (int t = 0; t < threads; t++)
        workers[t] = (struct worker){
            .check = &check, .c = block + (size_t)(2 + SIZES + t) * square, .id = t};
    int code = run(workers, threads);
    if (code == 0)
        *wrong = check.wrong;
    memory_free(block);
    return code;
}
