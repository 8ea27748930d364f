/* Whether the linked BLAS may be called from several threads at once. */
#ifndef KERNELS_BLAS_CHECK_H
#define KERNELS_BLAS_CHECK_H

#include <stdint.h>

/* Small products on `threads` threads at once, each compared bit for bit with the same product
 * computed alone. *wrong counts those that differ; 0 is the only good result. */
int blas_check(int64_t *wrong, int threads, int64_t products);

#endif
