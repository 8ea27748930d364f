/* The kernels for NEON (aarch64): one body, see vec.inc. Compiled to nothing where it cannot run.
 */
#include "kernels/kernels.h"

#ifdef KERNELS_HAVE_NEON
#define SIMD_NEON
#define KERNELS_TABLE kernels_neon
#define KERNELS_NAME  "neon"
#include "kernels/vec.inc"
#endif
