/* Batch normalisation over edges of values that are a centre part plus a source part, without
 * storing the edges (docs/network.md, "The collapse").
 *
 * Centre i counts n_i times, source j m_j times, E = sum n_i. With the weighted means subtracted, E
 * var = sum over edges of (a_i + b_j - mean)^2, edge by edge because the two parts nearly cancel,
 * and centre by centre in doubles. Backward needs the marginals dA, dB of the edge gradient only:
 * with t = sum dA_i and d = sum ah_i dA_i + sum bh_j dB_j, part a_i receives
 *     (scale / sigma) (dA_i - n_i t / E - (sum_j (ah_i + bh_j)) d / E)
 * and b_j likewise. */
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"
#include "nn/running.h"

#include <math.h>
#include <string.h>

enum {
    SCALE,
    SHIFT,
    MEAN,
    VAR,
    FIRST,
    SECOND
};                           /* inputs: the parts come last; SHIFT: maybe SCALE */
enum { PART0, PART1, KEPT }; /* outputs */
enum { MEAN_A, MEAN_B, MEAN_BOTH, INVERSE, KEPT_ROWS }; /* of KEPT; INVERSE: 1 / sigma */
enum { GRAIN = 64 };

struct part {
    struct tensor *x, *y;
    const int32_t *start, *index; /* lists of this side, and the rows they name on the other side */
    int64_t rows;
    int input;
};

struct edge_norm {
    struct op op;
    bool has[2];      /* a centre part, a source part */
    bool centre_used; /* the normalised centre part is an output */
};

struct norm_args {
    struct plan *p;
    struct op *op;
    struct part side[2]; /* centre, source; x NULL: absent */
    double *parts;       /* (chunks, c) */
    double *mean, *total;
    int64_t c;
    double edges;
    int which;    /* side a loop walks */
    real *factor; /* (3, c): t / E, d / (E sigma), scale / sigma */
};

static real *kept(const struct norm_args *a, int row)
{
    return a->op->out[KEPT]->x + row * a->c;
}

static struct norm_args start(struct plan *p, struct op *op)
{
    const struct edge_norm *norm = (const struct edge_norm *)op;
    const struct edge_list *l = op_edges(p, op);
    int source = op->block == 1 ? op->level - 1 : op->level;
    struct norm_args a = {.p = p, .op = op, .c = op->in[SCALE]->cols};
    a.side[0] =
        (struct part){NULL, NULL, l->start, l->index, p->batch.rows[ROWS_LEVEL + op->level], FIRST};
    a.side[1] = (struct part){NULL,
                              NULL,
                              l->tstart,
                              l->tindex,
                              p->batch.rows[ROWS_LEVEL + source],
                              norm->has[0] ? SECOND : FIRST};
    int out = 0;
    for (int s = 0; s < 2; s++) {
        if (!norm->has[s])
            continue;
        a.side[s].x = op->in[a.side[s].input];
        if (s == 1 || norm->centre_used)
            a.side[s].y = op->out[out++];
    }
    a.edges = (double)p->batch.rows[edge_kind(op->level, op->block)];
    a.parts = op->scratch;
    return a;
}

/* adds chunk sums in chunk order */
static void collect(struct norm_args *a, double *sum, int64_t rows)
{
    memset(sum, 0, (size_t)a->c * sizeof *sum);
    for (int64_t k = 0; k < parallel_chunks(rows, GRAIN); k++)
        for (int64_t f = 0; f < a->c; f++)
            sum[f] += a->parts[k * a->c + f];
}

static double *chunk_sum(struct norm_args *a, int64_t begin)
{
    double *sum = a->parts + begin / GRAIN * a->c;
    memset(sum, 0, (size_t)a->c * sizeof *sum);
    return sum;
}

static void mean_chunk(void *user, int64_t begin, int64_t end)
{
    struct norm_args *a = user;
    const struct part *s = &a->side[a->which];
    kernels()->weighted_sums(chunk_sum(a, begin), s->x->x, s->start, begin, end, a->c);
}

static void square_chunk(void *user, int64_t begin, int64_t end)
{
    struct norm_args *a = user;
    const struct part *s = &a->side[a->which], *o = &a->side[!a->which];
    kernels()->edge_squares(chunk_sum(a, begin), s->x->x, o->x ? o->x->x : NULL, kept(a, MEAN_BOTH),
                            s->start, s->index, begin, end, a->c);
}

