/* The tables cpu.c chooses from, one per instruction set this build was compiled for. The double
 * build has the reference alone. */
#ifndef KERNELS_TABLES_H
#define KERNELS_TABLES_H

#include "kernels/kernels.h"

extern const struct kernels kernels_ref;

#if !defined(GELATTO_F64) && defined(__x86_64__)
#define KERNELS_HAVE_X86 1
extern const struct kernels kernels_avx2, kernels_avx512;
#elif !defined(GELATTO_F64) && defined(__aarch64__)
#define KERNELS_HAVE_NEON 1
extern const struct kernels kernels_neon;
#endif

#endif
