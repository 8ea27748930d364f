/* A block of a product in plain loops: what the double build of the tests computes with. */
#ifndef KERNELS_GEMM_PLAIN_H
#define KERNELS_GEMM_PLAIN_H

#include "kernels/gemm_block.h"

void gemm_plain(const struct gemm_block *p);

#endif
