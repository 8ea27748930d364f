/* Batch normalisation over the rows of all clouds: y = act(scale (x - mean) / sigma + shift), and
 * the join of a residual block, y = ReLU(norm(x) + norm(s)) or ReLU(norm(x) + s).
 *
 * Statistics are summed in double around the first row, chunk by chunk in row order. The variance
 * is biased in the step and unbiased in the running statistics; a single row has variance 0 and
 * does not change these. With a = scale / sigma: dx = a (g - mean(g) - xh mean(g xh)). */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/running.h"

#include <math.h>
#include <string.h>

/* inputs: x, scale, mean, var, shift | s, its scale, mean, var, shift */
enum { X, SCALE, MEAN, VAR, SHIFT, SECOND };

struct norm_op {
    struct op op;
    bool relu;
};

/* One normalised input: values kept from forward for backward, (1, c) each. */
struct side {
    struct tensor *x, *scale, *shift, *mean, *var;
    real *batch_mean, *inverse, *factor, *offset; /* rows of out[1] */
};

struct chunk_args {
    const struct side *side, *other;
    struct tensor *y;
    double *parts; /* (chunks, 2, c) */
    const real *a, *b, *d;
    int64_t grain;
    int relu, add;
};

static struct side side_of(const struct op *op, int second)
{
    struct tensor *const *in = op->in + (second ? SECOND : 0);
    struct side s = {.x = in[X]};
    if (second && op->in[SECOND + 1] == NULL)
        return s; /* joined without a norm */
    int64_t c = in[X]->cols;
    s.scale = in[SCALE];
    s.mean = in[MEAN];
    s.var = in[VAR];
    s.shift = in[SHIFT] == in[SCALE] ? NULL : in[SHIFT];
    real *kept = op->out[1]->x + (second ? 4 * c : 0);
    s.batch_mean = kept;
    s.inverse = kept + c;
    s.factor = kept + 2 * c;
    s.offset = kept + 3 * c;
    return s;
}

static void moments_chunk(void *user, int64_t begin, int64_t end)
{
    struct chunk_args *a = user;
    int64_t c = a->side->x->cols;
    double *part = a->parts + begin / a->grain * 2 * c;
    memset(part, 0, (size_t)(2 * c) * sizeof *part);
    kernels()->column_moments(part, part + c, a->side->x->x + begin * c, a->side->x->x, end - begin,
                              c);
}

/* Statistics of the batch, and the map that applies them: y = x * factor + offset. */
static void measure(struct plan *p, struct op *op, const struct side *s)
{
    int64_t n = rows_of(p, s->x), c = s->x->cols, grain = plan_grain(c);
    int64_t chunks = parallel_chunks(n, grain);
    struct chunk_args args = {.side = s, .parts = op->scratch, .grain = grain};
    parallel_for(n, grain, moments_chunk, &args);
    for (int64_t j = 0; j < c; j++) {
        double sum = 0, square = 0;
        for (int64_t k = 0; k < chunks; k++) {
            sum += args.parts[2 * k * c + j];
            square += args.parts[(2 * k + 1) * c + j];
        }
        double shifted = n > 0 ? sum / (double)n : 0;
        double mean = n > 0 ? (double)s->x->x[j] + shifted : 0;
        double spread = square - sum * shifted;
        double var = n > 1 && spread > 0 ? spread / (double)n : 0;
        double inverse = 1 / sqrt(var + p->bn_eps);
        s->batch_mean[j] = (real)mean;
        s->inverse[j] = (real)inverse;
        s->factor[j] = (real)(s->scale->x[j] * inverse);
        s->offset[j] = (real)((s->shift ? s->shift->x[j] : 0) - mean * s->scale->x[j] * inverse);
        if (n > 1) {
            double new = p->bn_momentum;
            running_set(p, s->mean, j, new *mean);
            running_set(p, s->var, j, new *var *(double)n / (double)(n - 1));
        }
    }
}

static void apply_chunk(void *user, int64_t begin, int64_t end)
{
    struct chunk_args *a = user;
    int64_t c = a->y->cols, n = end - begin;
    real *y = a->y->x + begin * c;
    const real *x = a->side->x->x + begin * c;
    if (!a->other)
        kernels()->affine(y, x, a->side->factor, a->side->offset, n, c, a->relu);
    else
        kernels()->affine2(y, x, a->side->factor, a->other->x->x + begin * c, a->a, a->b, n, c,
                           a->relu);
}

