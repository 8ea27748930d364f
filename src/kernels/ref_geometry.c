/* Geometry kernels and half precision in plain C. Squared distances are (dx*dx + dy*dy) + dz*dz in
 * float without contraction: every vector body gives these very bits. The kernels that store no
 * numbers of `real` are float in the double build too, as the pyramid is. */
#include "kernels/ref.h"

#include <string.h>

static float distance2(float x, float y, float z, const float q[3])
{
    float dx = x - q[0], dy = y - q[1], dz = z - q[2];
    return (dx * dx + dy * dy) + dz * dz;
}

int64_t farthest_step_ref(float *dist, const float *x, const float *y, const float *z,
                          const float q[3], int64_t n)
{
    int64_t best = n > 0 ? 0 : -1;
    for (int64_t i = 0; i < n; i++) {
        float d = distance2(x[i], y[i], z[i], q);
        if (d < dist[i])
            dist[i] = d;
        if (dist[i] > dist[best])
            best = i;
    }
    return best;
}

int64_t within_ref(uint64_t *mask, const float *x, const float *y, const float *z, const float q[3],
                   float r2, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t inside = distance2(x[i], y[i], z[i], q) <= r2;
        if (i % 64 == 0)
            mask[i / 64] = 0;
        mask[i / 64] |= inside << (i % 64);
        count += (int64_t)inside;
    }
    return count;
}

void distances_ref(float *d2, const float *x, const float *y, const float *z, const float q[3],
                   int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        d2[i] = distance2(x[i], y[i], z[i], q);
}

static float float_of_half(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 1023;
    float y;
    if (exponent == 0) {
        y = (float)fraction * 0x1p-24f; /* subnormal halves are normal floats */
        return sign ? -y : y;
    }
    uint32_t bits = sign | fraction << 13;
    if (exponent == 31)
        bits |= 0x7f800000 | (fraction ? 0x400000 : 0); /* a signalling NaN becomes quiet */
    else
        bits |= (exponent + 112) << 23;
    memcpy(&y, &bits, sizeof y);
    return y;
}

static uint16_t half_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 1023));
    if (magnitude >= 0x477ff000) /* 65520 and above round to infinity */
        return (uint16_t)(sign | 0x7c00);
    uint32_t shift = 13, base = 112u << 23;
    if (magnitude < 0x38800000) { /* below 2^-14: a subnormal half */
        if (magnitude < 0x33000000)
            return (uint16_t)sign;
        shift = 126 - (magnitude >> 23);
        magnitude = (magnitude & 0x7fffff) | 0x800000;
        base = 0;
    }
    magnitude -= base;
    uint32_t kept = magnitude >> shift, rest = magnitude & ((1u << shift) - 1),
             half = 1u << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return (uint16_t)(sign | kept);
}

void half_to_float_ref(float *y, const uint16_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = float_of_half(x[i]);
}

void float_to_half_ref(uint16_t *y, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = half_of_float(x[i]);
}
