/* Attention where scores and values belong to the source alone (docs/network.md, "The
 * collapse"): with e_j = exp(a_j - m), m the channel's maximum over the cloud's candidates,
 *
 *     Z_i = sum_j e_j    Y_i = sum_j e_j u_j / Z_i    over the neighbours j of centre i,
 *     S_j = sum_i dy_i / Z_i    T_j = sum_i dy_i Y_i / Z_i    over the centres i that list j,
 *     du_j = e_j S_j     da_j = e_j (u_j S_j - T_j), summed over the channels that share a score.
 *
 * u is centred on its channel mean first (exact: the weights sum to one), so that large
 * coordinates cost no digits. e_j is stored 2^80 times as large, which cancels: floats have more
 * range above one than is needed, so differences of 124 between the scores of a cloud still fit.
 * Guard: where Z_i < 2^-100 even so, the centre's own maximum is used (sharp attention to
 * positions does that to whole channels); such a (centre, score) is left out of S and T and its
 * edges are added one by one. */
#include "core/arena.h"
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "nn/ops.h"
#include "nn/plan.h"

#include <math.h>
#include <string.h>

/* outputs: y (n, c), z (n, s): negative where guarded, e (m, s), top (n, s): the centre's own
 * maximum where guarded, mean (clouds, c): of the values, negated, u (m, c): the values centred */
enum { VALUES, SCORES };
enum { Y, Z, E, TOP, MEAN, U };
enum { HANDFUL = 64 };
static const double GUARD = 0x1p-100, HEADROOM = 55.451774444795625; /* 80 ln 2 */

/* Rows of one cloud, cut at its ends: chunk k of a walk over all clouds. */
struct span {
    int64_t cloud, begin, end;
};

struct attend_args {
    struct plan *p;
    struct op *op;
    struct span *spans;
    double *sum;      /* (spans, c) */
    real *max;        /* (spans, s) */
    real *mean;       /* (clouds, c) */
    real *top;        /* (clouds, s) */
    real *q, *r;      /* (n, c) dy / z and dy y / z */
    uint8_t *guarded; /* (n) */
    int64_t c, s, g;
};

static int source_level(const struct op *op)
{
    return op->block == 1 ? op->level - 1 : op->level;
}

static int64_t spans_max(const struct plan *p, int level, int64_t grain)
{
    return p->capacity[ROWS_LEVEL + level] / grain + p->capacity[ROWS_CLOUDS] + 1;
}

static int64_t list_spans(const struct plan *p, struct span *spans, int level, int64_t grain)
{
    int64_t n = 0;
    const int32_t *first = p->batch.first[level];
    for (int64_t b = 0; b < p->batch.clouds; b++)
        for (int64_t row = first[b]; row < first[b + 1]; row += grain)
            spans[n++] =
                (struct span){b, row, row + grain < first[b + 1] ? row + grain : first[b + 1]};
    return n;
}

static void measure_span(void *user, int64_t begin, int64_t end)
{
    struct attend_args *a = user;
    for (int64_t k = begin; k < end; k++) {
        struct span w = a->spans[k];
        double *sum = a->sum + k * a->c;
        real *max = a->max + k * a->s;
        memset(sum, 0, (size_t)a->c * sizeof *sum);
        for (int64_t j = 0; j < a->s; j++)
            max[j] = -(real)INFINITY;
        kernels()->column_sums(sum, a->op->in[VALUES]->x + w.begin * a->c, w.end - w.begin, a->c);
        kernels()->column_max(max, a->op->in[SCORES]->x + w.begin * a->s, w.end - w.begin, a->s);
    }
}

/* Mean of the values (negated: it is added) and maximum of the scores, per cloud. */
static void combine(const struct attend_args *a, int64_t spans)
{
    const int32_t *first = a->p->batch.first[source_level(a->op)];
    for (int64_t k = 0; k < spans; k++) {
        int64_t b = a->spans[k].cloud;
        bool opens = k == 0 || a->spans[k - 1].cloud != b;
        real *top = a->top + b * a->s;
        for (int64_t j = 0; j < a->s; j++)
            if (opens || a->max[k * a->s + j] > top[j])
                top[j] = a->max[k * a->s + j];
        if (!opens)
            continue;
        double rows = first[b + 1] - first[b];
        for (int64_t j = 0; j < a->c; j++) {
            double sum = 0;
            for (int64_t m = k; m < spans && a->spans[m].cloud == b; m++)
                sum += a->sum[m * a->c + j];
            a->mean[b * a->c + j] = (real)(-sum / rows);
        }
    }
}

