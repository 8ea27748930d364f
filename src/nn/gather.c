/* Rows moved by index lists: maximum over neighbours, the centres of a level, interpolation, the
 * mean of a cloud. Every backward walks a transposed list or unique rows: no races, fixed order. */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/walk.h"

#include <string.h>

/* Zeroes rows of a gradient that is set instead of added to. */
static void clear(const struct op *op, int input, int64_t begin, int64_t end)
{
    struct tensor *t = op->in[input];
    if (!op_adds(op, input))
        memset(t->dx + begin * t->cols, 0, (size_t)((end - begin) * t->cols) * sizeof(real));
}

/* --- maximum over neighbours --- */

static void max_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    struct tensor *arg = w->op->out[1];
    kernels()->gather_max(w->op->out[0]->x, arg ? (int32_t *)arg->x : NULL, w->op->in[0]->x,
                          l->start, l->index, begin, end, w->op->in[0]->cols);
}

static void max_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->out[0]), plan_grain(op->in[0]->cols) / 8 + 1, max_chunk, &w);
}

static void max_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    clear(w->op, 0, begin, end);
    kernels()->gather_max_back(w->op->in[0]->dx, w->op->out[0]->dx,
                               (const int32_t *)w->op->out[1]->x, l->tstart, l->tindex, begin, end,
                               w->op->in[0]->cols);
}

static void max_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols) / 8 + 1, max_back_chunk, &w);
}

struct tensor *op_gather_max(struct plan *p, struct tensor *x, int level, int block)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "max", sizeof *op);
    op->forward = max_forward;
    op->backward = max_backward;
    op->in[0] = x;
    op->level = level;
    op->block = block;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    if (p->training) {
        op->out[1] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols); /* the neighbour that has it */
        op->out[1]->bytes4 = true;
        op->need_out = 2;
    }
    plan_op_done(p, op);
    return op->out[0];
}

/* --- mean over neighbours --- */

/* y = x / len by row; an empty list gives 0 */
static void divide(real *y, const real *x, const int32_t *start, int64_t begin, int64_t end,
                   int64_t c)
{
    for (int64_t i = begin; i < end; i++) {
        int32_t len = start[i + 1] - start[i];
        real by = len > 0 ? 1 / (real)len : 0;
        for (int64_t j = i * c; j < (i + 1) * c; j++)
            y[j] = x[j] * by;
    }
}

static void neighbour_mean_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    real *y = w->op->out[0]->x;
    int64_t c = w->op->in[0]->cols;
    kernels()->gather_sum(y, w->op->in[0]->x, l->start, l->index, NULL, begin, end, c, 0);
    divide(y, y, l->start, begin, end, c);
}

static void neighbour_mean_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->out[0]), plan_grain(op->in[0]->cols) / 8 + 1, neighbour_mean_chunk,
                 &w);
}

static void share_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    divide(w->op->scratch, w->op->out[0]->dx, edges_of(w)->start, begin, end, w->op->in[0]->cols);
}

static void neighbour_mean_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    kernels()->gather_sum(w->op->in[0]->dx, w->op->scratch, l->tstart, l->tindex, NULL, begin, end,
                          w->op->in[0]->cols, op_adds(w->op, 0));
}

static void neighbour_mean_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    int64_t grain = plan_grain(op->in[0]->cols) / 8 + 1;
    parallel_for(rows_of(p, op->out[0]), grain, share_chunk, &w);
    parallel_for(rows_of(p, op->in[0]), grain, neighbour_mean_back_chunk, &w);
}

static size_t neighbour_mean_bytes(const struct plan *p, const struct op *op, bool back)
{
    return back ? (size_t)(rows_max(p, op->out[0]) * op->in[0]->cols) * sizeof(real) : 0;
}

struct tensor *op_gather_mean(struct plan *p, struct tensor *x, int level, int block)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "neighbour_mean", sizeof *op);
    op->forward = neighbour_mean_forward;
    op->backward = neighbour_mean_backward;
    op->in[0] = x;
    op->level = level;
    op->block = block;
    op->scratch_bytes = neighbour_mean_bytes;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    plan_op_done(p, op);
    return op->out[0];
}

/* --- the rows that survive to the next level --- */

static void centres_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const int32_t *centre = w->p->batch.centre[w->op->level];
    int64_t c = w->op->in[0]->cols;
    for (int64_t i = begin; i < end; i++)
        memcpy(w->op->out[0]->x + i * c, w->op->in[0]->x + centre[i] * c, (size_t)c * sizeof(real));
}

