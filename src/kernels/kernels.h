/* Inner loops on raw arrays, one table of functions per instruction set.
 *
 * kernels() starts as the plain C reference; the best table this CPU can run replaces it
 * (GELATTO_CPU=ref|avx2|avx512|neon forces one). Kernels work on one thread, allocate nothing and
 * return nothing; callers cut the work with parallel_for. Matrices are row-major and dense unless a
 * leading dimension is named. A result never depends on alignment or on which rows share a call. */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "kernels/real.h"

#include <stddef.h>
#include <stdint.h>

/* What the sums of a product go through before they are stored: y = act(y * scale + shift). */
struct epilogue {
    const real *scale, *shift; /* one number per column, or NULL */
    int relu;
};

struct random_stream;

/* Items after its result that a kernel may write where it says so. */
enum { KERNELS_SLACK = 16 };

/* 16 buckets of 16 points for farthest point sampling. A bucket keeps its box, its largest dist and
 * the lane that has it: of several the one of the lowest row. A lane without a point, like one that
 * was chosen, has dist -1; a bucket without points has max -1. */
enum { FARTHEST_LANES = 16 };
struct farthest_group {
    float low[3][FARTHEST_LANES], high[3][FARTHEST_LANES], max[FARTHEST_LANES];
    int32_t max_row[FARTHEST_LANES], max_lane[FARTHEST_LANES];
    float x[FARTHEST_LANES][FARTHEST_LANES], y[FARTHEST_LANES][FARTHEST_LANES];
    float z[FARTHEST_LANES][FARTHEST_LANES], dist[FARTHEST_LANES][FARTHEST_LANES];
    int32_t row[FARTHEST_LANES][FARTHEST_LANES];
};

/* Rows of channels that one edge adds up; each may be NULL for zeros. */
struct edge_terms {
    const real *a, *b; /* summed, then activated */
    const real *p, *q; /* added to that; q only beside p */
    int relu;
};

struct kernels {
    const char *name;

    /* y = act(x * scale + shift), rows of c; act is the identity, or with relu x < 0 ? 0 : x (NaN
     * stays NaN); scale and shift (c) or NULL (1 and 0); y may be x */
    void (*affine)(real *y, const real *x, const real *scale, const real *shift, int64_t n,
                   int64_t c, int relu);
    /* y = act(x1 * scale1 + x2 * scale2 + shift): the join of a residual block; y may be x1 */
    void (*affine2)(real *y, const real *x1, const real *scale1, const real *x2, const real *scale2,
                    const real *shift, int64_t n, int64_t c, int relu);
    /* sum[c] += sum over rows of (x - pivot), square[c] += of its square; pivot (c) */
    void (*column_moments)(double *sum, double *square, const real *x, const real *pivot, int64_t n,
                           int64_t c);
    /* g = dy where x * scale + shift > 0 (or everywhere if !relu); sum += g,
     * dot += g * (x - mean); for the backward of a norm; dy (n, c), x (n, c) */
    void (*norm_sums)(double *sum, double *dot, const real *dy, const real *x, const real *mean,
                      const real *scale, const real *shift, int64_t n, int64_t c, int relu);
    /* dx (+)= a * g + b * (x - mean) + d with g as above; a, b, d, mean (c); add: accumulate */
    void (*norm_back)(real *dx, const real *dy, const real *x, const real *mean, const real *scale,
                      const real *shift, const real *a, const real *b, const real *d, int64_t n,
                      int64_t c, int relu, int add);
    /* dx (+)= y > 0 ? dy : 0 */
    void (*relu_back)(real *dx, const real *y, const real *dy, int64_t n, int add);
    /* sum[c] += column sums of x (n, c) */
    void (*column_sums)(double *sum, const real *x, int64_t n, int64_t c);
    /* sum[c] += sum over rows [begin, end) of the length of list i times x[i] */
    void (*weighted_sums)(double *sum, const real *x, const int32_t *start, int64_t begin,
                          int64_t end, int64_t c);
    void (*add)(real *y, const real *x, int64_t n);                     /* y += x */
    void (*axpy)(real *y, real a, const real *x, int64_t n);            /* y += a x */
    void (*column_max)(real *max, const real *x, int64_t n, int64_t c); /* max = max(max, x) */
    /* y[r][s] = exp(x[r][s] - m[s]), underflow to 0 */
    void (*exp_shift)(real *y, const real *x, const real *m, int64_t n, int64_t c);