static void centre_span(void *user, int64_t begin, int64_t end)
{
    struct attend_args *a = user;
    for (int64_t k = begin; k < end; k++) {
        struct span w = a->spans[k];
        int64_t n = w.end - w.begin;
        kernels()->affine(a->op->out[U]->x + w.begin * a->c, a->op->in[VALUES]->x + w.begin * a->c,
                          NULL, a->mean + w.cloud * a->c, n, a->c, 0);
        kernels()->exp_shift(a->op->out[E]->x + w.begin * a->s,
                             a->op->in[SCORES]->x + w.begin * a->s, a->top + w.cloud * a->s, n,
                             a->s);
    }
}

static void attend_span(void *user, int64_t begin, int64_t end)
{
    struct attend_args *a = user;
    const struct edge_list *l = op_edges(a->p, a->op);
    real *y = a->op->out[Y]->x, *z = a->op->out[Z]->x, *top = a->op->out[TOP]->x;
    for (int64_t k = begin; k < end; k++) {
        struct span w = a->spans[k];
        kernels()->attend(y, z, a->op->out[E]->x, a->op->out[U]->x, l->start, l->index, w.begin,
                          w.end, a->c, a->g);
        for (int64_t i = w.begin; i < w.end; i++)
            if (l->start[i + 1] > l->start[i])
                kernels()->attend_local(y + i * a->c, z + i * a->s, top + i * a->s,
                                        a->op->in[SCORES]->x, a->op->out[U]->x,
                                        l->index + l->start[i], l->start[i + 1] - l->start[i],
                                        (real)GUARD, a->c, a->g);
        real *rows = y + w.begin * a->c;
        const real *mean = a->mean + w.cloud * a->c; /* negated above */
        for (int64_t i = 0; i < w.end - w.begin; i++)
            kernels()->axpy(rows + i * a->c, -1, mean, a->c);
    }
}

static int64_t score_grain(const struct op *op)
{
    return plan_grain(op->in[VALUES]->cols);
}

static struct attend_args start(struct plan *p, struct op *op)
{
    int64_t c = op->in[VALUES]->cols, s = op->in[SCORES]->cols;
    return (struct attend_args){
        .p = p, .op = op, .c = c, .s = s, .g = c / s, .mean = op->out[MEAN]->x};
}

static void take_forward(struct attend_args *a, struct arena *scratch)
{
    int64_t clouds = a->p->capacity[ROWS_CLOUDS];
    size_t max = (size_t)spans_max(a->p, source_level(a->op), score_grain(a->op));
    a->spans = arena_take(scratch, max, sizeof *a->spans);
    a->sum = arena_take(scratch, max * (size_t)a->c, sizeof *a->sum);
    a->max = arena_take(scratch, max * (size_t)a->s, sizeof *a->max);
    a->top = arena_take(scratch, (size_t)(clouds * a->s), sizeof *a->top);
}

static void forward(struct plan *p, struct op *op)
{
    struct attend_args a = start(p, op);
    int64_t grain = score_grain(op);
    struct arena scratch = plan_scratch(op);
    take_forward(&a, &scratch);
    int64_t spans = list_spans(p, a.spans, source_level(op), grain);
    parallel_for(spans, 1, measure_span, &a);
    combine(&a, spans);
    for (int64_t k = 0; k < p->batch.clouds * a.s; k++)
        a.top[k] -= (real)HEADROOM;
    parallel_for(spans, 1, centre_span, &a);
    spans = list_spans(p, a.spans, op->level, grain);
    parallel_for(spans, 1, attend_span, &a);
}

/* q = dy / z, r = q y with y centred again, for one centre; zero where guarded. Returns whether
 * any was */
static bool prepare_row(const struct attend_args *a, int64_t i, const real *mean)
{
    const real *restrict y = a->op->out[Y]->x + i * a->c, *restrict dy =
                                                              a->op->out[Y]->dx + i * a->c;
    const real *restrict z = a->op->out[Z]->x + i * a->s;
    real *restrict q = a->q + i * a->c, *restrict r = a->r + i * a->c;
    int bad = 0;
    for (int64_t s = 0; s < a->s; s++)
        bad |= z[s] < (real)GUARD;
    if (a->g == 1 && !bad) { /* nearly always: a loop that compilers vectorise */
        for (int64_t f = 0; f < a->c; f++) {
            q[f] = dy[f] / z[f];
            r[f] = q[f] * (y[f] + mean[f]);
        }
        return false;
    }
    for (int64_t f = 0; f < a->c; f++) {
        real total = z[f / a->g];
        q[f] = total < (real)GUARD ? 0 : dy[f] / total;
        r[f] = q[f] * (y[f] + mean[f]);
    }
    return bad;
}

static void prepare_span(void *user, int64_t begin, int64_t end)
{
    struct attend_args *a = user;
    for (int64_t k = begin; k < end; k++) {
        struct span w = a->spans[k];
        for (int64_t i = w.begin; i < w.end; i++)
            a->guarded[i] = prepare_row(a, i, a->mean + w.cloud * a->c);
    }
}

