/* The kernels for AVX2 with FMA: one body, see vec.inc. Compiled to nothing where it cannot run. */
#include "kernels/kernels.h"

#ifdef KERNELS_HAVE_X86
#define SIMD_AVX2
#define KERNELS_TABLE kernels_avx2
#define KERNELS_NAME  "avx2"
#include "kernels/vec.inc"
#endif
