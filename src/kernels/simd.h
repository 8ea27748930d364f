/* The vector header: the few operations the bodies in vec.inc and tile.inc are written with, for
 * the instruction set the including file is compiled for. A `vf` holds VW floats, a `vi` as many
 * int32, a `vm` one truth value for each. Loads and stores take any alignment; `left` items remain,
 * and what lies beyond is neither read nor written (a load gives 0 there).
 *
 * v_fma is one rounding; every other operation rounds as the plain C operator does. v_max and v_min
 * return b when a is NaN or equal, as x86 does. */
#ifndef KERNELS_SIMD_H
#define KERNELS_SIMD_H

#include <stdint.h>
#include <string.h>

#define SIMD static inline __attribute__((always_inline, unused))

#if defined(SIMD_AVX512)
#include "kernels/simd_avx512.h"
#elif defined(SIMD_AVX2)
#include "kernels/simd_avx2.h"
#elif defined(SIMD_NEON)
#include "kernels/simd_neon.h"
#else
#error "define SIMD_AVX512, SIMD_AVX2 or SIMD_NEON before including simd.h"
#endif

/* Loops over a compile-time number of registers must vanish, or the registers become memory. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

SIMD vf v_load_left(const float *p, int64_t left)
{
    return left >= VW ? v_load(p) : v_load_part(p, left);
}

SIMD void v_store_left(float *p, vf x, int64_t left)
{
    if (left >= VW)
        v_store(p, x);
    else
        v_store_part(p, x, left);
}

SIMD vi vi_load_left(const int32_t *p, int64_t left)
{
    return left >= VW ? vi_load(p) : vi_load_part(p, left);
}

SIMD void vi_store_left(int32_t *p, vi x, int64_t left)
{
    if (left >= VW)
        vi_store(p, x);
    else
        vi_store_part(p, x, left);
}

/* exp(x) to 1 ulp or so (check_kernels measures it): x = n ln 2 + r, a polynomial of degree 6 on
 * |r| <= ln 2 / 2 (coefficients: minimax of exp, relative), 2^n added to the exponent. Below
 * log(FLT_MIN) the result is 0: no subnormals. NaN stays NaN. */
SIMD vf v_exp(vf x)
{
    vf n = v_round(v_mul(x, v_set(1.44269504f)));
    vf r = v_fma(n, v_set(-0.693359375f), x);
    r = v_fma(n, v_set(2.12194440e-4f), r);
    vf p = v_set(1.9875691500e-4f);
    p = v_fma(p, r, v_set(1.3981999507e-3f));
    p = v_fma(p, r, v_set(8.3334519073e-3f));
    p = v_fma(p, r, v_set(4.1665795894e-2f));
    p = v_fma(p, r, v_set(1.6666665459e-1f));
    p = v_fma(p, r, v_set(5.0000001201e-1f));
    p = v_add(v_fma(p, v_mul(r, r), r), v_set(1));
    p = v_scale2(p, n);
    p = v_select(v_gt(v_set(-87.336544f), x), v_set(0), p);
    return v_select(v_gt(x, v_set(88.722839f)), v_set(__builtin_inff()), p);
}

#endif
