/* Linear maps: y = x w^T (or x w), dx = dy w, dw = dy^T x; optionally * scale + shift and ReLU on
 * the rows just computed. A shift may be trained (a bias); scale and ReLU are for folded norms in
 * inference. */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"

#include <string.h>

enum { X, W, SHIFT, SCALE };

struct linear {
    struct op op;
    bool plain; /* x w, not x w^T */
    bool onto;  /* added to y */
    bool relu;
};

static void forward(struct plan *p, struct op *op)
{
    const struct linear *linear = (const struct linear *)op;
    struct tensor *x = op->in[X], *w = op->in[W], *y = op->out[0];
    struct epilogue epilogue = {
        .scale = op->in[SHIFT] && op->in[SCALE] ? op->in[SCALE]->x : NULL,
        .shift = op->in[SHIFT] ? op->in[SHIFT]->x : NULL,
        .relu = linear->relu,
    };
    gemm(y->x, y->ld, x->x, x->ld, 0, w->x, w->ld, !linear->plain, rows_of(p, x), y->cols, x->cols,
         linear->onto, op->in[SHIFT] ? &epilogue : NULL);
}

struct sum_args {
    double *parts; /* (chunks, c) */
    const struct tensor *t;
    int64_t grain;
};

static void sum_chunk(void *user, int64_t begin, int64_t end)
{
    struct sum_args *a = user;
    int64_t c = a->t->cols;
    double *sum = a->parts + begin / a->grain * c;
    memset(sum, 0, (size_t)c * sizeof *sum);
    kernels()->column_sums(sum, a->t->dx + begin * c, end - begin, c);
}

/* dshift (+)= column sums of dy, chunk by chunk */
static void shift_gradient(struct plan *p, struct op *op)
{
    struct tensor *y = op->out[0], *shift = op->in[SHIFT];
    ASSERT(y->ld == y->cols);
    int64_t n = rows_of(p, y), c = y->cols, grain = plan_grain(c);
    struct sum_args args = {op->scratch, y, grain};
    parallel_for(n, grain, sum_chunk, &args);
    for (int64_t j = 0; j < c; j++) {
        double sum = op_adds(op, SHIFT) ? (double)shift->dx[j] : 0;
        for (int64_t chunk = 0; chunk < parallel_chunks(n, grain); chunk++)
            sum += args.parts[chunk * c + j];
        shift->dx[j] = (real)sum;
    }
}

static void backward(struct plan *p, struct op *op)
{
    bool plain = ((const struct linear *)op)->plain;
    struct tensor *x = op->in[X], *w = op->in[W], *y = op->out[0];
    int64_t n = rows_of(p, x);
    if (op->in[SHIFT] && op->in[SHIFT]->grad)
        shift_gradient(p, op);
    if (x->grad)
        gemm(x->dx, x->ld, y->dx, y->ld, 0, w->x, w->ld, plain, n, x->cols, y->cols, op_adds(op, X),
             NULL);
    if (!w->grad)
        return;
    if (plain)
        gemm(w->dx, w->ld, x->x, x->ld, 1, y->dx, y->ld, 0, x->cols, y->cols, n, op_adds(op, W),
             NULL);
    else
        gemm(w->dx, w->ld, y->dx, y->ld, 1, x->x, x->ld, 0, y->cols, x->cols, n, op_adds(op, W),
             NULL);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    int64_t c = op->out[0]->cols;
    if (!back || !op->in[SHIFT] || !op->in[SHIFT]->grad)
        return 0;
    int64_t chunks = parallel_chunks(rows_max(p, op->out[0]), plan_grain(c));
    return (size_t)(chunks * c) * sizeof(double);
}

static int64_t macs(const struct plan *p, const struct op *op)
{
    return rows_of(p, op->in[X]) * op->in[X]->cols * op->out[0]->cols;
}

struct tensor *op_linear_affine(struct plan *p, struct tensor *y, struct tensor *x,
                                struct tensor *w, struct tensor *scale, struct tensor *shift,
                                int flags)
{
    struct linear *linear = plan_op(p, "linear", sizeof *linear);
    struct op *op = &linear->op;
    int64_t out = flags & OP_PLAIN ? w->cols : w->fixed;
    ASSERT(p->error || (flags & OP_PLAIN ? w->fixed : w->cols) == x->cols);
    ASSERT(p->error || !p->training || (!scale && !(flags & OP_RELU)));
    ASSERT(shift || !scale);
    ASSERT(p->error || shift || !(flags & OP_RELU));
    if (!y)
        y = plan_tensor(p, x->kind, x->fixed, out);
    ASSERT(p->error || (y->cols == out && y->kind == x->kind));
    op->forward = forward;
    op->backward = backward;
    op->in[X] = x;
    op->in[W] = w;
    op->in[SHIFT] = shift;
    if (shift)
        op->in[SCALE] = scale;
    op->out[0] = y;
    op->need_in = (w->root->grad ? 1u << X : 0) | (x->root->grad ? 1u << W : 0);
    linear->plain = flags & OP_PLAIN;
    linear->onto = flags & OP_ONTO;
    linear->relu = flags & OP_RELU;
    op->scratch_bytes = scratch_bytes;
    op->macs = macs;
    plan_op_done(p, op);
    return y;
}

struct tensor *op_linear(struct plan *p, struct tensor *y, struct tensor *x, struct tensor *w,
                         int flags)
{
    return op_linear_affine(p, y, x, w, NULL, NULL, flags);
}