/* Adds the edges of guarded centres to source j, a handful at a time. */
static void add_guarded(const struct attend_args *a, int64_t j, real *du, real *da)
{
    const struct edge_list *l = op_edges(a->p, a->op);
    const struct tensor *y = a->op->out[Y];
    const int32_t *first = a->p->batch.first[source_level(a->op)];
    int32_t list[HANDFUL];
    int64_t n = 0, cloud = 0;
    for (int32_t k = l->tstart[j]; k < l->tstart[j + 1]; k++) {
        if (a->guarded[l->tindex[k]])
            list[n++] = l->tindex[k];
        if (n == 0 || (n < HANDFUL && k + 1 < l->tstart[j + 1]))
            continue;
        while (first[cloud + 1] <= j)
            cloud++;
        kernels()->attend_local_back(du, da, a->op->in[SCORES]->x + j * a->s,
                                     a->op->out[U]->x + j * a->c, y->x, a->mean + cloud * a->c,
                                     y->dx, a->op->out[Z]->x, a->op->out[TOP]->x, list, n, a->c,
                                     a->g);
        n = 0;
    }
}

static void back_chunk(void *user, int64_t begin, int64_t end)
{
    struct attend_args *a = user;
    const struct edge_list *l = op_edges(a->p, a->op);
    struct tensor *u = a->op->in[VALUES], *scores = a->op->in[SCORES];
    for (int64_t j = begin; j < end; j++) {
        real *du = u->dx + j * a->c, *da = scores->dx + j * a->s;
        if (!op_adds(a->op, VALUES))
            memset(du, 0, (size_t)a->c * sizeof *du);
        if (!op_adds(a->op, SCORES))
            memset(da, 0, (size_t)a->s * sizeof *da);
    }
    kernels()->attend_back(u->dx, scores->dx, a->q, a->r, a->op->out[E]->x, a->op->out[U]->x,
                           l->tstart, l->tindex, begin, end, a->c, a->g);
    for (int64_t j = begin; j < end; j++)
        add_guarded(a, j, u->dx + j * a->c, scores->dx + j * a->s);
}

static void take_backward(struct attend_args *a, struct arena *scratch)
{
    size_t n = (size_t)rows_max(a->p, a->op->out[Y]);
    size_t max = (size_t)spans_max(a->p, a->op->level, score_grain(a->op));
    a->spans = arena_take(scratch, max, sizeof *a->spans);
    a->q = arena_take(scratch, n * (size_t)a->c, sizeof *a->q);
    a->r = arena_take(scratch, n * (size_t)a->c, sizeof *a->r);
    a->guarded = arena_take(scratch, n, 1);
}

static void backward(struct plan *p, struct op *op)
{
    struct attend_args a = start(p, op);
    struct arena scratch = plan_scratch(op);
    take_backward(&a, &scratch);
    int64_t spans = list_spans(p, a.spans, op->level, score_grain(op));
    parallel_for(spans, 1, prepare_span, &a);
    parallel_for(rows_of(p, op->in[VALUES]), plan_grain(a.c) / 4 + 1, back_chunk, &a);
}

static size_t scratch_bytes(const struct plan *p, const struct op *op, bool back)
{
    struct attend_args a = start((struct plan *)p, (struct op *)op);
    struct arena measure = arena_measuring();
    (back ? take_backward : take_forward)(&a, &measure);
    return measure.peak;
}

struct tensor *op_attend(struct plan *p, struct tensor *values, struct tensor *scores, int level,
                         int block)
{
    ASSERT(p->error || (values->ld == values->cols && scores->ld == scores->cols));
    ASSERT(p->error || (scores->cols > 0 && values->cols % scores->cols == 0));
    struct op *op = plan_op(p, "attend", sizeof *op);
    int64_t c = values->cols, s = scores->cols;
    op->forward = forward;
    op->backward = backward;
    op->in[VALUES] = values;
    op->in[SCORES] = scores;
    op->level = level;
    op->block = block;
    op->out[Y] = plan_tensor(p, ROWS_LEVEL + level, 0, c);
    op->out[Z] = plan_tensor(p, ROWS_LEVEL + level, 0, s);
    op->out[E] = plan_tensor(p, values->kind, 0, s);
    op->out[TOP] = plan_tensor(p, ROWS_LEVEL + level, 0, s);
    op->out[MEAN] = plan_tensor(p, ROWS_CLOUDS, 0, c);
    op->out[U] = plan_tensor(p, values->kind, 0, c);
    op->need_in = 1u << SCORES;
    op->need_out = 63;
    op->scratch_bytes = scratch_bytes;
    plan_op_done(p, op);
    return op->out[Y];
}
