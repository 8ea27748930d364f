/* Every kernel in plain C: what the vector bodies are compared with, the only table of the double
 * build, and what runs on a CPU we know nothing about. Written to be read; sums over rows are kept
 * in double, sums over neighbours follow the list. See kernels.h for the meanings. */
#include "core/random.h"
#include "kernels/gemm_block.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

static real activate(real y, int relu)
{
    return relu && y < 0 ? 0 : y;
}

static void affine(real *y, const real *x, const real *scale, const real *shift, int64_t n,
                   int64_t c, int relu)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = x[i * c + s] * (scale ? scale[s] : 1) + (shift ? shift[s] : 0);
            y[i * c + s] = activate(t, relu);
        }
}

static void affine2(real *y, const real *x1, const real *scale1, const real *x2, const real *scale2,
                    const real *shift, int64_t n, int64_t c, int relu)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = x1[i * c + s] * (scale1 ? scale1[s] : 1);
            t += x2[i * c + s] * (scale2 ? scale2[s] : 1);
            y[i * c + s] = activate(t + (shift ? shift[s] : 0), relu);
        }
}

static void column_moments(double *sum, double *square, const real *x, const real *pivot, int64_t n,
                           int64_t c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++) {
            double t = x[i * c + s] - pivot[s];
            sum[s] += t;
            square[s] += t * t;
        }
}

/* Whether the activation let x through. */
static int passes(real x, real scale, real shift, int relu)
{
    return !relu || x * scale + shift > 0;
}

static void norm_sums(double *sum, double *dot, const real *dy, const real *x, const real *mean,
                      const real *scale, const real *shift, int64_t n, int64_t c, int relu)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = x[i * c + s];
            double g = passes(t, scale[s], shift[s], relu) ? dy[i * c + s] : 0;
            sum[s] += g;
            dot[s] += g * (t - mean[s]);
        }
}

static void norm_back(real *dx, const real *dy, const real *x, const real *mean, const real *scale,
                      const real *shift, const real *a, const real *b, const real *d, int64_t n,
                      int64_t c, int relu, int add)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = x[i * c + s];
            real g = passes(t, scale[s], shift[s], relu) ? dy[i * c + s] : 0;
            t = a[s] * g + b[s] * (t - mean[s]) + d[s];
            dx[i * c + s] = add ? dx[i * c + s] + t : t;
        }
}

static void relu_back(real *dx, const real *y, const real *dy, int64_t n, int add)
{
    for (int64_t i = 0; i < n; i++)
        dx[i] = (add ? dx[i] : 0) + (y[i] > 0 ? dy[i] : 0);
}

static void column_sums(double *sum, const real *x, int64_t n, int64_t c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++)
            sum[s] += x[i * c + s];
}

static void weighted_sums(double *sum, const real *x, const int32_t *start, int64_t begin,
                          int64_t end, int64_t c)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t s = 0; s < c; s++)
            sum[s] += (double)(start[i + 1] - start[i]) * x[i * c + s];
}

static void add_to(real *y, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
}

static void axpy(real *y, real a, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void column_max(real *max, const real *x, int64_t n, int64_t c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++)
            if (x[i * c + s] > max[s])
                max[s] = x[i * c + s];
}

static void exp_shift(real *y, const real *x, const real *m, int64_t n, int64_t c)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++)
            y[i * c + s] = (real)exp((double)(x[i * c + s] - m[s]));
}

static void attend(real *y, real *z, const real *e, const real *u, const int32_t *start,
                   const int32_t *index, int64_t begin, int64_t end, int64_t c, int64_t g)
{
    int64_t scores = c / g;
    for (int64_t i = begin; i < end; i++) {
        real *yi = y + i * c, *zi = z + i * scores;
        for (int64_t s = 0; s < scores; s++)
            zi[s] = 0;
        for (int64_t s = 0; s < c; s++)
            yi[s] = 0;
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            const real *ej = e + index[k] * scores, *uj = u + index[k] * c;
            for (int64_t s = 0; s < scores; s++)
                zi[s] += ej[s];
            for (int64_t s = 0; s < c; s++)
                yi[s] += ej[s / g] * uj[s];
        }
        for (int64_t s = 0; s < c; s++)
            yi[s] = start[i + 1] > start[i] ? yi[s] / zi[s / g] : 0;
    }
}