static void forward(struct plan *p, struct op *op)
{
    struct side s = side_of(op, 0), t;
    int64_t c = s.x->cols, grain = plan_grain(c);
    struct chunk_args args = {
        .side = &s, .y = op->out[0], .relu = ((const struct norm_op *)op)->relu, .grain = grain};
    measure(p, op, &s);
    if (op->in[SECOND]) {
        t = side_of(op, 1);
        real *ones = op->out[1]->x + 4 * c; /* a second side without a norm: factor 1 */
        real *offset = op->scratch;
        if (t.scale)
            measure(p, op, &t);
        for (int64_t j = 0; j < c; j++) {
            offset[j] = s.offset[j] + (t.scale ? t.offset[j] : 0);
            if (!t.scale)
                ones[j] = 1;
        }
        args.other = &t;
        args.a = t.scale ? t.factor : ones;
        args.b = offset;
    }
    parallel_for(rows_of(p, s.x), grain, apply_chunk, &args);
}

static void mask_chunk(void *user, int64_t begin, int64_t end)
{
    struct chunk_args *a = user;
    int64_t c = a->y->cols;
    for (int64_t i = begin * c; i < end * c; i++)
        a->y->dx[i] = a->y->x[i] > 0 ? a->y->dx[i] : 0;
}

static void sums_chunk(void *user, int64_t begin, int64_t end)
{
    struct chunk_args *a = user;
    const struct side *s = a->side;
    int64_t c = s->x->cols;
    double *part = a->parts + begin / a->grain * 2 * c;
    memset(part, 0, (size_t)(2 * c) * sizeof *part);
    kernels()->norm_sums(part, part + c, a->y->dx + begin * c, s->x->x + begin * c, s->batch_mean,
                         s->factor, s->offset, end - begin, c, a->relu);
}

static void back_chunk(void *user, int64_t begin, int64_t end)
{
    struct chunk_args *a = user;
    const struct side *s = a->side;
    int64_t c = s->x->cols;
    kernels()->norm_back(s->x->dx + begin * c, a->y->dx + begin * c, s->x->x + begin * c,
                         s->batch_mean, s->factor, s->offset, a->a, a->b, a->d, end - begin, c,
                         a->relu, a->add);
}

static void add_chunk(void *user, int64_t begin, int64_t end)
{
    struct chunk_args *a = user;
    int64_t c = a->y->cols;
    real *dx = a->side->x->dx + begin * c;
    if (!a->add)
        memset(dx, 0, (size_t)((end - begin) * c) * sizeof *dx);
    kernels()->add(dx, a->y->dx + begin * c, (end - begin) * c);
}

static void gradient(struct tensor *t, int64_t j, double value, bool add)
{
    if (t && t->grad)
        t->dx[j] = (real)(add ? (double)t->dx[j] + value : value);
}

static void side_backward(struct plan *p, struct op *op, int second, int relu)
{
    struct side s = side_of(op, second);
    int base = second ? SECOND : 0;
    int64_t n = rows_of(p, s.x), c = s.x->cols, grain = plan_grain(c);
    int64_t chunks = parallel_chunks(n, grain);
    struct chunk_args args = {.side = &s, .y = op->out[0], .grain = grain, .relu = relu};
    args.add = op_adds(op, base + X);
    if (!s.scale) {
        if (s.x->grad)
            parallel_for(n, grain, add_chunk, &args);
        return;
    }
    args.parts = op->scratch;
    real *a = (real *)(args.parts + 2 * c * chunks), *b = a + c, *d = b + c;
    parallel_for(n, grain, sums_chunk, &args);
    for (int64_t j = 0; j < c; j++) {
        double sum = 0, dot = 0;
        for (int64_t k = 0; k < chunks; k++) {
            sum += args.parts[2 * k * c + j];
            dot += args.parts[(2 * k + 1) * c + j];
        }
        double inverse = s.inverse[j], factor = s.scale->x[j] * inverse;
        a[j] = (real)factor;
        b[j] = (real)(n > 1 ? -factor * inverse * inverse * dot / (double)n : 0);
        d[j] = (real)(n > 0 ? -factor * sum / (double)n : 0);
        gradient(s.scale, j, dot * inverse, op_adds(op, base + SCALE));
        gradient(s.shift, j, sum, op_adds(op, base + SHIFT));
    }
    args.a = a;
    args.b = b;
    args.d = d;
    if (s.x->grad)
        parallel_for(n, grain, back_chunk, &args);
}

