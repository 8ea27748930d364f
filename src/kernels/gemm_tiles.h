/* A block of a product with the tile kernel of an instruction set. */
#ifndef KERNELS_GEMM_TILES_H
#define KERNELS_GEMM_TILES_H

#include "kernels/gemm_block.h"
#include "kernels/kernels.h"

void gemm_tiles(const struct gemm_block *p, const struct kernels *table);

/* Columns of a packed b: n and padding. */
int64_t gemm_tiles_wide(int64_t n, const struct kernels *table);
/* b (k, n; ldb), or (n, k; ldb) when tb, as panels for all blocks of its products. */
void gemm_tiles_pack(real *panels, const real *b, int64_t ldb, int tb, int64_t n, int64_t k,
                     const struct kernels *table);

#endif