    /* Attention sums of centres [begin, end): with e (m, c/g), u (m, c), lists start (n+1), index:
     * z[i][s] = sum_j e[j][s], y[i][c] = sum_j e[j][c/g] u[j][c] / z[i][c/g]. An empty list gives
     * z = 0, y = 0. */
    void (*attend)(real *y, real *z, const real *e, const real *u, const int32_t *start,
                   const int32_t *index, int64_t begin, int64_t end, int64_t c, int64_t g);
    /* Its backward for sources [begin, end), over the transposed lists: with S = sum_i q[i],
     * T = sum_i r[i] (n, c): du[j][c] += e S, da[j][s] += sum over the g channels of e (u S - T) */
    void (*attend_back)(real *du, real *da, const real *q, const real *r, const real *e,
                        const real *u, const int32_t *tstart, const int32_t *tindex, int64_t begin,
                        int64_t end, int64_t c, int64_t g);
    /* One centre whose sums have all but vanished for some scores, z[s] < guard: there its own
     * maximum is taken, top[s] = max_j score[j][s], z[s] = -sum_j exp(score - top): a negative sum
     * marks it; y again the weighted mean of u. Other scores stay as they are. len > 0. */
    void (*attend_local)(real *y, real *z, real *top, const real *score, const real *u,
                         const int32_t *index, int64_t len, real guard, int64_t c, int64_t g);
    /* Its backward for one source with score (c/g), u (c), over the centres that list it: with
     * w = exp(score - top[i]) / -z[i] where z[i] < 0, du += w dy[i], da += w (u - (y[i] + mean))
     * dy[i]
     */
    void (*attend_local_back)(real *du, real *da, const real *score, const real *u, const real *y,
                              const real *mean, const real *dy, const real *z, const real *top,
                              const int32_t *list, int64_t len, int64_t c, int64_t g);
    /* One edge of the fused path: y (c) = (p + q) + act(a + b); y may be p */
    void (*edge_sum)(real *y, const struct edge_terms *x, int64_t c);
    /* One centre with its edges in a row: y[c] = sum_e softmax_e(score[e][c/g]) value[e][c];
     * value (len, c), or rows index[e] of a table when index is given; weight (len, c/g) gets the
     * soft-max unless NULL */
    void (*edge_attend)(real *y, real *weight, const real *score, const real *value,
                        const int32_t *index, int64_t len, int64_t c, int64_t g);
    /* Its backward without index: dv (+)= weight dy, ds (+)= sum over the g channels of
     * weight (value - y) dy */
    void (*edge_attend_back)(real *dv, real *ds, const real *weight, const real *value,
                             const real *y, const real *dy, int64_t len, int64_t c, int64_t g,
                             int add_v, int add_s);
    void (*edge_max)(real *y, const real *value, int64_t len, int64_t c); /* len = 0: 0 */
    /* With v = x[i] + y[j] - mean over the lists of rows [begin, end) (y NULL: 0, and the lists are
     * not walked): sum[c] += sum of v^2 */
    void (*edge_squares)(double *sum, const real *x, const real *y, const real *mean,
                         const int32_t *start, const int32_t *index, int64_t begin, int64_t end,
                         int64_t c);
    /* dx[i] (+)= (dy[i] - len_i t - d sum of v) k; dy NULL: 0; t, d, k (c) */
    void (*edge_norm_back)(real *dx, const real *dy, const real *x, const real *y, const real *mean,
                           const real *t, const real *d, const real *k, const int32_t *start,
                           const int32_t *index, int64_t begin, int64_t end, int64_t c, int add);
    /* y[i] (ldy) = sum over list i of x[j] - self[i], rows [begin, end) of the lists */
    void (*list_difference)(real *y, int64_t ldy, const real *x, const real *self,
                            const int32_t *start, const int32_t *index, int64_t begin, int64_t end,
                            int64_t c);
    /* One list of `len` edges: dx (c) += sum over k of dy[edge[k]] where self + x[index[k]] > 0;
     * edge NULL: k itself */
    void (*list_relu_back)(real *dx, const real *dy, const real *self, const real *x,
                           const int32_t *index, const int32_t *edge, int64_t len, int64_t c);
    /* s[j][c] = sum over list j of weight * x[i][c]; rows [begin, end) of the lists; add:
     * accumulate. weight (edges) or NULL: 1. */
    void (*gather_sum)(real *s, const real *x, const int32_t *start, const int32_t *index,
                       const float *weight, int64_t begin, int64_t end, int64_t c, int add);
    /* y[i][c] = max over list i of x[j][c], arg[i][c] = the first j that has it (arg may be NULL);
     * an empty list gives 0 and -1 */
    void (*gather_max)(real *y, int32_t *arg, const real *x, const int32_t *start,
                       const int32_t *index, int64_t begin, int64_t end, int64_t c);
    /* dx[j][c] += sum over the transposed list j of dy[i][c] where arg[i][c] == j;
     * a centre that lists j more than once (adjacent in the list) counts once */
    void (*gather_max_back)(real *dx, const real *dy, const int32_t *arg, const int32_t *tstart,
                            const int32_t *tindex, int64_t begin, int64_t end, int64_t c);
    /* y[i] (+)= sum of `taps` rows x[index[i][t]] * weight[i][t]; index, weight (n, taps) */
    void (*interpolate)(real *y, const real *x, const int32_t *index, const float *weight,
                        int64_t taps, int64_t begin, int64_t end, int64_t c, int add);
    /* one Adam step on n parameters: rate = lr / (1 - beta1^t), scale2 = 1 / (1 - beta2^t);
     * w -= rate * m / (sqrt(v * scale2) + eps) */
    void (*adam)(real *w, const real *g, real *m, real *v, real beta1, real beta2, real rate,
                 real scale2, real eps, int64_t n);

