/* A block of a product with the tile kernel of an instruction set. */
#ifndef KERNELS_GEMM_TILES_H
#define KERNELS_GEMM_TILES_H

#include "kernels/gemm_block.h"
#include "kernels/kernels.h"

void gemm_tiles(const struct gemm_block *p, const struct kernels *table);

#endif