static void apply_chunk(void *user, int64_t begin, int64_t end)
{
    struct norm_args *a = user;
    const struct part *s = &a->side[a->which];
    kernels()->affine(s->y->x + begin * a->c, s->x->x + begin * a->c, a->factor, a->factor + a->c,
                      end - begin, a->c, 0);
}

/* Whether this part carries the shift: the first existing one does. */
static bool carries_shift(const struct norm_args *a)
{
    return a->op->in[SHIFT] != a->op->in[SCALE] && (a->which == 0 || !a->side[0].x);
}

/* y = x scale / sigma - mean scale / sigma (+ shift) */
static void apply(struct norm_args *a)
{
    const real *mean = kept(a, a->which), *inverse = kept(a, INVERSE);
    const real *shift = carries_shift(a) ? a->op->in[SHIFT]->x : NULL;
    for (int64_t f = 0; f < a->c; f++) {
        double factor = (double)a->op->in[SCALE]->x[f] * inverse[f];
        a->factor[f] = (real)factor;
        a->factor[a->c + f] = (real)((shift ? shift[f] : 0) - mean[f] * factor);
    }
    parallel_for(a->side[a->which].rows, GRAIN, apply_chunk, a);
}

static void update_running(struct norm_args *a, int64_t f, double mean, double var)
{
    if (a->edges < 2)
        return;
    double new = a->p->bn_momentum;
    running_set(a->p, a->op->in[MEAN], f, new *mean);
    running_set(a->p, a->op->in[VAR], f, new *var * a->edges / (a->edges - 1));
}

static void forward(struct plan *p, struct op *op)
{
    struct norm_args a = start(p, op);
    int64_t max = parallel_chunks(p->capacity[ROWS_LEVEL + (op->level - 1)], GRAIN);
    a.mean = a.parts + max * a.c;
    a.total = a.mean + 2 * a.c;
    a.factor = (real *)(a.total + 2 * a.c);
    memset(a.mean, 0, (size_t)(2 * a.c) * sizeof *a.mean);
    for (a.which = 0; a.which < 2; a.which++) {
        if (!a.side[a.which].x)
            continue;
        parallel_for(a.side[a.which].rows, GRAIN, mean_chunk, &a);
        collect(&a, a.mean + a.which * a.c, a.side[a.which].rows);
        for (int64_t f = 0; f < a.c; f++)
            a.mean[a.which * a.c + f] /= a.edges > 0 ? a.edges : 1;
    }
    for (int64_t f = 0; f < a.c; f++) {
        kept(&a, MEAN_A)[f] = (real)a.mean[f];
        kept(&a, MEAN_B)[f] = (real)a.mean[a.c + f];
        kept(&a, MEAN_BOTH)[f] = (real)(a.mean[f] + a.mean[a.c + f]);
    }
    a.which = a.side[0].x ? 0 : 1;
    parallel_for(a.side[a.which].rows, GRAIN, square_chunk, &a);
    collect(&a, a.total, a.side[a.which].rows);
    for (int64_t f = 0; f < a.c; f++) {
        double var = a.edges > 1 ? a.total[f] / a.edges : 0;
        kept(&a, INVERSE)[f] = (real)(1 / sqrt(var + p->bn_eps));
        update_running(&a, f, a.mean[f] + a.mean[a.c + f], var);
    }
    for (a.which = 0; a.which < 2; a.which++)
        if (a.side[a.which].y)
            apply(&a);
}

/* parts (chunks, 2, c): sums of dX and of (x - mean) dX */
static void dot_chunk(void *user, int64_t begin, int64_t end)
{
    struct norm_args *a = user;
    const struct part *s = &a->side[a->which];
    double *sum = a->parts + begin / GRAIN * 2 * a->c;
    memset(sum, 0, (size_t)(2 * a->c) * sizeof *sum);
    kernels()->norm_sums(sum, sum + a->c, s->y->dx + begin * a->c, s->x->x + begin * a->c,
                         kept(a, a->which), a->factor, a->factor, end - begin, a->c, 0);
}

static void back_chunk(void *user, int64_t begin, int64_t end)
{
    struct norm_args *a = user;
    const struct part *s = &a->side[a->which], *o = &a->side[!a->which];
    kernels()->edge_norm_back(s->x->dx, s->y ? s->y->dx : NULL, s->x->x, o->x ? o->x->x : NULL,
                              kept(a, MEAN_BOTH), a->factor, a->factor + a->c, a->factor + 2 * a->c,
                              s->start, s->index, begin, end, a->c, op_adds(a->op, s->input));
}

/* total = t and d: dot products of both sides, and the sum of the gradient of one: if the centre
 * part is not used (scores) it is zero, as a soft-max ignores what is added to all. */
