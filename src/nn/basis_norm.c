/* Batch normalisation over edges of a value in basis form: the images of the unit vectors of the
 * difference and of the centre, T = [T_d ; T_c] (2 c, out). With C the covariance of the two over
 * the edges (moments.c) and K = C T,
 *
 *     var_f = sum_r T_rf K_rf    y = T scale / sigma
 *
 * so a norm costs a product of small matrices instead of a walk over points or edges. Backward,
 * with s_f = sum dy T and v_f = -scale s_f / (2 sigma^3) the gradient of the variance: dT = dy
 * scale / sigma + 2 v K and dC = T diag(v) T^T.
 *
 * The mean is not subtracted: it is the same for every edge, so it cancels in the soft-max and in
 * the norm after the layer. Only the running statistics include it: op_basis_offset. */
#include "core/arena.h"
#include "core/error.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/running.h"

#include <math.h>
#include <string.h>

enum { SCALE, MEAN, VAR, COVARIANCE, MEANS, FIRST, SECOND }; /* inputs: the parts come last */
enum { PART0, PART1, INVERSE, IMAGES };                      /* outputs; IMAGES: K */
enum { CENTRE, DELTA, PARTS };

struct basis_norm {
    struct op op;
    struct basis_norm_options o;
    struct tensor *x[PARTS], *y[PARTS]; /* NULL: absent */
    int input[PARTS];
};

struct norm_work {
    const struct basis_norm *norm;
    double *sum, *dot;           /* (out) */
    real *zero, *factor, *twice; /* (out) */
    real *scaled;                /* (count, out) T diag(v) */
    int64_t c, count, out;
};

static struct norm_work take(const struct op *op, struct arena *scratch)
{
    const struct basis_norm *norm = (const struct basis_norm *)op;
    size_t out = (size_t)op->in[SCALE]->cols;
    struct norm_work w = {.norm = norm,
                          .c = op->in[COVARIANCE]->cols,
                          .count = norm->o.count,
                          .out = op->in[SCALE]->cols};
    w.sum = arena_take(scratch, out, sizeof(double));
    w.dot = arena_take(scratch, out, sizeof(double));
    w.zero = arena_take(scratch, out, sizeof(real));
    w.factor = arena_take(scratch, out, sizeof(real));
    w.twice = arena_take(scratch, out, sizeof(real));
    w.scaled = arena_take(scratch, (size_t)w.count * out, sizeof(real));
    return w;
}

static void clear(const struct norm_work *w)
{
    memset(w->sum, 0, (size_t)w->out * sizeof *w->sum);
    memset(w->dot, 0, (size_t)w->out * sizeof *w->dot);
    memset(w->zero, 0, (size_t)w->out * sizeof *w->zero);
}

/* The rows that are not zero. */
static real *rows_at(const struct norm_work *w, real *x)
{
    return x + w->norm->o.first * w->out;
}

static real *images(const struct norm_work *w, int part)
{
    return w->norm->op.out[IMAGES]->x + part * w->count * w->out;
}

/* The block of C (or of its gradient) for two parts; (centre, delta) is a transposed one. */
static real *block_at(const struct norm_work *w, real *covariance, int a, int b)
{
    int which = a == DELTA ? (b == DELTA ? 0 : 1) : 2;
    ASSERT(a == DELTA || b == CENTRE);
    return covariance + (which * w->c + w->norm->o.first) * w->c + w->norm->o.first;
}

/* dot += column sums of a * b */
static void add_dot(const struct norm_work *w, const real *a, const real *b)
{
    kernels()->norm_sums(w->sum, w->dot, a, b, w->zero, w->zero, w->zero, w->count, w->out, 0);
}

static void multiply(const struct norm_work *w, real *k, const real *c, bool transpose,
                     const real *t, bool add)
{
    gemm(k, w->out, c, w->c, transpose, t, w->out, 0, w->count, w->out, w->count, add, NULL);
}

/* K = C T, and dot = the variances */
static void find_variance(const struct norm_work *w)
{
    struct tensor *const *x = w->norm->x;
    real *c = w->norm->op.in[COVARIANCE]->x;
    const real *delta = x[DELTA] ? rows_at(w, x[DELTA]->x) : NULL;
    const real *centre = x[CENTRE] ? rows_at(w, x[CENTRE]->x) : NULL;
    if (delta) {
        multiply(w, images(w, DELTA), block_at(w, c, DELTA, DELTA), false, delta, false);
        if (centre)
            multiply(w, images(w, DELTA), block_at(w, c, DELTA, CENTRE), false, centre, true);
        add_dot(w, delta, images(w, DELTA));
    }
    if (centre) {
        multiply(w, images(w, CENTRE), block_at(w, c, CENTRE, CENTRE), false, centre, false);
        if (delta)
            multiply(w, images(w, CENTRE), block_at(w, c, DELTA, CENTRE), true, delta, true);
        add_dot(w, centre, images(w, CENTRE));
    }
}

