/* Edge by edge: rows copied to edges, soft-max and maximum over the edges of a centre. This is the
 * direct path, the reference for the others, and the part that stays on edges in training. */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/walk.h"

#include <string.h>

static void over_centres(struct plan *p, struct op *op, parallel_fn *fn)
{
    struct walk w = {p, op};
    parallel_for(p->batch.rows[ROWS_LEVEL + op->level], 16, fn, &w);
}

/* --- rows to edges --- */

struct to_edges {
    struct op op;
    bool centre; /* rows of the centre, not of the source */
    bool onto;   /* added to y */
    real sign;
};

static void to_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    struct tensor *x = w->op->in[0], *y = w->op->out[0];
    int64_t c = x->cols;
    const struct to_edges *to_edges = (const struct to_edges *)w->op;
    for (int64_t i = begin; i < end; i++)
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++) {
            const real *from = x->x + (to_edges->centre ? i : l->index[e]) * c;
            real *to = y->x + e * c;
            if (to_edges->onto)
                kernels()->axpy(to, to_edges->sign, from, c);
            else
                memcpy(to, from, (size_t)c * sizeof *to);
        }
}

static void to_forward(struct plan *p, struct op *op)
{
    over_centres(p, op, to_chunk);
}

static void to_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    struct tensor *x = w->op->in[0], *y = w->op->out[0];
    int64_t c = x->cols;
    const struct to_edges *to_edges = (const struct to_edges *)w->op;
    int add = op_adds(w->op, 0);
    if (!to_edges->centre) {
        kernels()->gather_sum(x->dx, y->dx, l->tstart, l->tedge, NULL, begin, end, c, add);
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        real *dx = x->dx + i * c;
        if (!add)
            memset(dx, 0, (size_t)c * sizeof *dx);
        for (int64_t k = l->start[i]; k < l->start[i + 1]; k++)
            kernels()->axpy(dx, to_edges->sign, y->dx + k * c, c);
    }
}

static void to_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    if (op->in[0]->grad)
        parallel_for(rows_of(p, op->in[0]), 16, to_back_chunk, &w);
}

struct tensor *op_to_edges(struct plan *p, struct tensor *y, struct tensor *x, bool centre,
                           int sign, int level, int block, int flags)
{
    ASSERT(p->error || x->ld == x->cols);
    ASSERT(sign == 1 || (centre && flags & OP_ONTO));
    struct to_edges *to_edges = plan_op(p, "edges", sizeof *to_edges);
    struct op *op = &to_edges->op;
    if (!y)
        y = plan_tensor(p, edge_kind(level, block), 0, x->cols);
    op->forward = to_forward;
    op->backward = to_backward;
    op->in[0] = x;
    op->out[0] = y;
    op->level = level;
    op->block = block;
    to_edges->centre = centre;
    to_edges->onto = flags & OP_ONTO;
    to_edges->sign = (real)sign;
    plan_op_done(p, op);
    return y;
}

/* --- ReLU of a sum of both ends --- */

enum { RELU_CENTRE, RELU_SOURCE };

static void relu_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    const real *a = w->op->in[RELU_CENTRE]->x, *b = w->op->in[RELU_SOURCE]->x;
    int64_t c = w->op->out[0]->cols;
    for (int64_t i = begin; i < end; i++)
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++) {
            const struct edge_terms x = {.a = a + i * c, .b = b + l->index[e] * c, .relu = 1};
            kernels()->edge_sum(w->op->out[0]->x + e * c, &x, c);
        }
}

static void relu_forward(struct plan *p, struct op *op)
{
    over_centres(p, op, relu_chunk);
}

/* dy where the sum was above zero, summed over the list of one end, which names rows of the other
 * end and edges (edge NULL: in their order). */
static void relu_back_rows(const struct walk *w, int end_of, const int32_t *start,
                           const int32_t *other, const int32_t *edge, int64_t begin, int64_t end)
{
    struct tensor *x = w->op->in[end_of], *y = w->op->in[!end_of];
    int64_t c = x->cols;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = start[i];
        const real *dy = w->op->out[0]->dx + (edge ? 0 : from * c);
        if (!op_adds(w->op, end_of))
            memset(x->dx + i * c, 0, (size_t)c * sizeof *x->dx);
        kernels()->list_relu_back(x->dx + i * c, dy, x->x + i * c, y->x, other + from,
                                  edge ? edge + from : NULL, start[i + 1] - from, c);
    }
}

static void relu_centre_chunk(void *user, int64_t begin, int64_t end)
{
    const struct edge_list *l = edges_of(user);
    relu_back_rows(user, RELU_CENTRE, l->start, l->index, NULL, begin, end);
}

static void relu_source_chunk(void *user, int64_t begin, int64_t end)
{
    const struct edge_list *l = edges_of(user);
    relu_back_rows(user, RELU_SOURCE, l->tstart, l->tindex, l->tedge, begin, end);
}

static void relu_backward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    if (op->in[RELU_CENTRE]->grad)
        parallel_for(rows_of(p, op->in[RELU_CENTRE]), 16, relu_centre_chunk, &w);
    if (op->in[RELU_SOURCE]->grad)
        parallel_for(rows_of(p, op->in[RELU_SOURCE]), 16, relu_source_chunk, &w);
}

struct tensor *op_edge_relu(struct plan *p, struct tensor *a, struct tensor *b, int level,
                            int block)
{
    ASSERT(p->error || (a->ld == a->cols && b->ld == b->cols && a->cols == b->cols));
    struct op *op = plan_op(p, "edge_relu", sizeof *op);
    op->forward = relu_forward;
    op->backward = relu_backward;
    op->in[RELU_CENTRE] = a;
    op->in[RELU_SOURCE] = b;
    op->level = level;
    op->block = block;
    op->need_in = 1u << RELU_CENTRE | 1u << RELU_SOURCE;
    op->out[0] = plan_tensor(p, edge_kind(level, block), 0, a->cols);
    plan_op_done(p, op);
    return op->out[0];
}