static void attend_back(real *du, real *da, const real *q, const real *r, const real *e,
                        const real *u, const int32_t *tstart, const int32_t *tindex, int64_t begin,
                        int64_t end, int64_t c, int64_t g)
{
    for (int64_t j = begin; j < end; j++)
        for (int64_t f = 0; f < c; f++) {
            real sum = 0, product = 0, weight = e[j * (c / g) + f / g];
            for (int32_t k = tstart[j]; k < tstart[j + 1]; k++) {
                sum += q[tindex[k] * c + f];
                product += r[tindex[k] * c + f];
            }
            du[j * c + f] += weight * sum;
            da[j * (c / g) + f / g] += weight * (u[j * c + f] * sum - product);
        }
}

static void attend_local(real *y, real *z, real *top, const real *score, const real *u,
                         const int32_t *index, int64_t len, real guard, int64_t c, int64_t g)
{
    int64_t scores = c / g;
    for (int64_t s = 0; s < scores; s++) {
        if (!(z[s] < guard))
            continue;
        real max = score[index[0] * scores + s], total = 0;
        for (int64_t k = 1; k < len; k++)
            max = score[index[k] * scores + s] > max ? score[index[k] * scores + s] : max;
        for (int64_t k = 0; k < len; k++)
            total += (real)exp((double)(score[index[k] * scores + s] - max));
        for (int64_t f = s * g; f < (s + 1) * g; f++) {
            real sum = 0;
            for (int64_t k = 0; k < len; k++)
                sum +=
                    (real)exp((double)(score[index[k] * scores + s] - max)) * u[index[k] * c + f];
            y[f] = sum / total;
        }
        top[s] = max;
        z[s] = -total;
    }
}

static void attend_local_back(real *du, real *da, const real *score, const real *u, const real *y,
                              const real *mean, const real *dy, const real *z, const real *top,
                              const int32_t *list, int64_t len, int64_t c, int64_t g)
{
    int64_t scores = c / g;
    for (int64_t k = 0; k < len; k++)
        for (int64_t s = 0; s < scores; s++) {
            int64_t i = list[k], at = i * scores + s;
            if (!(z[at] < 0))
                continue;
            real w = (real)exp((double)(score[s] - top[at])) / -z[at];
            for (int64_t f = s * g; f < (s + 1) * g; f++) {
                real d = w * dy[i * c + f];
                du[f] += d;
                da[s] += d * (u[f] - (y[i * c + f] + mean[f]));
            }
        }
}

/* --- edges ---------------------------------------------------------------------------------- */

static void edge_sum(real *y, const struct edge_terms *x, int64_t c)
{
    for (int64_t f = 0; f < c; f++) {
        real t = (x->a ? x->a[f] : 0) + (x->b ? x->b[f] : 0);
        if (x->relu && t < 0)
            t = 0;
        if (x->p)
            t = (x->q ? x->p[f] + x->q[f] : x->p[f]) + t;
        y[f] = t;
    }
}

static void edge_attend(real *y, real *weight, const real *score, const real *value,
                        const int32_t *index, int64_t len, int64_t c, int64_t g)
{
    int64_t scores = c / g;
    for (int64_t f = 0; f < c; f++) {
        real max = len > 0 ? score[f / g] : 0, total = 0, sum = 0;
        for (int64_t e = 1; e < len; e++)
            max = score[e * scores + f / g] > max ? score[e * scores + f / g] : max;
        for (int64_t e = 0; e < len; e++) {
            real w = (real)exp((double)(score[e * scores + f / g] - max));
            total += w;
            sum += w * value[(index ? index[e] : e) * c + f];
        }
        y[f] = len > 0 ? sum / total : 0;
        for (int64_t e = 0; weight && e < len; e++)
            weight[e * scores + f / g] =
                (real)exp((double)(score[e * scores + f / g] - max)) / total;
    }
}

