/* Kernels of edges in plain C, see ref.c. */
#include "kernels/ref.h"

#include <math.h>

void edge_sum_ref(real *y, const real *a, const real *b, int64_t c, int relu, int add)
{
    for (int64_t f = 0; f < c; f++) {
        real t = (a ? a[f] : 0) + (b ? b[f] : 0);
        if (relu && t < 0)
            t = 0;
        y[f] = add ? y[f] + t : t;
    }
}

void edge_attend_ref(real *y, real *weight, const real *score, const real *value,
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

void edge_attend_back_ref(real *dv, real *ds, const real *weight, const real *value, const real *y,
                          const real *dy, int64_t len, int64_t c, int64_t g, int add_v, int add_s)
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

void edge_max_ref(real *y, const real *value, int64_t len, int64_t c)
{
    for (int64_t f = 0; f < c; f++) {
        y[f] = len > 0 ? value[f] : 0;
        for (int64_t e = 1; e < len; e++)
            y[f] = value[e * c + f] > y[f] ? value[e * c + f] : y[f];
    }
}

void edge_squares_ref(double *sum, const real *x, const real *y, const real *mean,
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

void edge_norm_back_ref(real *dx, const real *dy, const real *x, const real *y, const real *mean,
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
