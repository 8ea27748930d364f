/* Dense products inside our own fixed partition, with an epilogue on what was just computed: by the
 * tile kernel of the chosen instruction set; the double build of the tests uses plain loops. The
 * partition depends on the sizes alone, so the bits never depend on the number of threads; several
 * threads may call gemm at once. */
#ifndef KERNELS_GEMM_H
#define KERNELS_GEMM_H

#include "kernels/kernels.h"

#include <stdint.h>

/* c (m, n; ldc) = a (m, k; lda) b (k, n; ldb) (+ c if accumulate), either operand transposed in
 * place when ta / tb (then a is (k, m; lda), b is (n, k; ldb)). The epilogue is applied to rows
 * while they are in cache; NULL: none. */
void gemm(real *c, int64_t ldc, const real *a, int64_t lda, int ta, const real *b, int64_t ldb,
          int tb, int64_t m, int64_t n, int64_t k, int accumulate, const struct epilogue *epilogue);

/* A matrix b that many products share is packed once: gemm_packed computes the bits of gemm with
 * the same b. `packed` has gemm_pack_reals(n, k) numbers, aligned to 64 bytes. */
int64_t gemm_pack_reals(int64_t n, int64_t k);
void gemm_pack(real *packed, const real *b, int64_t ldb, int tb, int64_t n, int64_t k);
void gemm_packed(real *c, int64_t ldc, const real *a, int64_t lda, const real *packed, int64_t m,
                 int64_t n, int64_t k, const struct epilogue *epilogue);

/* Multiply-adds of all calls since start-up; benches divide by it. */
int64_t gemm_count(void);

#endif
