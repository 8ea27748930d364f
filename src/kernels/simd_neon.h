/* NEON of aarch64: 4 floats, truth values as lanes of ones. Part loads and stores go through a
 * small buffer: there are no masked ones. See simd.h. */
#include <arm_neon.h>

enum { VW = 4, TILE_ROWS = 12 };
typedef float32x4_t vf;
typedef int32x4_t vi;
typedef uint32x4_t vm;

SIMD vf v_set(float x)
{
    return vdupq_n_f32(x);
}
SIMD vf v_load(const float *p)
{
    return vld1q_f32(p);
}
SIMD vf v_load_part(const float *p, int64_t left)
{
    float lane[VW] = {0};
    for (int64_t i = 0; i < left; i++)
        lane[i] = p[i];
    return vld1q_f32(lane);
}
SIMD void v_store(float *p, vf x)
{
    vst1q_f32(p, x);
}
SIMD void v_store_part(float *p, vf x, int64_t left)
{
    float lane[VW];
    vst1q_f32(lane, x);
    for (int64_t i = 0; i < left; i++)
        p[i] = lane[i];
}
SIMD vf v_add(vf a, vf b)
{
    return vaddq_f32(a, b);
}
SIMD vf v_sub(vf a, vf b)
{
    return vsubq_f32(a, b);
}
SIMD vf v_mul(vf a, vf b)
{
    return vmulq_f32(a, b);
}
SIMD vf v_div(vf a, vf b)
{
    return vdivq_f32(a, b);
}
SIMD vf v_sqrt(vf a)
{
    return vsqrtq_f32(a);
}
SIMD vf v_fma(vf a, vf b, vf c)
{
    return vfmaq_f32(c, a, b);
}
SIMD vm v_gt(vf a, vf b)
{
    return vcgtq_f32(a, b);
}
SIMD vm v_le(vf a, vf b)
{
    return vcleq_f32(a, b);
}
SIMD vf v_select(vm m, vf a, vf b)
{
    return vbslq_f32(m, a, b);
}
SIMD vf v_keep(vm m, vf a) /* a or 0 */
{
    return vreinterpretq_f32_u32(vandq_u32(m, vreinterpretq_u32_f32(a)));
}
/* not vmaxq: that one gives NaN when either side is */
SIMD vf v_max(vf a, vf b)
{
    return v_select(v_gt(a, b), a, b);
}
SIMD float v_largest(vf a)
{
    return vmaxvq_f32(a);
}
SIMD vf v_min(vf a, vf b)
{
    return v_select(v_gt(b, a), a, b);
}
SIMD vf v_round(vf a)
{
    return vrndnq_f32(a);
}
/* a * 2^n for whole n and a normal result */
SIMD vf v_scale2(vf a, vf n)
{
    int32x4_t power = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(a), power));
}
SIMD uint64_t v_bits(vm m)
{
    static const uint32_t bit[VW] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, vld1q_u32(bit)));
}

SIMD vi vi_set(int32_t x)
{
    return vdupq_n_s32(x);
}
SIMD vi vi_load(const int32_t *p)
{
    return vld1q_s32(p);
}
SIMD vi vi_load_part(const int32_t *p, int64_t left)
{
    int32_t lane[VW] = {0};
    for (int64_t i = 0; i < left; i++)
        lane[i] = p[i];
    return vld1q_s32(lane);
}
SIMD void vi_store(int32_t *p, vi x)
{
    vst1q_s32(p, x);
}
SIMD void vi_store_part(int32_t *p, vi x, int64_t left)
{
    int32_t lane[VW];
    vst1q_s32(lane, x);
    for (int64_t i = 0; i < left; i++)
        p[i] = lane[i];
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
    return veorq_s32(a, b);
}
/* both halves of the unsigned products a * m */
SIMD void vi_multiply(vi *high, vi *low, vi a, uint32_t m)
{
    uint32x4_t from = vreinterpretq_u32_s32(a);
    uint64x2_t first = vmull_n_u32(vget_low_u32(from), m);
    uint64x2_t second = vmull_n_u32(vget_high_u32(from), m);
    *high = vreinterpretq_s32_u32(vcombine_u32(vshrn_n_u64(first, 32), vshrn_n_u64(second, 32)));
    *low = vreinterpretq_s32_u32(vcombine_u32(vmovn_u64(first), vmovn_u64(second)));
}
SIMD vi vi_add(vi a, vi b)
{
    return vaddq_s32(a, b);
}
SIMD vm vi_equal(vi a, vi b)
{
    return vceqq_s32(a, b);
}
SIMD vi vi_select(vm m, vi a, vi b)
{
    return vbslq_s32(m, a, b);
}
/* lane i of the result is lane from[i] of a */
SIMD vf v_permute(vf a, vi from)
{
    uint8x16_t byte = vreinterpretq_u8_s32(vmulq_n_s32(from, 0x04040404));
    byte = vaddq_u8(byte, vreinterpretq_u8_u32(vdupq_n_u32(0x03020100)));
    return vreinterpretq_f32_u8(vqtbl1q_u8(vreinterpretq_u8_f32(a), byte));
}

/* sum[0..VW) += a, in double */
SIMD void v_flush(double *sum, vf a)
{
    vst1q_f64(sum, vaddq_f64(vld1q_f64(sum), vcvt_f64_f32(vget_low_f32(a))));
    vst1q_f64(sum + 2, vaddq_f64(vld1q_f64(sum + 2), vcvt_high_f64_f32(a)));
}

SIMD vf v_from_half(const uint16_t *p)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
SIMD void v_to_half(uint16_t *p, vf x)
{
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x)));
}
