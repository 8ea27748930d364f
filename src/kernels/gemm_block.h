/* One block of a product: gemm.c cuts products into these, gemm_tiles.c, or gemm_plain.c in double,
 * computes one on one thread. */
#ifndef KERNELS_GEMM_BLOCK_H
#define KERNELS_GEMM_BLOCK_H

#include "kernels/kernels.h"

/* c (m, n; ldc) = (accumulate ? c : 0) + a b with operands as in gemm(), then `end` unless NULL;
 * its scale and shift are (n). */
struct gemm_block {
    real *c;
    const real *a, *b;
    int64_t ldc, lda, ldb, m, n, k;
    int ta, tb, accumulate;
    const struct epilogue *end;
    const real *panels;   /* b as gemm_pack left it, instead of b; or NULL */
    int64_t column, wide; /* panels: the block's first column, all columns with those of padding */
    uint64_t call; /* blocks of one call of gemm share it: what was packed for one serves the next;
                      0: none does */
};

/* c (m, n; ldc) = act(c * scale + shift) */
void gemm_block_finish(real *c, int64_t ldc, int64_t m, int64_t n, const struct epilogue *end);

#endif
