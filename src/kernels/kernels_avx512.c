/* The kernels for AVX-512 (F, DQ, BW, VL): one body, see vec.inc. Compiled to nothing where it
 * cannot run. */
#include "kernels/kernels.h"

#ifdef KERNELS_HAVE_X86
#define SIMD_AVX512
#define KERNELS_TABLE kernels_avx512
#define KERNELS_NAME  "avx512"
#include "kernels/vec.inc"
#endif