static double mean_of(const struct norm_work *w, int64_t f)
{
    const real *mean = w->norm->op.in[MEANS]->x;
    double sum = 0;
    for (int part = 0; part < PARTS && !w->norm->o.centred; part++)
        for (int64_t r = 0; r < w->count && w->norm->x[part]; r++) {
            int64_t row = w->norm->o.first + r;
            double m = mean[(part == DELTA ? 0 : 2 * w->c) + row];
            sum += m * w->norm->x[part]->x[row * w->out + f];
        }
    return sum;
}

static void forward(struct plan *p, struct op *op)
{
    struct arena scratch = plan_scratch(op);
    struct norm_work w = take(op, &scratch);
    double edges = (double)p->batch.rows[edge_kind(op->level, op->block)];
    clear(&w);
    find_variance(&w);
    for (int64_t f = 0; f < w.out; f++) {
        double var = edges > 1 ? fmax(w.dot[f], 0) : 0, inverse = 1 / sqrt(var + p->bn_eps);
        op->out[INVERSE]->x[f] = (real)inverse;
        w.factor[f] = (real)(op->in[SCALE]->x[f] * inverse);
        if (edges > 1) {
            running_set(p, op->in[MEAN], f, p->bn_momentum * mean_of(&w, f));
            running_set(p, op->in[VAR], f, p->bn_momentum * var * edges / (edges - 1));
        }
    }
    for (int part = 0; part < PARTS; part++)
        if (w.norm->y[part])
            kernels()->affine(w.norm->y[part]->x, w.norm->x[part]->x, w.factor, NULL, w.c, w.out,
                              0);
}

/* dC += T diag(v) T^T, v already in `twice` by 2 */
static void covariance_back(const struct norm_work *w)
{
    struct tensor *const *x = w->norm->x;
    real *dc = w->norm->op.in[COVARIANCE]->dx;
    for (int64_t f = 0; f < w->out; f++)
        w->factor[f] = w->twice[f] / 2;
    for (int b = 0; b < PARTS; b++) {
        if (!x[b])
            continue;
        kernels()->affine(w->scaled, rows_at(w, x[b]->x), w->factor, NULL, w->count, w->out, 0);
        for (int a = b; a < PARTS; a++)
            if (x[a])
                gemm(block_at(w, dc, a, b), w->c, rows_at(w, x[a]->x), w->out, 0, w->scaled, w->out,
                     1, w->count, w->count, w->out, 1, NULL);
    }
}

static void part_back(const struct norm_work *w, int part)
{
    const struct basis_norm *norm = w->norm;
    struct tensor *x = norm->x[part], *y = norm->y[part];
    int add = op_adds(&norm->op, norm->input[part]);
    if (!add)
        memset(x->dx, 0, (size_t)(w->c * w->out) * sizeof *x->dx);
    kernels()->norm_back(rows_at(w, x->dx), y ? rows_at(w, y->dx) : images(w, part),
                         images(w, part), w->zero, w->zero, w->zero, y ? w->factor : w->zero,
                         w->twice, w->zero, w->count, w->out, 0, 1);
}

static void backward(struct plan *p, struct op *op)
{
    struct arena scratch = plan_scratch(op);
    struct norm_work w = take(op, &scratch);
    double edges = (double)p->batch.rows[edge_kind(op->level, op->block)];
    struct tensor *scale = op->in[SCALE], *covariance = op->in[COVARIANCE];
    clear(&w);
    for (int part = 0; part < PARTS; part++)
        if (w.norm->y[part])
            add_dot(&w, rows_at(&w, w.norm->y[part]->dx), rows_at(&w, w.norm->x[part]->x));
    for (int64_t f = 0; f < w.out; f++) {
        double inverse = op->out[INVERSE]->x[f];
        w.factor[f] = (real)(scale->x[f] * inverse);
        w.twice[f] = (real)(edges > 1 ? -scale->x[f] * w.dot[f] * inverse * inverse * inverse : 0);
        if (scale->grad)
            scale->dx[f] = (real)((op_adds(op, SCALE) ? scale->dx[f] : 0) + w.dot[f] * inverse);
    }
    for (int part = 0; part < PARTS; part++)
        if (w.norm->x[part] && w.norm->x[part]->grad)
            part_back(&w, part);
    if (!op_adds(op, COVARIANCE))
        memset(covariance->dx, 0, (size_t)(covariance->fixed * w.c) * sizeof *covariance->dx);
    covariance_back(&w);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    struct arena measure = arena_measuring();
    (void)p;
    (void)back;
    take(op, &measure);
    return measure.peak;
}