static void backward(struct plan *p, struct op *op)
{
    struct chunk_args args = {.y = op->out[0]};
    bool join = op->in[SECOND];
    if (join) /* a single input does not show where the sum was above zero */
        parallel_for(rows_of(p, op->out[0]), plan_grain(op->out[0]->cols), mask_chunk, &args);
    side_backward(p, op, 0, !join && ((const struct norm_op *)op)->relu);
    if (join)
        side_backward(p, op, 1, 0);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    (void)back;
    int64_t c = op->out[0]->cols;
    int64_t chunks = parallel_chunks(rows_max(p, op->in[X]), plan_grain(c)) + 1;
    return (size_t)(2 * c * chunks) * sizeof(double) + (size_t)(3 * c) * sizeof(real);
}

static struct op *start(struct plan *p, struct tensor *x, const struct norm *n, bool relu)
{
    ASSERT(p->error || x->ld == x->cols);
    struct norm_op *norm = plan_op(p, "norm", sizeof *norm);
    struct op *op = &norm->op;
    op->forward = forward;
    op->backward = backward;
    op->in[X] = x;
    op->in[SCALE] = n->scale;
    op->in[MEAN] = n->mean;
    op->in[VAR] = n->var;
    op->in[SHIFT] = n->shift ? n->shift : n->scale; /* lists end at NULL: scale again means none */
    op->out[0] = plan_tensor(p, x->kind, x->fixed, x->cols);
    op->need_in = 1u << X | 1u << SCALE;
    norm->relu = relu;
    op->scratch_bytes = scratch_bytes;
    return op;
}

struct tensor *op_norm(struct plan *p, struct tensor *x, const struct norm *n, bool relu)
{
    ASSERT(p->training);
    struct op *op = start(p, x, n, relu);
    op->out[1] = plan_tensor(p, ROWS_FIXED, 4, x->cols);
    op->need_out = 2;
    plan_op_done(p, op);
    return op->out[0];
}

struct tensor *op_norm_join(struct plan *p, struct tensor *x, const struct norm *n,
                            struct tensor *s, const struct norm *ns)
{
    ASSERT(p->training);
    struct op *op = start(p, x, n, true);
    op->out[1] = plan_tensor(p, ROWS_FIXED, 8, x->cols);
    op->in[SECOND] = s;
    if (ns) {
        op->in[SECOND + SCALE] = ns->scale;
        op->in[SECOND + MEAN] = ns->mean;
        op->in[SECOND + VAR] = ns->var;
        op->in[SECOND + SHIFT] = ns->shift;
        op->need_in |= 1u << SECOND | 1u << (SECOND + SCALE);
    }
    op->need_out = 3;
    plan_op_done(p, op);
    return op->out[0];
}

/* --- inference --- */

static void fold(struct plan *p, struct op *op)
{
    const real *scale = op->in[0]->x, *mean = op->in[1]->x, *var = op->in[2]->x;
    const real *shift = op->in[3] ? op->in[3]->x : NULL;
    for (int64_t j = 0; j < op->in[0]->cols; j++) {
        double factor = scale[j] / sqrt(var[j] + p->bn_eps);
        op->out[0]->x[j] = (real)factor;
        op->out[1]->x[j] = (real)((shift ? shift[j] : 0) - mean[j] * factor);
    }
}

void op_norm_fold(struct plan *p, struct tensor **scale, struct tensor **shift,
                  const struct norm *n)
{
    struct op *op = plan_op(p, "fold", sizeof *op);
    op->forward = fold;
    op->in[0] = n->scale;
    op->in[1] = n->mean;
    op->in[2] = n->var;
    op->in[3] = n->shift;
    *scale = op->out[0] = plan_tensor(p, ROWS_FIXED, 1, n->scale->cols);
    *shift = op->out[1] = plan_tensor(p, ROWS_FIXED, 1, n->scale->cols);
    plan_op_done(p, op);
}

struct affine {
    struct op op;
    bool relu;
};

static void affine_chunk(void *user, int64_t begin, int64_t end)
{
    struct op *op = user;
    int64_t c = op->in[0]->cols;
    kernels()->affine(op->out[0]->x + begin * c, op->in[0]->x + begin * c, op->in[1]->x,
                      op->in[2]->x, end - begin, c, ((const struct affine *)op)->relu);
}

static void affine(struct plan *p, struct op *op)
{
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), affine_chunk, op);
}

struct tensor *op_affine(struct plan *p, struct tensor *x, struct tensor *scale,
                         struct tensor *shift, bool relu)
{
    ASSERT(!p->training && x->ld == x->cols);
    struct affine *affine_op = plan_op(p, "affine", sizeof *affine_op);
    struct op *op = &affine_op->op;
    op->forward = affine;
    op->in[0] = x;
    op->in[1] = scale;
    op->in[2] = shift;
    op->out[0] = plan_tensor(p, x->kind, x->fixed, x->cols);
    affine_op->relu = relu;
    plan_op_done(p, op);
    return op->out[0];
}
