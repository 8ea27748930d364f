/* Means and covariances, over the edges of a block, of the two quantities of an edge: the
 * difference delta = (x, p)_j - (x, p)_i and the centre (x, p)_i. Every separable value is a linear
 * function of the two, so these few numbers give the variance of any map (basis_norm.c) without
 * another walk.
 *
 * With Y_i = sum_j delta_ij, V_j = sum_i delta_ij and E edges,
 *     E C_dd = V^T x_s - Y^T x_c    E C_dc = Y^T x_c    E C_cc = (n x_c)^T x_c
 * minus the products of the means. Differences are taken edge by edge and summed: sums of squares
 * of the two ends would lose digits by the square of |x| / |delta|; this loses them by the ratio
 * itself, as the values on edges do. Backward needs no walk: with G the gradient of C,
 *     dx_j = 2/E ((V_j - m_j mean_d) G_dd + (m_j x_j - V_j - m_j mean_c) G_dc^T)
 *     dx_i = 2/E ((Y_i - n_i mean_d) (G_dc - G_dd) + n_i (x_i - mean_c) (G_cc - G_dc^T)). */
#include "core/arena.h"
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"

#include <string.h>

enum { SOURCE, CENTRE, SOURCE_P, CENTRE_P };         /* inputs; the coordinates get no gradient */
enum { COVARIANCE, MEAN, SUMS_SOURCE, SUMS_CENTRE }; /* outputs; SUMS_SOURCE is -V */
enum { DD, DC, CC, BLOCKS };                         /* of COVARIANCE, (c, c) each */
/* rows of MEAN: of the difference, of the centre with p relative to the first centre, of the
 * centre */
enum { MEAN_DELTA, MEAN_NEAR, MEAN_CENTRE, MEANS };
enum { AXES = 3 };

/* One end of the edges: its rows, its lists, and the rows the lists name. */
struct end {
    const real *x, *p, *other, *other_p;
    const int32_t *start, *index;
    real *sums; /* (rows, c) */
    int64_t rows;
};

struct moments_args {
    struct plan *p;
    struct op *op;
    struct end end;
    real *near;     /* (rows, 3): p relative to the first centre */
    real *weighted; /* (rows, c + 1): x, p and 1 times the length of the list */
    double *parts;  /* (chunks, 2 c + 1) column sums of `sums` and `weighted` */
    real *axes;     /* (3, c) */
    real *pa, *pb;  /* (c, d), (c + 1, d) */
    double *total;  /* (2 c) */
    int64_t c, d, grain;
};

static struct end end_of(const struct plan *p, const struct op *op, int which)
{
    const struct edge_list *l = op_edges(p, op);
    struct tensor *const *in = op->in;
    if (which == SOURCE)
        return (struct end){
            in[SOURCE]->x, in[SOURCE_P]->x, in[CENTRE]->x,           in[CENTRE_P]->x,
            l->tstart,     l->tindex,       op->out[SUMS_SOURCE]->x, rows_of(p, in[SOURCE])};
    return (struct end){
        in[CENTRE]->x, in[CENTRE_P]->x, in[SOURCE]->x,           in[SOURCE_P]->x,
        l->start,      l->index,        op->out[SUMS_CENTRE]->x, rows_of(p, in[CENTRE])};
}

static double edges_count(const struct moments_args *a)
{
    const struct op *op = a->op;
    return (double)a->p->batch.rows[edge_kind(op->level, op->block)];
}

static struct moments_args take(struct plan *p, struct op *op, struct arena *scratch)
{
    int64_t d = op->in[SOURCE]->cols, c = d + AXES, grain = plan_grain(c) / 8 + 1;
    size_t rows = (size_t)rows_max(p, op->in[SOURCE]); /* at least as many as centres */
    struct moments_args a = {.p = p, .op = op, .c = c, .d = d, .grain = grain};
    a.near = arena_take(scratch, rows * AXES, sizeof(real));
    a.weighted = arena_take(scratch, rows * (size_t)(c + 1), sizeof(real));
    a.parts = arena_take(scratch, (size_t)(parallel_chunks((int64_t)rows, grain) * (2 * c + 1)),
                         sizeof(double));
    a.total = arena_take(scratch, (size_t)(2 * c), sizeof(double));
    a.axes = arena_take(scratch, (size_t)(AXES * c), sizeof(real));
    a.pa = arena_take(scratch, (size_t)(c * d), sizeof(real));
    a.pb = arena_take(scratch, (size_t)((c + 1) * d), sizeof(real));
    return a;
}

static void open_end(struct moments_args *a, int which)
{
    const real *pivot = a->op->in[CENTRE_P]->x;
    a->end = end_of(a->p, a->op, which);
    for (int64_t i = 0; i < a->end.rows; i++)
        for (int64_t axis = 0; axis < AXES; axis++)
            a->near[i * AXES + axis] = a->end.p[i * AXES + axis] - pivot[axis];
}

/* --- forward --- */