static int64_t macs(const struct plan *p, const struct op *op)
{
    const struct basis_norm *norm = (const struct basis_norm *)op;
    int64_t products = norm->x[CENTRE] && norm->x[DELTA] ? 4 : 1;
    (void)p;
    return products * norm->o.count * norm->o.count * op->in[SCALE]->cols;
}

void op_basis_norm(struct plan *p, struct tensor **a, struct tensor **b, const struct moments *m,
                   const struct norm *n, const struct basis_norm_options *o)
{
    ASSERT(p->training);
    struct basis_norm *norm = plan_op(p, "basis_norm", sizeof *norm);
    struct op *op = &norm->op;
    struct tensor **part[PARTS] = {a, b};
    int in = FIRST, out = 0;
    norm->o = *o;
    op->in[SCALE] = n->scale;
    op->in[MEAN] = n->mean;
    op->in[VAR] = n->var;
    op->in[COVARIANCE] = m->covariance;
    op->in[MEANS] = m->mean;
    op->need_in = 1u << SCALE;
    for (int i = 0; i < PARTS; i++) {
        norm->x[i] = *part[i];
        if (!*part[i])
            continue;
        norm->input[i] = in;
        op->need_in |= 1u << in;
        op->in[in++] = *part[i];
        *part[i] = i == CENTRE && !o->centre_used
                       ? NULL
                       : plan_tensor(p, ROWS_FIXED, m->covariance->cols, n->scale->cols);
        norm->y[i] = *part[i];
        if (*part[i])
            op->out[out++] = *part[i];
    }
    op->grads_out = out;
    while (out < INVERSE) /* placeholders: INVERSE keeps its index */
        op->out[out++] = plan_tensor(p, ROWS_FIXED, 1, 1);
    op->out[INVERSE] = plan_tensor(p, ROWS_FIXED, 1, n->scale->cols);
    op->out[IMAGES] = plan_tensor(p, ROWS_FIXED, PARTS * o->count, n->scale->cols);
    op->need_out = 1u << INVERSE | 1u << IMAGES;
    op->forward = forward;
    op->backward = backward;
    op->level = o->level;
    op->block = o->block;
    op->scratch_bytes = scratch_bytes;
    op->macs = macs;
    plan_op_done(p, op);
}

/* --- the means that were not subtracted, after the layer's last map --- */

enum { OFFSET_MEANS, VALUES, CENTRES, WEIGHT };

static void offset(struct plan *p, struct op *op)
{
    const struct tensor *w = op->in[WEIGHT], *values = op->in[VALUES], *centres = op->in[CENTRES];
    int64_t c = op->in[OFFSET_MEANS]->cols;
    const real *delta = op->in[OFFSET_MEANS]->x, *centre = delta + 2 * c;
    double *mean = op->scratch;
    (void)p;
    memset(mean, 0, (size_t)w->cols * sizeof *mean);
    for (int64_t r = 0; r < c; r++)
        for (int64_t k = 0; k < w->cols; k++)
            mean[k] += ((double)delta[r] + centre[r]) * values->x[r * w->cols + k] +
                       (double)centre[r] * centres->x[r * w->cols + k];
    for (int64_t f = 0; f < w->fixed; f++) {
        double sum = 0;
        for (int64_t k = 0; k < w->cols; k++)
            sum += mean[k] * w->x[f * w->ld + k];
        op->out[0]->x[f] = (real)-sum;
    }
}

static size_t offset_bytes(const struct plan *p, const struct op *op, bool back)
{
    (void)p;
    (void)back;
    return (size_t)op->in[WEIGHT]->cols * sizeof(double);
}

struct tensor *op_basis_offset(struct plan *p, const struct moments *m, struct tensor *values,
                               struct tensor *centres, struct tensor *w)
{
    struct op *op = plan_op(p, "basis_offset", sizeof *op);
    op->forward = offset;
    op->in[OFFSET_MEANS] = m->mean;
    op->in[VALUES] = values;
    op->in[CENTRES] = centres;
    op->in[WEIGHT] = w;
    op->scratch_bytes = offset_bytes;
    op->out[0] = plan_tensor(p, ROWS_FIXED, 1, w->fixed);
    plan_op_done(p, op);
    return op->out[0];
}