    /* One tile of a product, for gemm.c: c (rows, tile_columns; ldc) = (accumulate ? c : 0) + a b,
     * a's element (r, t) at a[r * row_step + t * k_step], b packed (k, tile_columns); then `end`
     * unless NULL. rows: 1 to tile_rows. Vector tables compute up to the next multiple of
     * tile_rows / 3, so a and c must have those rows. NULL in double: gemm then uses plain
     * loops. */
    void (*tile)(real *c, int64_t ldc, const real *a, int64_t row_step, int64_t k_step,
                 const real *b, int64_t rows, int64_t k, int accumulate,
                 const struct epilogue *end);
    int tile_rows, tile_columns;
    /* Benches: multiply-adds in registers and nothing else; returns how many. NULL in the
     * reference. */
    int64_t (*fma_spin)(float *sink, int64_t rounds);

    /* --- geometry: float in every build, d2 = (dx*dx + dy*dy) + dz*dz without FMA --- */
    /* value[i] of the points with d2(p_i, q) <= r2, in order; returns how many; out has room for
     * n + KERNELS_SLACK; coordinates as three planes */
    int64_t (*ball)(int32_t *out, const int32_t *value, const float *x, const float *y,
                    const float *z, const float q[3], float r2, int64_t n);
    /* x[i] where bit i of mask is set, in order; out has room for just those */
    void (*keep)(int32_t *out, const int32_t *x, const uint64_t *mask, int64_t n);
    /* at, best (3, m): the three of the points p nearest to each of the queries q, and d2 of each;
     * nearest first, ties to the lower index; n >= 3; coordinates as three planes. If the third is
     * infinitely far the result must not be used. */
    void (*nearest3)(int32_t *at, float *best, const float *const p[3], int64_t n,
                     const float *const q[3], int64_t m);
    /* Philox 4x32-10 as core/random.h has it: block[i] = random_block(stream, lane, first + i),
     * its four words in out[i], out[blocks + i], .. */
    void (*random_words)(uint32_t *out, const struct random_stream *s, uint32_t lane,
                         uint32_t first, int64_t blocks);
    /* box (7, n; stride): low x y z, high x y z, limit; bit i of mask: d2(box_i, q) < limit_i */
    void (*boxes_near)(uint64_t *mask, const float *box, int64_t stride, const float q[3],
                       int64_t n);
    /* dist = min(dist, d2(p, q)) in the buckets q can change; returns the bucket with the group's
     * largest dist, ties to the lower row */
    int64_t (*farthest_group)(struct farthest_group *g, const float q[3]);
    /* where x is largest, ties to the lower row; n > 0 */
    int64_t (*largest)(const float *x, const int32_t *row, int64_t n);
    /* y = exp(x), underflow to 0; y may be x */
    void (*exponentials)(float *y, const float *x, int64_t n);
    void (*half_to_float)(float *y, const uint16_t *x, int64_t n);
    void (*float_to_half)(uint16_t *y, const float *x, int64_t n); /* round to nearest even */
};

const struct kernels *kernels(void);
/* Tables this build has, NULL at the end; a table may be one this CPU cannot run. */
const struct kernels *kernels_at(int i, int *can_run);
/* Tests: switch to the named table; negative if unknown or this CPU cannot run it. */
int kernels_force(const char *name);
/* The names of those that run here, as "ref, avx2". */
void kernels_list(char *dst, size_t size);

/* The tables themselves, one file each; the double build has the reference alone. */
extern const struct kernels kernels_ref;
#if !defined(GELATTO_F64) && defined(__x86_64__)
#define KERNELS_HAVE_X86 1
extern const struct kernels kernels_avx2, kernels_avx512;
#elif !defined(GELATTO_F64) && defined(__aarch64__)
#define KERNELS_HAVE_NEON 1
extern const struct kernels kernels_neon;
#endif

#endif