static void sums_chunk(void *user, int64_t begin, int64_t end)
{
    const struct moments_args *a = user;
    const struct end *e = &a->end;
    kernels()->list_difference(e->sums, a->c, e->other, e->x, e->start, e->index, begin, end, a->d);
    kernels()->list_difference(e->sums + a->d, a->c, e->other_p, e->p, e->start, e->index, begin,
                               end, AXES);
}

static void weigh_chunk(void *user, int64_t begin, int64_t end)
{
    const struct moments_args *a = user;
    const struct end *e = &a->end;
    for (int64_t i = begin; i < end; i++) {
        real n = (real)(e->start[i + 1] - e->start[i]);
        real *to = a->weighted + i * (a->c + 1);
        memset(to, 0, (size_t)(a->c + 1) * sizeof *to);
        kernels()->axpy(to, n, e->x + i * a->d, a->d);
        for (int axis = 0; axis < AXES; axis++)
            to[a->d + axis] = n * a->near[i * AXES + axis];
        to[a->c] = n;
    }
}

static void total_chunk(void *user, int64_t begin, int64_t end)
{
    const struct moments_args *a = user;
    double *part = a->parts + begin / a->grain * (2 * a->c + 1);
    memset(part, 0, (size_t)(2 * a->c + 1) * sizeof *part);
    kernels()->column_sums(part, a->end.sums + begin * a->c, end - begin, a->c);
    kernels()->column_sums(part + a->c, a->weighted + begin * (a->c + 1), end - begin, a->c + 1);
}

/* dst (c, c) (+)= rows^T [x | p] of n rows (c; ld). The columns of p are computed from their
 * transpose: a product of three columns would cost as much as one of 32. */
static void cross(const struct moments_args *a, real *dst, const real *rows, int64_t ld,
                  const struct end *e, bool add)
{
    gemm(dst, a->c, rows, ld, 1, e->x, a->d, 0, a->c, a->d, e->rows, add, NULL);
    gemm(a->axes, a->c, a->near, AXES, 1, rows, ld, 0, AXES, a->c, e->rows, 0, NULL);
    for (int64_t i = 0; i < a->c; i++)
        for (int64_t axis = 0; axis < AXES; axis++) {
            real *to = &dst[i * a->c + a->d + axis];
            *to = (add ? *to : 0) + a->axes[axis * a->c + i];
        }
}

static void find_means(struct moments_args *a, double edges)
{
    int64_t chunks = parallel_chunks(a->end.rows, a->grain);
    parallel_for(a->end.rows, a->grain, total_chunk, a);
    memset(a->total, 0, (size_t)(2 * a->c) * sizeof *a->total);
    for (int64_t k = 0; k < chunks; k++)
        for (int64_t j = 0; j < 2 * a->c; j++)
            a->total[j] += a->parts[k * (2 * a->c + 1) + j];
    real *mean = a->op->out[MEAN]->x;
    const real *pivot = a->op->in[CENTRE_P]->x;
    for (int64_t j = 0; j < 2 * a->c; j++)
        mean[j] = (real)(a->total[j] /= edges);
    for (int64_t j = 0; j < a->c; j++)
        mean[MEAN_CENTRE * a->c + j] =
            mean[MEAN_NEAR * a->c + j] + (j < a->d ? 0 : pivot[j - a->d]);
}

/* Turns sums into covariances: the mean of the two halves, which differ by rounding. */
static void finish(const struct moments_args *a, double edges)
{
    int64_t c = a->c;
    real *dd = a->op->out[COVARIANCE]->x, *dc = dd + DC * c * c, *cc = dd + CC * c * c;
    const double *d = a->total, *m = a->total + c;
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j <= i; j++) {
            double x = -0.5 * ((double)dd[i * c + j] + dd[j * c + i]) / edges - d[i] * d[j];
            double y = 0.5 * ((double)cc[i * c + j] + cc[j * c + i]) / edges - m[i] * m[j];
            dd[i * c + j] = dd[j * c + i] = (real)x;
            cc[i * c + j] = cc[j * c + i] = (real)y;
        }
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j < c; j++)
            dc[i * c + j] = (real)(dc[i * c + j] / edges - d[i] * m[j]);
}

static void forward(struct plan *p, struct op *op)
{
    struct arena scratch = plan_scratch(op);
    struct moments_args a = take(p, op, &scratch);
    double edges = edges_count(&a) > 0 ? edges_count(&a) : 1;
    size_t block = (size_t)(a.c * a.c);
    real *dd = op->out[COVARIANCE]->x, *dc = dd + DC * block, *cc = dd + CC * block;
    open_end(&a, SOURCE);
    parallel_for(a.end.rows, a.grain, sums_chunk, &a);
    cross(&a, dd, a.end.sums, a.c, &a.end, false);
    open_end(&a, CENTRE);
    parallel_for(a.end.rows, a.grain, sums_chunk, &a);
    parallel_for(a.end.rows, a.grain, weigh_chunk, &a);
    cross(&a, dc, a.end.sums, a.c, &a.end, false);
    cross(&a, cc, a.weighted, a.c + 1, &a.end, false);
    for (size_t i = 0; i < block; i++)
        dd[i] += dc[i]; /* -V^T x_s + Y^T x_c: the sign is changed at the end */
    find_means(&a, edges);
    finish(&a, edges);
}