/* --- soft-max attention --- */

static void attend_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    struct op *op = w->op;
    int64_t c = op->in[0]->cols, s = op->in[1]->cols;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = l->start[i];
        kernels()->edge_attend(op->out[0]->x + i * c, op->out[1]->x + from * s,
                               op->in[1]->x + from * s, op->in[0]->x + from * c, NULL,
                               l->start[i + 1] - from, c, c / s);
    }
}

static void attend_forward(struct plan *p, struct op *op)
{
    over_centres(p, op, attend_chunk);
}

static void attend_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    struct op *op = w->op;
    struct tensor *value = op->in[0], *score = op->in[1], *y = op->out[0];
    int64_t c = value->cols, s = score->cols;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = l->start[i];
        kernels()->edge_attend_back(value->dx + from * c, score->dx + from * s,
                                    op->out[1]->x + from * s, value->x + from * c, y->x + i * c,
                                    y->dx + i * c, l->start[i + 1] - from, c, c / s, op_adds(op, 0),
                                    op_adds(op, 1));
    }
}

static void attend_backward(struct plan *p, struct op *op)
{
    over_centres(p, op, attend_back_chunk);
}

struct tensor *op_attend_edges(struct plan *p, struct tensor *values, struct tensor *scores,
                               int level, int block, struct tensor **weights)
{
    ASSERT(p->error || (values->ld == values->cols && scores->ld == scores->cols));
    struct op *op = plan_op(p, "attend_edges", sizeof *op);
    op->forward = attend_forward;
    op->backward = attend_backward;
    op->in[0] = values;
    op->in[1] = scores;
    op->level = level;
    op->block = block;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, values->cols);
    op->out[1] = plan_tensor(p, edge_kind(level, block), 0, scores->cols);
    op->need_in = 1;
    op->need_out = 3;
    plan_op_done(p, op);
    if (weights)
        *weights = op->out[1];
    return op->out[0];
}

/* --- mean --- */

static void mean_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    int64_t c = w->op->in[0]->cols;
    for (int64_t i = begin; i < end; i++) {
        real *y = w->op->out[0]->x + i * c, len = (real)(l->start[i + 1] - l->start[i]);
        memset(y, 0, (size_t)c * sizeof *y);
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++)
            kernels()->axpy(y, 1 / len, w->op->in[0]->x + e * c, c);
    }
}

static void mean_forward(struct plan *p, struct op *op)
{
    over_centres(p, op, mean_chunk);
}

static void mean_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    int64_t c = w->op->in[0]->cols;
    for (int64_t i = begin; i < end; i++)
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++) {
            real *dx = w->op->in[0]->dx + e * c, len = (real)(l->start[i + 1] - l->start[i]);
            if (!op_adds(w->op, 0))
                memset(dx, 0, (size_t)c * sizeof *dx);
            kernels()->axpy(dx, 1 / len, w->op->out[0]->dx + i * c, c);
        }
}

static void mean_backward(struct plan *p, struct op *op)
{
    over_centres(p, op, mean_back_chunk);
}

struct tensor *op_mean_edges(struct plan *p, struct tensor *x, int level, int block)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "mean_edges", sizeof *op);
    op->forward = mean_forward;
    op->backward = mean_backward;
    op->in[0] = x;
    op->level = level;
    op->block = block;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    plan_op_done(p, op);
    return op->out[0];
}

/* --- maximum --- */

static void max_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    int64_t c = w->op->in[0]->cols;
    const real *x = w->op->in[0]->x;
    int32_t *arg = (int32_t *)w->op->out[1]->x;
    for (int64_t i = begin; i < end; i++)
        for (int64_t f = 0; f < c; f++) {
            int32_t best = l->start[i] < l->start[i + 1] ? l->start[i] : -1;
            for (int32_t e = best + 1; best >= 0 && e < l->start[i + 1]; e++)
                if (x[e * c + f] > x[best * c + f])
                    best = e;
            arg[i * c + f] = best;
            w->op->out[0]->x[i * c + f] = best >= 0 ? x[best * c + f] : 0;
        }
}

static void max_forward(struct plan *p, struct op *op)
{
    over_centres(p, op, max_chunk);
}

static void max_back_chunk(void *user, int64_t begin, int64_t end)
{
    struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    struct tensor *x = w->op->in[0], *y = w->op->out[0];
    int64_t c = x->cols;
    const int32_t *arg = (const int32_t *)w->op->out[1]->x;
    for (int64_t i = begin; i < end; i++)
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++)
            for (int64_t f = 0; f < c; f++) {
                real g = arg[i * c + f] == e ? y->dx[i * c + f] : 0;
                x->dx[e * c + f] = (op_adds(w->op, 0) ? x->dx[e * c + f] : 0) + g;
            }
}

static void max_backward(struct plan *p, struct op *op)
{
    over_centres(p, op, max_back_chunk);
}

struct tensor *op_max_edges(struct plan *p, struct tensor *x, int level, int block)
{
    ASSERT(p->error || x->ld == x->cols);
    struct op *op = plan_op(p, "max_edges", sizeof *op);
    op->forward = max_forward;
    op->backward = max_backward;
    op->in[0] = x;
    op->level = level;
    op->block = block;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    op->out[1] = plan_tensor(p, ROWS_LEVEL + level, 0, x->cols);
    op->out[1]->bytes4 = true;
    op->need_out = 2;
    plan_op_done(p, op);
    return op->out[0];
}
