/* Small ops on every element: sums, multiples, ReLU, dropout, and two for weights. */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/walk.h"

#include <string.h>

/* One row of y (+)= factor * x. */
static void put(real *y, const real *x, real factor, int64_t c, bool add)
{
    if (!add)
        memset(y, 0, (size_t)c * sizeof *y);
    if (factor == 1)
        kernels()->add(y, x, c);
    else
        kernels()->axpy(y, factor, x, c);
}

/* --- inputs of the batch, as reals --- */

struct input {
    struct op op;
    bool features; /* not xyz */
};

static void input_forward(struct plan *p, struct op *op)
{
    const struct input *input = (const struct input *)op;
    struct tensor *y = op->out[0];
    const float *x = input->features ? p->batch.features : p->batch.xyz[op->level];
    for (int64_t i = 0; i < rows_of(p, y) * y->cols; i++)
        y->x[i] = (real)x[i];
}

struct tensor *op_input(struct plan *p, int level, int64_t channels)
{
    struct input *input = plan_op(p, "input", sizeof *input);
    struct op *op = &input->op;
    op->forward = input_forward;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, channels ? channels : 3);
    op->level = level;
    input->features = channels != 0;
    plan_op_done(p, op);
    return op->out[0];
}

/* --- multiples and sums: y (+)= factor x --- */

struct scale {
    struct op op;
    real factor;
    bool onto; /* added to y */
};

static void scale_chunk(void *user, int64_t begin, int64_t end)
{
    struct op *op = ((struct walk *)user)->op;
    const struct scale *scale = (const struct scale *)op;
    struct tensor *x = op->in[0], *y = op->out[0];
    for (int64_t i = begin; i < end; i++)
        put(y->x + i * y->ld, x->x + i * x->ld, scale->factor, x->cols, scale->onto);
}

static void scale_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), scale_chunk, &w);
}

static void scale_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct op *op = ((struct walk *)user)->op;
    const struct scale *scale = (const struct scale *)op;
    struct tensor *x = op->in[0], *y = op->out[0];
    for (int64_t i = begin; i < end; i++)
        put(x->dx + i * x->ld, y->dx + i * y->ld, scale->factor, x->cols, op_adds(op, 0));
}

static void scale_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), scale_back_chunk, &w);
}

struct tensor *op_scale(struct plan *p, struct tensor *y, struct tensor *x, double factor,
                        int flags)
{
    struct scale *scale = plan_op(p, flags & OP_ONTO ? "add" : "scale", sizeof *scale);
    struct op *op = &scale->op;
    if (!y)
        y = plan_tensor(p, x->kind, x->fixed, x->cols);
    ASSERT(p->error || (y->cols == x->cols && y->kind == x->kind));
    op->forward = scale_forward;
    op->backward = scale_backward;
    op->in[0] = x;
    op->out[0] = y;
    scale->factor = (real)factor;
    scale->onto = flags & OP_ONTO;
    plan_op_done(p, op);
    return y;
}

struct tensor *op_add(struct plan *p, struct tensor *y, struct tensor *x)
{
    return op_scale(p, y, x, 1, OP_ONTO);
}

/* --- ReLU --- */

static void relu_chunk(void *user, int64_t begin, int64_t end)
{
    struct op *op = ((struct walk *)user)->op;
    int64_t c = op->in[0]->cols;
    kernels()->affine(op->out[0]->x + begin * c, op->in[0]->x + begin * c, NULL, NULL, end - begin,
                      c, 1);
}

static void relu_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), relu_chunk, &w);
}

static void relu_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct op *op = ((struct walk *)user)->op;
    int64_t c = op->in[0]->cols;
    kernels()->relu_back(op->in[0]->dx + begin * c, op->out[0]->x + begin * c,
                         op->out[0]->dx + begin * c, (end - begin) * c, op_adds(op, 0));
}

static void relu_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), relu_back_chunk, &w);
}

struct tensor *op_relu(struct plan *p, struct tensor *x)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "relu", sizeof *op);
    op->forward = relu_forward;
    op->backward = relu_backward;
    op->in[0] = x;
    op->out[0] = plan_tensor(p, x->kind, x->fixed, x->cols);
    op->need_out = 1;
    plan_op_done(p, op);
    return op->out[0];
}

/* --- dropout: 16 random bits decide an element, and are drawn again in backward --- */

enum {
    EACH = 8,    /* elements decided by one block of four random words */
    BLOCKS = 32, /* drawn together */
    DRAW = BLOCKS * EACH
};

