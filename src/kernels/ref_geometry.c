/* Geometry kernels and half precision in plain C. Squared distances are (dx*dx + dy*dy) + dz*dz in
 * float without contraction: every vector body gives these very bits. The kernels that store no
 * numbers of `real` are float in the double build too, as the pyramid is. */
#include "kernels/ref.h"

#include "core/random.h"

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

int64_t ball_ref(int32_t *out, const int32_t *value, const float *x, const float *y, const float *z,
                 const float q[3], float r2, int64_t n)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        if (distance2(x[i], y[i], z[i], q) <= r2)
            out[found++] = value[i];
    }
    return found;
}

void keep_ref(int32_t *out, const int32_t *x, const uint64_t *mask, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (mask[i / 64] >> (i % 64) & 1)
            *out++ = x[i];
    }
}

void nearest3_ref(int32_t at[3], float best[3], float *d2, const float *x, const float *y,
                  const float *z, const float q[3], int64_t n)
{
    distances_ref(d2, x, y, z, q, n);
    for (int t = 0; t < 3; t++) {
        int64_t least = 0;
        for (int64_t i = 1; i < n; i++)
            least = d2[i] < d2[least] ? i : least;
        at[t] = (int32_t)least;
        best[t] = d2[least];
        d2[least] = __builtin_inff();
    }
}

void random_words_ref(uint32_t *out, const struct random_stream *s, uint32_t lane, uint32_t first,
                      int64_t blocks)
{
    for (int64_t i = 0; i < blocks; i++) {
        uint32_t word[4];
        random_block(word, s, lane, first + (uint32_t)i);
        for (int j = 0; j < 4; j++)
            out[j * blocks + i] = word[j];
    }
}

static float box_distance2(const float *low, const float *high, int64_t stride, const float q[3])
{
    float d[3];
    for (int axis = 0; axis < 3; axis++) {
        float below = low[axis * stride] - q[axis], above = q[axis] - high[axis * stride];
        float out = below > above ? below : above;
        d[axis] = out > 0 ? out : 0;
    }
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

void boxes_near_ref(uint64_t *mask, const float *box, int64_t stride, const float q[3], int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t near =
            box_distance2(box + i, box + i + 3 * stride, stride, q) < box[i + 6 * stride];
        if (i % 64 == 0)
            mask[i / 64] = 0;
        mask[i / 64] |= near << (i % 64);
    }
}

int64_t farthest_group_ref(struct farthest_group *g, const float q[3])
{
    for (int b = 0; b < FARTHEST_LANES; b++) {
        if (!(box_distance2(g->low[0] + b, g->high[0] + b, FARTHEST_LANES, q) < g->max[b]))
            continue;
        farthest_step_ref(g->dist[b], g->x[b], g->y[b], g->z[b], q, FARTHEST_LANES);
        int64_t lane = largest_ref(g->dist[b], g->row[b], FARTHEST_LANES);
        g->max[b] = g->dist[b][lane];
        g->max_row[b] = g->row[b][lane];
        g->max_lane[b] = (int32_t)lane;
    }
    return largest_ref(g->max, g->max_row, FARTHEST_LANES);
}

int64_t largest_ref(const float *x, const int32_t *row, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        if (x[i] > x[best] || (x[i] == x[best] && row[i] < row[best]))
            best = i;
    }
    return best;
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