/* --- backward --- */

/* The factors of `sums` and `weighted` in dx; sums of sources have the other sign. */
static void source_factors(const struct moments_args *a, double scale)
{
    int64_t c = a->c, d = a->d;
    const real *dd = a->op->out[COVARIANCE]->dx, *dc = dd + DC * c * c;
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j < d; j++) {
            a->pa[i * d + j] = (real)(-scale * ((double)dd[i * c + j] - dc[j * c + i]));
            a->pb[i * d + j] = (real)(scale * dc[j * c + i]);
        }
}

static void centre_factors(const struct moments_args *a, double scale)
{
    int64_t c = a->c, d = a->d;
    const real *dd = a->op->out[COVARIANCE]->dx, *dc = dd + DC * c * c, *cc = dd + CC * c * c;
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j < d; j++) {
            a->pa[i * d + j] = (real)(scale * ((double)dc[i * c + j] - dd[i * c + j]));
            a->pb[i * d + j] = (real)(scale * ((double)cc[i * c + j] - dc[j * c + i]));
        }
}

/* The last row of pb: the term of the means, once for every edge. */
static void mean_factors(const struct moments_args *a, int which)
{
    const real *mean = a->op->out[MEAN]->x;
    for (int64_t j = 0; j < a->d; j++) {
        double sum = 0;
        for (int64_t i = 0; i < a->c; i++) {
            double pa = a->pa[i * a->d + j], pb = a->pb[i * a->d + j];
            sum += (which == SOURCE ? pb - pa : pa) * mean[i] + pb * mean[a->c + i];
        }
        a->pb[a->c * a->d + j] = (real)-sum;
    }
}

static void end_backward(struct moments_args *a, int which, double scale)
{
    struct tensor *x = a->op->in[which];
    open_end(a, which);
    (which == SOURCE ? source_factors : centre_factors)(a, scale);
    mean_factors(a, which);
    parallel_for(a->end.rows, a->grain, weigh_chunk, a);
    gemm(x->dx, a->d, a->end.sums, a->c, 0, a->pa, a->d, 0, a->end.rows, a->d, a->c,
         op_adds(a->op, which), NULL);
    gemm(x->dx, a->d, a->weighted, a->c + 1, 0, a->pb, a->d, 0, a->end.rows, a->d, a->c + 1, 1,
         NULL);
}

static void backward(struct plan *p, struct op *op)
{
    struct arena scratch = plan_scratch(op);
    struct moments_args a = take(p, op, &scratch);
    double edges = edges_count(&a) > 0 ? edges_count(&a) : 1;
    end_backward(&a, SOURCE, 2 / edges);
    end_backward(&a, CENTRE, 2 / edges);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    struct arena measure = arena_measuring();
    (void)back;
    take((struct plan *)p, (struct op *)op, &measure);
    return measure.peak;
}

static int64_t macs(const struct plan *p, const struct op *op)
{
    int64_t d = op->in[SOURCE]->cols, c = d + AXES;
    return (rows_of(p, op->in[SOURCE]) + 2 * rows_of(p, op->in[CENTRE])) * c * d;
}

struct moments op_moments(struct plan *p, struct tensor *x, struct tensor *xc, struct tensor *ps,
                          struct tensor *pc, int level, int block)
{
    ASSERT(p->training);
    ASSERT(p->error || (x->ld == x->cols && xc->ld == xc->cols));
    struct op *op = plan_op(p, "moments", sizeof *op);
    int64_t c = x->cols + AXES;
    op->forward = forward;
    op->backward = backward;
    op->in[SOURCE] = x;
    op->in[CENTRE] = xc;
    op->in[SOURCE_P] = ps;
    op->in[CENTRE_P] = pc;
    op->level = level;
    op->block = block;
    op->out[COVARIANCE] = plan_tensor(p, ROWS_FIXED, BLOCKS * c, c);
    op->out[MEAN] = plan_tensor(p, ROWS_FIXED, MEANS, c);
    op->out[SUMS_SOURCE] = plan_tensor(p, x->kind, 0, c);
    op->out[SUMS_CENTRE] = plan_tensor(p, xc->kind, 0, c);
    op->need_in = 1u << SOURCE | 1u << CENTRE | 1u << SOURCE_P | 1u << CENTRE_P;
    op->need_out = 1u << MEAN | 1u << SUMS_SOURCE | 1u << SUMS_CENTRE;
    op->scratch_bytes = scratch_bytes;
    op->macs = macs;
    plan_op_done(p, op);
    return (struct moments){op->out[COVARIANCE], op->out[MEAN]};
}