struct dropout {
    struct op op;
    uint32_t lane; /* of the random stream */
};

/* Factors of elements EACH block .. EACH block + DRAW - 1: 0, or the factor that keeps the mean. */
static void draw(real factor[DRAW], const struct plan *p, const struct op *op, int64_t block)
{
    uint32_t word[4 * BLOCKS], threshold = (uint32_t)(p->dropout * 65536 + 0.5);
    real kept = (real)(65536.0 / (65536 - threshold));
    uint32_t lane = ((const struct dropout *)op)->lane;
    kernels()->random_words(word, &p->batch.dropout, lane, (uint32_t)block, BLOCKS);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < BLOCKS; i++) {
            uint32_t w = word[k * BLOCKS + i];
            factor[EACH * i + 2 * k] = (w & 0xffff) < threshold ? 0 : kept;
            factor[EACH * i + 2 * k + 1] = w >> 16 < threshold ? 0 : kept;
        }
}

static void drop(const struct plan *p, const struct op *op, real *restrict y,
                 const real *restrict x, int64_t begin, int64_t end, bool add)
{
    real factor[DRAW];
    for (int64_t i = begin / EACH * EACH; i < end; i += DRAW) {
        draw(factor, p, op, i / EACH);
        int64_t first = i < begin ? begin : i, stop = i + DRAW < end ? i + DRAW : end;
        if (add)
            for (int64_t k = first; k < stop; k++)
                y[k] += x[k] * factor[k - i];
        else
            for (int64_t k = first; k < stop; k++)
                y[k] = x[k] * factor[k - i];
    }
}

static void drop_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    int64_t c = w->op->in[0]->cols;
    drop(w->p, w->op, w->op->out[0]->x, w->op->in[0]->x, begin * c, end * c, false);
}

static void drop_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), drop_chunk, &w);
}

static void drop_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    int64_t c = w->op->in[0]->cols;
    drop(w->p, w->op, w->op->in[0]->dx, w->op->out[0]->dx, begin * c, end * c, op_adds(w->op, 0));
}

static void drop_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols), drop_back_chunk, &w);
}

struct tensor *op_dropout(struct plan *p, struct tensor *x, int lane)
{
    if (!p->training || p->dropout == 0)
        return x;
    ASSERT(p->error || x->ld == x->cols);
    struct dropout *dropout = plan_op(p, "dropout", sizeof *dropout);
    struct op *op = &dropout->op;
    op->forward = drop_forward;
    op->backward = drop_backward;
    op->in[0] = x;
    op->out[0] = plan_tensor(p, x->kind, x->fixed, x->cols);
    dropout->lane = (uint32_t)lane;
    plan_op_done(p, op);
    return op->out[0];
}

/* --- weights: rows times a folded norm; the identity, which a chain of maps turns into its
 * matrix --- */

static void scale_rows(struct plan *p, struct op *op)
{
    (void)p;
    struct tensor *x = op->in[0], *y = op->out[0];
    for (int64_t i = 0; i < x->fixed; i++)
        put(y->x + i * y->ld, x->x + i * x->ld, op->in[1]->x[i], x->cols, false);
}

struct tensor *op_scale_rows(struct plan *p, struct tensor *x, struct tensor *scale)
{
    ASSERT(!p->training);
    struct op *op = plan_op(p, "scale_rows", sizeof *op);
    op->forward = scale_rows;
    op->in[0] = x;
    op->in[1] = scale;
    op->out[0] = plan_tensor(p, ROWS_FIXED, x->fixed, x->cols);
    plan_op_done(p, op);
    return op->out[0];
}

struct identity {
    struct op op;
    int64_t first;
    real value;
};

static void identity_forward(struct plan *p, struct op *op)
{
    const struct identity *identity = (const struct identity *)op;
    (void)p;
    struct tensor *y = op->out[0];
    memset(y->x, 0, (size_t)(y->fixed * y->cols) * sizeof(real));
    for (int64_t j = 0; j < y->cols; j++)
        y->x[(identity->first + j) * y->cols + j] = identity->value;
}

struct tensor *op_identity(struct plan *p, int64_t rows, int64_t first, int64_t cols, double value)
{
    struct identity *identity = plan_op(p, "identity", sizeof *identity);
    struct op *op = &identity->op;
    op->forward = identity_forward;
    op->out[0] = plan_tensor(p, ROWS_FIXED, rows, cols);
    identity->first = first;
    identity->value = (real)value;
    plan_op_done(p, op);
    return op->out[0];
}
