/* Every kernel of numbers in plain C: what the vector bodies are compared with, the only table of
 * the double build, and what runs on a CPU we know nothing about. Written to be read; sums over
 * rows are kept in double, sums over neighbours follow the list. See kernels.h for the meanings. */
#include "kernels/ref.h"

#include <math.h>

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

static void map3(real *y, const real *p, const real *w, int64_t n, int64_t c, int add)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < c; s++) {
            real t = add ? y[i * c + s] : 0;
            for (int axis = 0; axis < 3; axis++)
                t += p[3 * i + axis] * w[3 * s + axis];
            y[i * c + s] = t;
        }
}

static void attend(real *y, real *z, const real *e, const real *u, const int32_t *start,
                   const int32_t *index, const real *first, int64_t begin, int64_t end, int64_t c,
                   int64_t g)
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
            real times = first && k == start[i] ? first[i] : 1;
            for (int64_t s = 0; s < scores; s++)
                zi[s] += times * ej[s];
            for (int64_t s = 0; s < c; s++)
                yi[s] += times * ej[s / g] * uj[s];
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

static void gather_sum(real *sum, const real *x, const int32_t *start, const int32_t *index,
                       const real *weight, int64_t begin, int64_t end, int64_t c, int add)
{
    for (int64_t j = begin; j < end; j++)
        for (int64_t s = 0; s < c; s++) {
            real t = add ? sum[j * c + s] : 0;
            for (int32_t k = start[j]; k < start[j + 1]; k++)
                t += (weight ? weight[k] : 1) * x[index[k] * c + s];
            sum[j * c + s] = t;
        }
}

static void gather_weighted(real *sum, const real *x, const int32_t *start, const int32_t *index,
                            const float *weight, int64_t begin, int64_t end, int64_t c, int add)
{
    for (int64_t j = begin; j < end; j++)
        for (int64_t s = 0; s < c; s++) {
            real t = add ? sum[j * c + s] : 0;
            for (int32_t k = start[j]; k < start[j + 1]; k++)
                t += (real)weight[k] * x[index[k] * c + s];
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

const struct kernels kernels_ref = {
    .name = "ref",
    .affine = affine,
    .affine2 = affine2,
    .column_moments = column_moments,
    .norm_sums = norm_sums,
    .norm_back = norm_back,
    .relu_back = relu_back,
    .column_sums = column_sums,
    .add = add_to,
    .axpy = axpy,
    .column_max = column_max,
    .exp_shift = exp_shift,
    .map3 = map3,
    .attend = attend,
    .attend_back = attend_back,
    .attend_local = attend_local,
    .attend_local_back = attend_local_back,
    .edge_sum = edge_sum_ref,
    .edge_attend = edge_attend_ref,
    .edge_attend_back = edge_attend_back_ref,
    .edge_max = edge_max_ref,
    .edge_squares = edge_squares_ref,
    .edge_norm_back = edge_norm_back_ref,
    .gather_sum = gather_sum,
    .gather_weighted = gather_weighted,
    .gather_max = gather_max,
    .gather_max_back = gather_max_back,
    .interpolate = interpolate,
    .adam = adam,
    .farthest_step = farthest_step_ref,
    .within = within_ref,
    .distances = distances_ref,
    .ball = ball_ref,
    .keep = keep_ref,
    .nearest3 = nearest3_ref,
    .random_words = random_words_ref,
    .boxes_near = boxes_near_ref,
    .farthest_group = farthest_group_ref,
    .largest = largest_ref,
    .half_to_float = half_to_float_ref,
    .float_to_half = float_to_half_ref,
};