static void centres_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->out[0]), plan_grain(op->in[0]->cols), centres_chunk, &w);
}

static void clear_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    clear(w->op, 0, begin, end);
}

static void centres_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const int32_t *centre = w->p->batch.centre[w->op->level];
    int64_t c = w->op->in[0]->cols;
    for (int64_t i = begin; i < end; i++)
        kernels()->add(w->op->in[0]->dx + centre[i] * c, w->op->out[0]->dx + i * c, c);
}

static void centres_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    int64_t grain = plan_grain(op->in[0]->cols);
    if (!op_adds(op, 0))
        parallel_for(rows_of(p, op->in[0]), grain, clear_chunk, &w);
    parallel_for(rows_of(p, op->out[0]), grain, centres_back_chunk, &w);
}

struct tensor *op_centres(struct plan *p, struct tensor *x, int level)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "centres", sizeof *op);
    op->forward = centres_forward;
    op->backward = centres_backward;
    op->in[0] = x;
    op->level = level;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    plan_op_done(p, op);
    return op->out[0];
}

/* --- interpolation from level + 1 to level --- */

struct interpolate {
    struct op op;
    bool onto; /* added to y */
};

static void up_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct up_list *l = &w->p->batch.up[w->op->level];
    kernels()->interpolate(w->op->out[0]->x, w->op->in[0]->x, l->index, l->weight, 3, begin, end,
                           w->op->in[0]->cols, ((const struct interpolate *)w->op)->onto);
}

static void up_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->out[0]), plan_grain(op->in[0]->cols), up_chunk, &w);
}

static void up_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct up_list *l = &w->p->batch.up[w->op->level];
    kernels()->gather_sum(w->op->in[0]->dx, w->op->out[0]->dx, l->tstart, l->tindex, l->tweight,
                          begin, end, w->op->in[0]->cols, op_adds(w->op, 0));
}

static void up_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(rows_of(p, op->in[0]), plan_grain(op->in[0]->cols) / 4 + 1, up_back_chunk, &w);
}

struct tensor *op_interpolate(struct plan *p, struct tensor *y, struct tensor *x, int level,
                              int flags)
{
    ASSERT(p->error || x->ld == x->cols);
    struct interpolate *interpolate = plan_op(p, "interpolate", sizeof *interpolate);
    struct op *op = &interpolate->op;
    if (!y)
        y = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    ASSERT(p->error || (y->ld == y->cols && y->cols == x->cols));
    op->forward = up_forward;
    op->backward = up_backward;
    op->in[0] = x;
    op->level = level;
    interpolate->onto = flags & OP_ONTO;
    op->out[0] = y;
    plan_op_done(p, op);
    return y;
}

/* --- mean of a cloud's rows --- */

static void mean_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const int32_t *first = w->p->batch.first[w->op->level];
    int64_t c = w->op->in[0]->cols;
    for (int64_t b = begin; b < end; b++)
        for (int64_t j = 0; j < c; j++) {
            double sum = 0;
            for (int64_t i = first[b]; i < first[b + 1]; i++)
                sum += w->op->in[0]->x[i * c + j];
            w->op->out[0]->x[b * c + j] = (real)(sum / (first[b + 1] - first[b]));
        }
}

static void mean_forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(p->batch.clouds, 1, mean_chunk, &w);
}

static void mean_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const int32_t *first = w->p->batch.first[w->op->level];
    int64_t c = w->op->in[0]->cols;
    for (int64_t b = begin; b < end; b++) {
        clear(w->op, 0, first[b], first[b + 1]);
        for (int64_t i = first[b]; i < first[b + 1]; i++)
            kernels()->axpy(w->op->in[0]->dx + i * c, (real)1 / (real)(first[b + 1] - first[b]),
                            w->op->out[0]->dx + b * c, c);
    }
}

static void mean_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(p->batch.clouds, 1, mean_back_chunk, &w);
}

struct tensor *op_mean_rows(struct plan *p, struct tensor *x, int level)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "mean", sizeof *op);
    op->forward = mean_forward;
    op->backward = mean_backward;
    op->in[0] = x;
    op->level = level;
    op->out[0] = plan_tensor(p, ROWS_CLOUDS, 0, x->cols);
    plan_op_done(p, op);
    return op->out[0];
}