static void find_totals(struct norm_args *a)
{
    memset(a->total, 0, (size_t)(2 * a->c) * sizeof *a->total);
    memset(a->factor, 0, (size_t)a->c * sizeof *a->factor);
    for (a->which = 0; a->which < 2; a->which++) {
        int64_t rows = a->side[a->which].rows;
        bool first = a->which == 0 || !a->side[0].x;
        if (!a->side[a->which].y)
            continue;
        parallel_for(rows, GRAIN, dot_chunk, a);
        for (int64_t k = first ? 0 : 1; k < 2 * parallel_chunks(rows, GRAIN); k += first ? 1 : 2)
            for (int64_t f = 0; f < a->c; f++)
                a->total[(k & 1) * a->c + f] += a->parts[k * a->c + f];
    }
    for (int64_t f = 0; f < a->c; f++)
        a->total[a->c + f] *= kept(a, INVERSE)[f];
}

static void backward(struct plan *p, struct op *op)
{
    struct norm_args a = start(p, op);
    int64_t max = parallel_chunks(p->capacity[ROWS_LEVEL + (op->level - 1)], GRAIN);
    a.total = a.parts + 2 * max * a.c;
    a.factor = (real *)(a.total + 2 * a.c);
    find_totals(&a);
    struct tensor *scale = op->in[SCALE];
    struct tensor *shift = op->in[SHIFT] == scale ? NULL : op->in[SHIFT];
    for (int64_t f = 0; f < a.c && shift && shift->grad; f++)
        shift->dx[f] = (real)((op_adds(op, SHIFT) ? shift->dx[f] : 0) + a.total[f]);
    for (int64_t f = 0; f < a.c && scale->grad; f++)
        scale->dx[f] = (real)((op_adds(op, SCALE) ? scale->dx[f] : 0) + a.total[a.c + f]);
    for (int64_t f = 0; f < a.c && a.edges > 0; f++) {
        double inverse = kept(&a, INVERSE)[f];
        a.factor[f] = (real)(a.total[f] / a.edges);
        a.factor[a.c + f] = (real)(a.total[a.c + f] / a.edges * inverse);
        a.factor[2 * a.c + f] = (real)(scale->x[f] * inverse);
    }
    for (a.which = 0; a.which < 2; a.which++)
        if (a.side[a.which].x && a.side[a.which].x->grad && a.edges > 0)
            parallel_for(a.side[a.which].rows, GRAIN, back_chunk, &a);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    (void)back;
    int64_t max = parallel_chunks(p->capacity[ROWS_LEVEL + (op->level - 1)], GRAIN);
    return (size_t)((2 * max + 6) * op->in[SCALE]->cols) * sizeof(double);
}

void op_edge_norm(struct plan *p, struct tensor **a, struct tensor **b, const struct norm *n,
                  bool centre_used, int level, int block)
{
    ASSERT(p->training);
    struct edge_norm *norm = plan_op(p, "edge_norm", sizeof *norm);
    struct op *op = &norm->op;
    struct tensor *parts[2] = {*a, *b};
    int in = FIRST, out = 0;
    op->in[SCALE] = n->scale;
    op->in[SHIFT] = n->shift ? n->shift : n->scale; /* lists end at NULL */
    op->in[MEAN] = n->mean;
    op->in[VAR] = n->var;
    op->need_in = 1u << SCALE;
    for (int s = 0; s < 2; s++) {
        if (!parts[s])
            continue;
        ASSERT(p->error || parts[s]->ld == parts[s]->cols);
        norm->has[s] = true;
        op->need_in |= 1u << in;
        op->in[in++] = parts[s];
        parts[s] =
            s == 0 && !centre_used ? NULL : plan_tensor(p, parts[s]->kind, 0, parts[s]->cols);
        if (parts[s])
            op->out[out++] = parts[s];
    }
    norm->centre_used = centre_used;
    op->grads_out = out;
    while (out < KEPT) /* placeholders: KEPT keeps its index */
        op->out[out++] = plan_tensor(p, ROWS_FIXED, 1, 1);
    op->out[KEPT] = plan_tensor(p, ROWS_FIXED, KEPT_ROWS, n->scale->cols);
    op->need_out = 1u << KEPT;
    op->forward = forward;
    op->backward = backward;
    op->level = level;
    op->block = block;
    op->scratch_bytes = scratch_bytes;
    plan_op_done(p, op);
    *a = parts[0];
    *b = parts[1];
}
