/* What follows the sums of a block, where the tile kernel does not do it itself. */
#include "kernels/gemm_block.h"

void gemm_block_finish(real *c, int64_t ldc, int64_t m, int64_t n, const struct epilogue *end)
{
    for (int64_t i = 0; i < m; i++, c += ldc)
        for (int64_t j = 0; j < n; j++) {
            real y = c[j] * (end->scale ? end->scale[j] : 1) + (end->shift ? end->shift[j] : 0);
            c[j] = end->relu && y < 0 ? 0 : y;
        }
}
