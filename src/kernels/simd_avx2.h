/* AVX2 with FMA and F16C: 8 floats, truth values as lanes of ones. See simd.h. */
#include <immintrin.h>

enum { VW = 8, TILE_ROWS = 6 };
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;

SIMD vi v_first(int64_t left)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)left),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

SIMD vf v_set(float x)
{
    return _mm256_set1_ps(x);
}
SIMD vf v_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
SIMD vf v_load_part(const float *p, int64_t left)
{
    return _mm256_maskload_ps(p, v_first(left));
}
SIMD void v_store(float *p, vf x)
{
    _mm256_storeu_ps(p, x);
}
SIMD void v_store_part(float *p, vf x, int64_t left)
{
    _mm256_maskstore_ps(p, v_first(left), x);
}
SIMD vf v_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}
SIMD vf v_sub(vf a, vf b)
{
    return _mm256_sub_ps(a, b);
}
SIMD vf v_mul(vf a, vf b)
{
    return _mm256_mul_ps(a, b);
}
SIMD vf v_div(vf a, vf b)
{
    return _mm256_div_ps(a, b);
}
SIMD vf v_sqrt(vf a)
{
    return _mm256_sqrt_ps(a);
}
SIMD vf v_fma(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}
SIMD vf v_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}
SIMD float v_largest(vf a)
{
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}
SIMD vf v_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}
SIMD vf v_round(vf a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* a * 2^n for whole n and a normal result */
SIMD vf v_scale2(vf a, vf n)
{
    __m256i power = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), power));
}
SIMD vm v_gt(vf a, vf b)
{
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
SIMD vm v_le(vf a, vf b)
{
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
SIMD vf v_select(vm m, vf a, vf b)
{
    return _mm256_blendv_ps(b, a, m);
}
SIMD vf v_keep(vm m, vf a) /* a or 0 */
{
    return _mm256_and_ps(m, a);
}
SIMD uint64_t v_bits(vm m)
{
    return (uint64_t)_mm256_movemask_ps(m);
}

SIMD vi vi_set(int32_t x)
{
    return _mm256_set1_epi32(x);
}
SIMD vi vi_load(const int32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}
SIMD vi vi_load_part(const int32_t *p, int64_t left)
{
    return _mm256_maskload_epi32(p, v_first(left));
}
SIMD void vi_store(int32_t *p, vi x)
{
    _mm256_storeu_si256((__m256i *)p, x);
}
SIMD void vi_store_part(int32_t *p, vi x, int64_t left)
{
    _mm256_maskstore_epi32(p, v_first(left), x);
}
/* the lanes named by bits, moved together; VW items may be written */
SIMD void vi_pack(int32_t *p, vi a, uint64_t bits)
{
    int32_t lane[VW];
    vi_store(lane, a);
    for (; bits; bits &= bits - 1)
        *p++ = lane[__builtin_ctzll(bits)];
}
SIMD vi vi_xor(vi a, vi b)
{
    return _mm256_xor_si256(a, b);
}
/* both halves of the unsigned products a * m */
SIMD void vi_multiply(vi *high, vi *low, vi a, uint32_t m)
{
    vi factor = _mm256_set1_epi32((int32_t)m);
    vi even = _mm256_mul_epu32(a, factor);
    vi odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), factor);
    *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
}
SIMD vi vi_add(vi a, vi b)
{
    return _mm256_add_epi32(a, b);
}
SIMD vm vi_equal(vi a, vi b)
{
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
}
SIMD vi vi_select(vm m, vi a, vi b)
{
    return _mm256_blendv_epi8(b, a, _mm256_castps_si256(m));
}
/* lane i of the result is lane from[i] of a */
SIMD vf v_permute(vf a, vi from)
{
    return _mm256_permutevar8x32_ps(a, from);
}

/* sum[0..VW) += a, in double */
SIMD void v_flush(double *sum, vf a)
{
    __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(a));
    __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
    _mm256_storeu_pd(sum, _mm256_add_pd(_mm256_loadu_pd(sum), low));
    _mm256_storeu_pd(sum + 4, _mm256_add_pd(_mm256_loadu_pd(sum + 4), high));
}

SIMD vf v_from_half(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}
SIMD void v_to_half(uint16_t *p, vf x)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