static void edge_attend_back(real *dv, real *ds, const real *weight, const real *value,
                             const real *y, const real *dy, int64_t len, int64_t c, int64_t g,
                             int add_v, int add_s)
{
    int64_t scores = c / g;
    for (int64_t e = 0; e < len; e++)
        for (int64_t s = 0; s < scores; s++) {
            real sum = 0, here = weight[e * scores + s];
            for (int64_t f = s * g; f < (s + 1) * g; f++) {
                real *v = dv + e * c + f;
                *v = (add_v ? *v : 0) + here * dy[f];
                sum += (value[e * c + f] - y[f]) * dy[f];
            }
            real *a = ds + e * scores + s;
            *a = (add_s ? *a : 0) + here * sum;
        }
}

static void edge_max(real *y, const real *value, int64_t len, int64_t c)
{
    for (int64_t f = 0; f < c; f++) {
        y[f] = len > 0 ? value[f] : 0;
        for (int64_t e = 1; e < len; e++)
            y[f] = value[e * c + f] > y[f] ? value[e * c + f] : y[f];
    }
}

static void edge_squares(double *sum, const real *x, const real *y, const real *mean,
                         const int32_t *start, const int32_t *index, int64_t begin, int64_t end,
                         int64_t c)
{
    for (int64_t i = begin; i < end; i++)
        for (int32_t e = start[i]; e < start[i + 1]; e++)
            for (int64_t f = 0; f < c; f++) {
                double v = (double)x[i * c + f] + (y ? y[index[e] * c + f] : 0) - mean[f];
                sum[f] += v * v;
            }
}

static void edge_norm_back(real *dx, const real *dy, const real *x, const real *y, const real *mean,
                           const real *t, const real *d, const real *k, const int32_t *start,
                           const int32_t *index, int64_t begin, int64_t end, int64_t c, int add)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t f = 0; f < c; f++) {
            double sum = 0;
            for (int32_t e = start[i]; e < start[i + 1]; e++)
                sum += (double)x[i * c + f] + (y ? y[index[e] * c + f] : 0) - mean[f];
            double g = (dy ? dy[i * c + f] : 0) - (double)(start[i + 1] - start[i]) * t[f];
            g = (g - sum * d[f]) * k[f];
            dx[i * c + f] = (real)((add ? dx[i * c + f] : 0) + g);
        }
}

/* --- lists ---------------------------------------------------------------------------------- */

static void list_difference(real *y, int64_t ldy, const real *x, const real *self,
                            const int32_t *start, const int32_t *index, int64_t begin, int64_t end,
                            int64_t c)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = 0;
            for (int32_t k = start[i]; k < start[i + 1]; k++)
                t += x[index[k] * c + s] - self[i * c + s];
            y[i * ldy + s] = t;
        }
}

static void list_relu_back(real *dx, const real *dy, const real *self, const real *x,
                           const int32_t *index, const int32_t *edge, int64_t len, int64_t c)
{
    for (int64_t s = 0; s < c; s++)
        for (int64_t k = 0; k < len; k++)
            if (self[s] + x[index[k] * c + s] > 0)
                dx[s] += dy[(edge ? edge[k] : k) * c + s];
}

static void gather_sum(real *sum, const real *x, const int32_t *start, const int32_t *index,
                       const float *weight, int64_t begin, int64_t end, int64_t c, int add)
{
    for (int64_t j = begin; j < end; j++)
        for (int64_t s = 0; s < c; s++) {
            real t = add ? sum[j * c + s] : 0;
            for (int32_t k = start[j]; k < start[j + 1]; k++)
                t += (weight ? (real)weight[k] : 1) * x[index[k] * c + s];
            sum[j * c + s] = t;
        }
}

