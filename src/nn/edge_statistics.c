/* Entropy and saturation of attention weights on edges, centre by centre, so that the weights need
 * not be kept: y_i = (entropy, saturation) of each head, as kernels/attention_statistics.h has
 * them. */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/attention_statistics.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/walk.h"

static void chunk(void *user, int64_t begin, int64_t end)
{
    const struct walk *w = user;
    const struct edge_list *l = edges_of(w);
    const struct tensor *x = w->op->in[0], *y = w->op->out[0];
    int64_t heads = y->cols / 2, s = x->cols / heads;
    for (int64_t i = begin; i < end; i++)
        for (int64_t h = 0; h < heads; h++) {
            int64_t from = l->start[i];
            struct attention_statistics a = attention_statistics(
                x->x + from * x->ld + h * s, l->index + from, l->start[i + 1] - from, s, x->ld);
            y->x[i * y->ld + 2 * h] = (real)a.entropy;
            y->x[i * y->ld + 2 * h + 1] = (real)a.saturation;
        }
}

static void forward(struct plan *p, struct op *op)
{
    struct walk w = {p, op};
    parallel_for(p->batch.rows[ROWS_LEVEL + op->level], 16, chunk, &w);
}

struct tensor *op_edge_statistics(struct plan *p, struct tensor *weights, int heads, int level,
                                  int block)
{
    ASSERT(p->error || weights->cols % heads == 0);
    struct op *op = plan_op(p, "edge_statistics", sizeof *op);
    op->forward = forward;
    op->in[0] = weights;
    op->level = level;
    op->block = block;
    op->out[0] = plan_tensor(p, ROWS_LEVEL + level, 0, 2 * (int64_t)heads);
    plan_op_done(p, op);
    return op->out[0];
}
