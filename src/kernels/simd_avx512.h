/* AVX-512 (F, DQ, BW, VL): 16 floats, masks in their own registers. See simd.h. */
#include <immintrin.h>

enum { VW = 16, TILE_ROWS = 12 };
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;

SIMD vm v_first(int64_t left)
{
    return (vm)((1u << left) - 1);
}

SIMD vf v_set(float x)
{
    return _mm512_set1_ps(x);
}
SIMD vf v_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
SIMD vf v_load_part(const float *p, int64_t left)
{
    return _mm512_maskz_loadu_ps(v_first(left), p);
}
SIMD void v_store(float *p, vf x)
{
    _mm512_storeu_ps(p, x);
}
SIMD void v_store_part(float *p, vf x, int64_t left)
{
    _mm512_mask_storeu_ps(p, v_first(left), x);
}
SIMD vf v_add(vf a, vf b)
{
    return _mm512_add_ps(a, b);
}
SIMD vf v_sub(vf a, vf b)
{
    return _mm512_sub_ps(a, b);
}
SIMD vf v_mul(vf a, vf b)
{
    return _mm512_mul_ps(a, b);
}
SIMD vf v_div(vf a, vf b)
{
    return _mm512_div_ps(a, b);
}
SIMD vf v_sqrt(vf a)
{
    return _mm512_sqrt_ps(a);
}
SIMD vf v_fma(vf a, vf b, vf c)
{
    return _mm512_fmadd_ps(a, b, c);
}
SIMD vf v_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}
SIMD float v_largest(vf a)
{
    return _mm512_reduce_max_ps(a);
}
SIMD vf v_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}
SIMD vf v_round(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* a * 2^n for whole n and a normal result */
SIMD vf v_scale2(vf a, vf n)
{
    return _mm512_scalef_ps(a, n);
}
SIMD vm v_gt(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}
SIMD vm v_le(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
SIMD vf v_select(vm m, vf a, vf b)
{
    return _mm512_mask_blend_ps(m, b, a);
}
SIMD vf v_keep(vm m, vf a) /* a or 0 */
{
    return _mm512_maskz_mov_ps(m, a);
}
SIMD uint64_t v_bits(vm m)
{
    return m;
}

SIMD vi vi_set(int32_t x)
{
    return _mm512_set1_epi32(x);
}
SIMD vi vi_load(const int32_t *p)
{
    return _mm512_loadu_si512(p);
}
SIMD vi vi_load_part(const int32_t *p, int64_t left)
{
    return _mm512_maskz_loadu_epi32(v_first(left), p);
}
SIMD void vi_store(int32_t *p, vi x)
{
    _mm512_storeu_si512(p, x);
}
SIMD void vi_store_part(int32_t *p, vi x, int64_t left)
{
    _mm512_mask_storeu_epi32(p, v_first(left), x);
}
/* the lanes named by bits, moved together; VW items may be written */
SIMD void vi_pack(int32_t *p, vi a, uint64_t bits)
{
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi32((__mmask16)bits, a));
}
SIMD vi vi_xor(vi a, vi b)
{
    return _mm512_xor_si512(a, b);
}
/* both halves of the unsigned products a * m */
SIMD void vi_multiply(vi *high, vi *low, vi a, uint32_t m)
{
    vi factor = _mm512_set1_epi32((int32_t)m);
    vi even = _mm512_mul_epu32(a, factor);
    vi odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), factor);
    *high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    *low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}
SIMD vi vi_add(vi a, vi b)
{
    return _mm512_add_epi32(a, b);
}
SIMD vm vi_equal(vi a, vi b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}
SIMD vi vi_select(vm m, vi a, vi b)
{
    return _mm512_mask_blend_epi32(m, b, a);
}
/* lane i of the result is lane from[i] of a */
SIMD vf v_permute(vf a, vi from)
{
    return _mm512_permutexvar_ps(from, a);
}

/* sum[0..VW) += a, in double */
SIMD void v_flush(double *sum, vf a)
{
    __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(a));
    __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
    _mm512_storeu_pd(sum, _mm512_add_pd(_mm512_loadu_pd(sum), low));
    _mm512_storeu_pd(sum + 8, _mm512_add_pd(_mm512_loadu_pd(sum + 8), high));
}

SIMD vf v_from_half(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
SIMD void v_to_half(uint16_t *p, vf x)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