static void gather_max(real *y, int32_t *arg, const real *x, const int32_t *start,
                       const int32_t *index, int64_t begin, int64_t end, int64_t c)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t s = 0; s < c; s++) {
            int32_t best = -1;
            for (int32_t k = start[i]; k < start[i + 1]; k++)
                if (best < 0 || x[index[k] * c + s] > x[best * c + s])
                    best = index[k];
            y[i * c + s] = best < 0 ? 0 : x[best * c + s];
            if (arg)
                arg[i * c + s] = best;
        }
}

static void gather_max_back(real *dx, const real *dy, const int32_t *arg, const int32_t *tstart,
                            const int32_t *tindex, int64_t begin, int64_t end, int64_t c)
{
    for (int64_t j = begin; j < end; j++)
        for (int64_t s = 0; s < c; s++) {
            real t = dx[j * c + s];
            for (int32_t k = tstart[j]; k < tstart[j + 1]; k++)
                if (arg[tindex[k] * c + s] == j && (k == tstart[j] || tindex[k] != tindex[k - 1]))
                    t += dy[tindex[k] * c + s];
            dx[j * c + s] = t;
        }
}

static void interpolate(real *y, const real *x, const int32_t *index, const float *weight,
                        int64_t taps, int64_t begin, int64_t end, int64_t c, int add)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = add ? y[i * c + s] : 0;
            for (int64_t k = i * taps; k < (i + 1) * taps; k++)
                t += (real)weight[k] * x[index[k] * c + s];
            y[i * c + s] = t;
        }
}

static void adam(real *w, const real *g, real *m, real *v, real beta1, real beta2, real rate,
                 real scale2, real eps, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + (1 - beta1) * g[i];
        v[i] = beta2 * v[i] + (1 - beta2) * (g[i] * g[i]);
        w[i] -= rate * m[i] / ((real)sqrt((double)(v[i] * scale2)) + eps);
    }
}

/* --- geometry and half precision ------------------------------------------------------------- *
 * Squared distances are (dx*dx + dy*dy) + dz*dz in float without contraction: every vector body
 * gives these very bits. The kernels that store no numbers of `real` are float in the double build
 * too, as the pyramid is. */

static float distance2(float x, float y, float z, const float q[3])
{
    float dx = x - q[0], dy = y - q[1], dz = z - q[2];
    return (dx * dx + dy * dy) + dz * dz;
}

static int64_t ball(int32_t *out, const int32_t *value, const float *x, const float *y,
                    const float *z, const float q[3], float r2, int64_t n)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        if (distance2(x[i], y[i], z[i], q) <= r2)
            out[found++] = value[i];
    }
    return found;
}

static void keep(int32_t *out, const int32_t *x, const uint64_t *mask, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (mask[i / 64] >> (i % 64) & 1)
            *out++ = x[i];
    }
}

static void nearest3(int32_t *at, float *best, const float *const p[3], int64_t n,
                     const float *const q[3], int64_t m)
{
    for (int64_t i = 0; i < m; i++) {
        const float centre[3] = {q[0][i], q[1][i], q[2][i]};
        for (int t = 0; t < 3; t++) {
            best[t * m + i] = INFINITY;
            at[t * m + i] = 0;
        }
        for (int64_t k = 0; k < n; k++) {
            float d = distance2(p[0][k], p[1][k], p[2][k], centre);
            int t = 3;
            for (; t > 0 && d < best[(t - 1) * m + i]; t--)
                if (t < 3) {
                    best[t * m + i] = best[(t - 1) * m + i];
                    at[t * m + i] = at[(t - 1) * m + i];
                }
            if (t < 3) {
                best[t * m + i] = d;
                at[t * m + i] = (int32_t)k;
            }
        }
    }
}

static void random_words(uint32_t *out, const struct random_stream *s, uint32_t lane,
                         uint32_t first, int64_t blocks)
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

