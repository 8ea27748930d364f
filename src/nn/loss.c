/* Cross entropy with label smoothing: the mean over the labelled rows of -sum_c t_c log p_c, with
 * t = (1 - s) one-hot + s / C over the C classes allowed for the row's cloud (for parts: those of
 * its category). Rows with a label outside them, e.g. -1, do not count; without any row the loss is
 * 0. Class weights make it a weighted mean. */
#include "core/error.h"
#include "core/parallel.h"
#include "nn/ops.h"
#include "nn/plan.h"

#include <math.h>

struct loss {
    struct op op;
    int which;     /* index in the plan's losses */
    double weight; /* of all rows, kept from forward to backward */
};

struct loss_args {
    struct plan *p;
    struct op *op;
    const int32_t *labels;
    double *parts; /* (chunks, 2): weighted loss, weight */
    int64_t grain;
};

struct row {
    int64_t first, count; /* allowed classes */
    int32_t label;
    double weight; /* 0: not labelled */
};

static struct row describe(const struct loss_args *a, int64_t i)
{
    const struct plan_batch *b = &a->p->batch;
    struct row r = {0, a->op->in[0]->cols, a->labels[i], 0};
    if (b->class_first) {
        int64_t cloud = i;
        if (a->op->in[0]->kind != ROWS_CLOUDS)
            for (cloud = 0; b->first[a->op->level][cloud + 1] <= i;)
                cloud++;
        r.first = b->class_first[cloud];
        r.count = b->class_count[cloud];
    }
    if (r.label >= r.first && r.label < r.first + r.count)
        r.weight = b->class_weight ? (double)b->class_weight[r.label] : 1;
    return r;
}

static double log_sum(const real *x, const struct row *r)
{
    double max = -INFINITY, sum = 0;
    for (int64_t c = r->first; c < r->first + r->count; c++)
        max = fmax(max, x[c]);
    for (int64_t c = r->first; c < r->first + r->count; c++)
        sum += exp(x[c] - max);
    return max + log(sum);
}

static double target(const struct plan *p, const struct row *r, int64_t c)
{
    return p->label_smoothing / (double)r->count + (c == r->label) * (1 - p->label_smoothing);
}

static void forward_chunk(void *user, int64_t begin, int64_t end)
{
    struct loss_args *a = user;
    const struct tensor *x = a->op->in[0];
    double loss = 0, weight = 0;
    for (int64_t i = begin; i < end; i++) {
        struct row r = describe(a, i);
        if (r.weight == 0)
            continue;
        const real *row = x->x + i * x->cols;
        double whole = log_sum(row, &r), sum = 0;
        for (int64_t c = r.first; c < r.first + r.count; c++)
            sum += target(a->p, &r, c) * (whole - row[c]);
        loss += r.weight * sum;
        weight += r.weight;
    }
    a->parts[2 * (begin / a->grain)] = loss;
    a->parts[2 * (begin / a->grain) + 1] = weight;
}

static struct loss_args start(struct plan *p, struct op *op)
{
    int64_t grain = plan_grain(op->in[0]->cols);
    return (struct loss_args){p, op, p->batch.labels[op->level], op->scratch, grain};
}

static void forward(struct plan *p, struct op *op)
{
    struct loss_args a = start(p, op);
    int64_t n = rows_of(p, op->in[0]);
    double loss = 0, weight = 0;
    parallel_for(n, a.grain, forward_chunk, &a);
    for (int64_t k = 0; k < parallel_chunks(n, a.grain); k++) {
        loss += a.parts[2 * k];
        weight += a.parts[2 * k + 1];
    }
    struct loss *l = (struct loss *)op;
    l->weight = weight;
    p->loss[l->which] = weight > 0 ? loss / weight : 0;
}

static void backward_chunk(void *user, int64_t begin, int64_t end)
{
    struct loss_args *a = user;
    struct tensor *x = a->op->in[0];
    const struct loss *l = (const struct loss *)a->op;
    double factor = l->weight > 0 ? a->p->loss_weight[l->which] / l->weight : 0;
    for (int64_t i = begin; i < end; i++) {
        struct row r = describe(a, i);
        const real *row = x->x + i * x->cols;
        double whole = r.weight != 0 ? log_sum(row, &r) : 0;
        for (int64_t c = 0; c < x->cols; c++) {
            double g = 0;
            if (r.weight != 0 && c >= r.first && c < r.first + r.count)
                g = factor * r.weight * (exp(row[c] - whole) - target(a->p, &r, c));
            real *dx = x->dx + i * x->cols + c;
            *dx = (real)(op_adds(a->op, 0) ? *dx + g : g);
        }
    }
}

static void backward(struct plan *p, struct op *op)
{
    struct loss_args a = start(p, op);
    parallel_for(rows_of(p, op->in[0]), a.grain, backward_chunk, &a);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    int64_t n = rows_max(p, op->in[0]), grain = plan_grain(op->in[0]->cols);
    return back ? 0 : (size_t)(2 * parallel_chunks(n, grain)) * sizeof(double);
}

void op_loss(struct plan *p, struct tensor *logits, int level, int which)
{
    ASSERT(p->error || logits->ld == logits->cols);
    ASSERT(which >= 0 && which < PLAN_LOSSES);
    struct loss *loss = plan_op(p, "loss", sizeof *loss);
    struct op *op = &loss->op;
    op->forward = forward;
    op->backward = backward;
    op->sink = true;
    op->in[0] = logits;
    op->out[0] = plan_tensor(p, ROWS_FIXED, 1, 1);
    op->need_in = 1;
    op->level = level;
    loss->which = which;
    op->scratch_bytes = scratch_bytes;
    plan_op_done(p, op);
}
