/* The attention of the collapsed path on its edges, for a trace: the usual walk over neighbours
 * never stores it. w_ij = exp(a_j - max) / sum over the neighbours j of centre i, with the centre's
 * own maximum, so that it needs no guard. */
#include "core/error.h"
#include "core/parallel.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/walk.h"

#include <math.h>

static void soften(real *w, const real *scores, const struct edge_list *l, int64_t i, int64_t s,
                   int64_t width)
{
    double max = -INFINITY, sum = 0;
    int64_t from = l->start[i], to = l->start[i + 1];
    for (int64_t e = from; e < to; e++)
        max = fmax(max, scores[l->index[e] * width + s]);
    for (int64_t e = from; e < to; e++)
        sum += exp(scores[l->index[e] * width + s] - max);
    for (int64_t e = from; e < to; e++)
        w[e * width + s] = (real)(exp(scores[l->index[e] * width + s] - max) / sum);
}

static void chunk(void *user, int64_t begin, int64_t end)
{
    const struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    int64_t width = w->op->in[0]->cols;
    for (int64_t i = begin; i < end; i++)
        for (int64_t s = 0; s < width; s++)
            soften(w->op->out[0]->x, w->op->in[0]->x, l, i, s, width);
}

static void forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(p->batch.rows[ROWS_LEVEL + op->level], 16, chunk, &w);
}

struct tensor *op_edge_weights(struct plan *p, struct tensor *scores, int level, int block)
{
    ASSERT(p->error || scores->ld == scores->cols);
    struct op *op = plan_op(p, "edge_weights", sizeof *op);
    op->forward = forward;
    op->in[0] = scores;
    op->level = level;
    op->block = block;
    op->out[0] = plan_tensor(p, edge_kind(level, block), 0, scores->cols);
    plan_op_done(p, op);
    return op->out[0];
}