static void boxes_near(uint64_t *mask, const float *box, int64_t stride, const float q[3],
                       int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t near =
            box_distance2(box + i, box + i + 3 * stride, stride, q) < box[i + 6 * stride];
        if (i % 64 == 0)
            mask[i / 64] = 0;
        mask[i / 64] |= near << (i % 64);
    }
}

static int64_t largest(const float *x, const int32_t *row, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        if (x[i] > x[best] || (x[i] == x[best] && row[i] < row[best]))
            best = i;
    }
    return best;
}

static int64_t farthest_group(struct farthest_group *g, const float q[3])
{
    for (int b = 0; b < FARTHEST_LANES; b++) {
        if (!(box_distance2(g->low[0] + b, g->high[0] + b, FARTHEST_LANES, q) < g->max[b]))
            continue;
        for (int i = 0; i < FARTHEST_LANES; i++) {
            float d = distance2(g->x[b][i], g->y[b][i], g->z[b][i], q);
            g->dist[b][i] = d < g->dist[b][i] ? d : g->dist[b][i];
        }
        int64_t lane = largest(g->dist[b], g->row[b], FARTHEST_LANES);
        g->max[b] = g->dist[b][lane];
        g->max_row[b] = g->row[b][lane];
        g->max_lane[b] = (int32_t)lane;
    }
    return largest(g->max, g->max_row, FARTHEST_LANES);
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

static void exponentials(float *y, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)exp((double)x[i]);
}

static void half_to_float(float *y, const uint16_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = float_of_half(x[i]);
}

static void float_to_half(uint16_t *y, const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = half_of_float(x[i]);
}

#ifndef GELATTO_F64
enum { TILE_ROWS = 6, TILE_COLUMNS = 16 };

static void tile(float *c, int64_t ldc, const float *a, int64_t row_step, int64_t k_step,
                 const float *b, int64_t rows, int64_t k, int accumulate,
                 const struct epilogue *end)
{
    for (int64_t r = 0; r < rows; r++) {
        float sum[TILE_COLUMNS] = {0};
        if (accumulate)
            memcpy(sum, c + r * ldc, sizeof sum);
        for (int64_t t = 0; t < k; t++)
            for (int j = 0; j < TILE_COLUMNS; j++)
                sum[j] += a[r * row_step + t * k_step] * b[t * TILE_COLUMNS + j];
        memcpy(c + r * ldc, sum, sizeof sum);
    }
    if (end)
        gemm_block_finish(c, ldc, rows, TILE_COLUMNS, end);
}
#endif

const struct kernels kernels_ref = {
    .name = "ref",
    .affine = affine,
    .affine2 = affine2,
    .column_moments = column_moments,
    .norm_sums = norm_sums,
    .norm_back = norm_back,
    .relu_back = relu_back,
    .column_sums = column_sums,
    .weighted_sums = weighted_sums,
    .add = add_to,
    .axpy = axpy,
    .column_max = column_max,
    .exp_shift = exp_shift,
    .attend = attend,
    .attend_back = attend_back,
    .attend_local = attend_local,
    .attend_local_back = attend_local_back,
    .edge_sum = edge_sum,
    .edge_attend = edge_attend,
    .edge_attend_back = edge_attend_back,
    .edge_max = edge_max,
    .edge_squares = edge_squares,
    .edge_norm_back = edge_norm_back,
    .list_difference = list_difference,
    .list_relu_back = list_relu_back,
    .gather_sum = gather_sum,
    .gather_max = gather_max,
    .gather_max_back = gather_max_back,
    .interpolate = interpolate,
    .adam = adam,
    .ball = ball,
    .keep = keep,
    .nearest3 = nearest3,
    .random_words = random_words,
    .boxes_near = boxes_near,
    .farthest_group = farthest_group,
    .largest = largest,
    .exponentials = exponentials,
    .half_to_float = half_to_float,
    .float_to_half = float_to_half,
#ifndef GELATTO_F64
    .tile = tile,
    .tile_rows = TILE_ROWS,
    .tile_columns = TILE_COLUMNS,
#endif
};
