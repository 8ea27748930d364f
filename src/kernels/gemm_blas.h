/* A block of a product through CBLAS. */
#ifndef KERNELS_GEMM_BLAS_H
#define KERNELS_GEMM_BLAS_H

#include "kernels/gemm_block.h"

void gemm_blas(const struct gemm_block *p);

#endif
