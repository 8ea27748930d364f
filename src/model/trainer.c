/* Adam over one flat block: m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
 * w -= lr mh / (sqrt(vh) + eps) with the usual corrections mh, vh. See trainer.h. */
#include "model/trainer.h"

#include "config/options.h"
#include "config/settings.h"
#include "core/context.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "model/model.h"
#include "nn/plan.h"
#include "nn/running.h"
#include "sampling/batch.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1 << 16 };

static int64_t count_statistics(const struct model *m)
{
    int64_t n = 0;
    for (int32_t k = 0; k < m->count; k++)
        n += m->parameters[k].statistic ? m->parameters[k].rows * m->parameters[k].cols : 0;
    return n;
}

/* The numbers after the statistics in a record. */
enum { TOTAL, LOSSES, CLOUDS = LOSSES + PLAN_LOSSES, BESIDE };

int trainer_share(struct trainer *t, int32_t leaves, struct ranks *r)
{
    struct accumulate sums = {0};
    struct exchange others = {0};
    int32_t first, end;
    int64_t record = t->network.plan->running + BESIDE;
    exchange_share(&first, &end, r, leaves);
    double *records = memory_alloc((size_t)(leaves * record), sizeof *records);
    int code =
        records ? accumulate_create(&sums, t->gradient, t->model->size, first, end) : GLT_ENOMEM;
    if (code == 0 && r)
        code = exchange_create(&others, r, t->model->size, leaves);
    if (code < 0) {
        memory_free(records);
        accumulate_free(&sums);
        return code;
    }
    memory_free(t->records);
    accumulate_free(&t->sums);
    exchange_free(&t->others);
    t->records = records;
    t->record = record;
    t->sums = sums;
    t->others = others;
    t->first = first;
    t->end = end;
    return 0;
}

size_t trainer_share_bytes(const struct model *m, int32_t leaves, const struct ranks *r)
{
    size_t statistics = 2 * (size_t)count_statistics(m); /* at most one mark each */
    int32_t first, end;
    exchange_share(&first, &end, r, leaves);
    return (size_t)accumulate_buffers(first, end) * (size_t)m->size * sizeof(real) +
           exchange_bytes(r, m->size) + (size_t)leaves * (statistics + BESIDE) * sizeof(double);
}

int trainer_create(struct trainer **out, struct model *m, int32_t batch, int32_t points)
{
    struct trainer *t = memory_alloc(1, sizeof *t);
    if (!t)
        return GLT_ENOMEM;
    t->model = m;
    t->gradient = memory_alloc((size_t)m->size, sizeof(real));
    t->m = memory_alloc((size_t)m->size, sizeof(real));
    t->v = memory_alloc((size_t)m->size, sizeof(real));
    t->statistics = memory_alloc((size_t)count_statistics(m), sizeof(real));
    struct network_options o = {
        .training = true, .batch = batch, .points = points, .gradient = t->gradient};
    bool taken = t->gradient && t->m && t->v && t->statistics;
    int code = taken ? network_create(&t->network, m, &o, true) : GLT_ENOMEM;
    if (code == 0)
        code = trainer_share(t, 1, NULL);
    if (code < 0)
        trainer_free(t);
    else
        *out = t;
    return code;
}

void trainer_free(struct trainer *t)
{
    if (!t)
        return;
    network_free(&t->network);
    memory_free(t->gradient);
    memory_free(t->m);
    memory_free(t->v);
    memory_free(t->statistics);
    memory_free(t->records);
    accumulate_free(&t->sums);
    exchange_free(&t->others);
    memory_free(t);
}

int64_t trainer_macs(const struct trainer *t)
{
    return plan_macs(t->network.plan, true);
}

int trainer_bytes(size_t *bytes, struct model *m, int32_t batch, int32_t points)
{
    struct network n;
    real none = 0;
    struct network_options o = {
        .training = true, .batch = batch, .points = points, .gradient = &none};
    TRY(network_create(&n, m, &o, false));
    *bytes = n.plan->bytes + (4 * (size_t)m->size + (size_t)count_statistics(m)) * sizeof(real) +
             trainer_share_bytes(m, 1, NULL);
    network_free(&n);
    return 0;
}

/* Whether the loss of a batch is over the parts of each cloud's category only. Loss over all parts
 * in every fourth batch is enough to learn the categories, and costs the parts little. */
static bool own_parts(const struct config *c, const struct batch *b)
{
    int32_t how = c->training.part_loss;
    return c->task == TASK_PARTS &&
           (how == PART_LOSS_CATEGORY || (how == PART_LOSS_MIXED && b->number % 4 != 0));
}

/* Forward and backward only: the gradient is in t->gradient. */
static void compute_gradient(struct trainer *t, const struct batch *b)
{
    struct plan *p = t->network.plan;
    const struct config *c = &t->model->config;
    bool classify = c->task == TASK_CLASSIFY;
    bool own = own_parts(c, b);
    network_batch(&t->network, b);
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        p->batch.labels[l] = classify ? NULL : b->labels[l];
    if (classify)
        p->batch.labels[0] = b->category;
    p->batch.class_first = own ? b->class_first : NULL;
    p->batch.class_count = own ? b->class_count : NULL;
    p->batch.class_weight = t->class_weight;
    p->batch.dropout =
        random_stream((uint64_t)c->seed, b->epoch, (uint32_t)b->number, RANDOM_DROPOUT);
    plan_forward(p);
    plan_backward(p);
}

/* Stores the losses after the statistics in a leaf's record. */
static void record_losses(const struct trainer *t, double *record, const struct batch *b)
{
    const struct plan *p = t->network.plan;
    bool classify = t->model->config.task == TASK_CLASSIFY;
    double *beside = record + p->running;
    beside[TOTAL] = 0;
    for (int i = 0; i < PLAN_LOSSES; i++)
        beside[LOSSES + i] = p->loss[i];
    for (int i = 0; i < (classify ? 1 : PLAN_LOSSES); i++)
        beside[TOTAL] += p->loss_weight[i] * p->loss[i];
    beside[CLOUDS] = b->clouds;
}

struct update {
    struct trainer *t;
    real rate, scale2, beta1, beta2, eps, factor;
    double *squares; /* (chunks) */
};

static void square_chunk(void *user, int64_t begin, int64_t end)
{
    struct update *u = user;
    double sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += (double)u->t->gradient[i] * u->t->gradient[i];
    u->squares[begin / GRAIN] = sum;
}

static void adam_chunk(void *user, int64_t begin, int64_t end)
{
    struct update *u = user;
    struct trainer *t = u->t;
    if (u->factor != 1)
        for (int64_t i = begin; i < end; i++)
            t->gradient[i] *= u->factor;
    kernels()->adam(t->model->block + begin, t->gradient + begin, t->m + begin, t->v + begin,
                    u->beta1, u->beta2, u->rate, u->scale2, u->eps, end - begin);
}

/* Chunk sums in a fixed order, on the stack: executing allocates nothing. */
static double gradient_norm(struct trainer *t)
{
    enum { CHUNKS = 512 };
    double squares[CHUNKS], sum = 0;
    struct update u = {.t = t, .squares = squares};
    int64_t chunks = parallel_chunks(t->model->size, GRAIN);
    if (chunks <= CHUNKS) {
        parallel_for(t->model->size, GRAIN, square_chunk, &u);
        for (int64_t i = 0; i < chunks; i++)
            sum += squares[i];
    } else {
        for (int64_t i = 0; i < t->model->size; i++)
            sum += (double)t->gradient[i] * t->gradient[i];
    }
    return sqrt(sum);
}

enum copy { KEEP, RESTORE };

static void copy_statistics(struct trainer *t, enum copy how)
{
    real *kept = t->statistics;
    for (int32_t k = 0; k < t->model->count; k++) {
        const struct parameter *p = &t->model->parameters[k];
        size_t n = p->statistic ? (size_t)(p->rows * p->cols) : 0;
        real *now = t->model->block + p->offset;
        memcpy(how == KEEP ? kept : now, how == KEEP ? now : kept, n * sizeof *now);
        kept += n;
    }
}

/* A batch whose squares leave the range of float has a finite loss and an infinite variance. */
static bool statistics_finite(const struct trainer *t)
{
    for (int32_t k = 0; k < t->model->count; k++) {
        const struct parameter *p = &t->model->parameters[k];
        const real *x = t->model->block + p->offset;
        for (int64_t i = 0; p->statistic && i < p->rows * p->cols; i++)
            if (!isfinite((float)x[i])) /* as a file stores it */
                return false;
    }
    return true;
}

static int check_losses(const struct trainer *t)
{
    if (!isfinite(t->loss) || !isfinite(t->norm))
        return error_topic(
            error_set(GLT_ENUMERIC,
                      "the loss (%g) or its gradient (%g) is not finite; try a smaller lr or "
                      "clip=1",
                      t->loss, t->norm),
            GLT_TOPIC_VALUE, "loss");
    return 0;
}

static int check_statistics(const struct trainer *t)
{
    if (!statistics_finite(t))
        return error_topic(error_set(GLT_ENUMERIC,
                                     "a running statistic is not finite; look for coordinates or "
                                     "features beyond 1e18"),
                           GLT_TOPIC_VALUE, "statistic");
    return 0;
}

/* Applies the statistics of some leaves, in their order, to those before the step. */
static int apply_records(struct trainer *t, int32_t first, int32_t end)
{
    copy_statistics(t, KEEP);
    for (int32_t i = first; i < end; i++)
        running_apply(t->network.plan, t->records + i * t->record);
    int code = check_statistics(t);
    if (code < 0)
        copy_statistics(t, RESTORE);
    return code;
}

/* Checks a leaf while its batch is known, so that the caller can name the source. */
static int check_leaf(struct trainer *t, int32_t leaf)
{
    t->loss = t->records[leaf * t->record + t->network.plan->running + TOTAL];
    t->norm = gradient_norm(t);
    TRY(check_losses(t));
    TRY(apply_records(t, leaf, leaf + 1));
    copy_statistics(t, RESTORE);
    return 0;
}

/* Called while weights, moments and statistics are still unchanged. */
static int check_cancelled(void)
{
    if (context_cancelled())
        return error_topic(error_set(GLT_EINTERRUPTED, "the step was cancelled"), GLT_TOPIC_STOPPED,
                           "step");
    return 0;
}

int trainer_add(struct trainer *t, const struct batch *b, int32_t leaf)
{
    struct plan *p = t->network.plan;
    if (leaf == t->first)
        accumulate_begin(&t->sums);
    accumulate_keep(&t->sums);
    p->record = t->records + leaf * t->record;
    running_clear(p);
    compute_gradient(t, b);
    TRY(check_cancelled());
    record_losses(t, p->record, b);
    TRY(check_leaf(t, leaf));
    accumulate_add(&t->sums, leaf);
    return 0;
}

/* Mean losses of the step, added in the order of the leaves. */
static void sum_losses(struct trainer *t, int32_t leaves)
{
    double sums[BESIDE] = {0};
    for (int32_t i = 0; i < leaves; i++)
        for (int k = 0; k < BESIDE; k++)
            sums[k] += t->records[i * t->record + t->network.plan->running + k];
    t->loss = sums[TOTAL] / leaves;
    for (int k = 0; k < PLAN_LOSSES; k++)
        t->losses[k] = sums[LOSSES + k] / leaves;
    t->clouds = (int64_t)sums[CLOUDS];
}

static void adam_step(struct trainer *t, double lr)
{
    const struct config *c = &t->model->config;
    double steps = (double)++t->steps;
    t->model->digest[0] = 0; /* it is no longer the file's */
    struct update u = {.t = t,
                       .rate = (real)(lr / (1 - pow(c->training.beta1, steps))),
                       .scale2 = (real)(1 / (1 - pow(c->training.beta2, steps))),
                       .beta1 = (real)c->training.beta1,
                       .beta2 = (real)c->training.beta2,
                       .eps = (real)c->training.eps,
                       .factor = 1};
    if (c->training.clip > 0 && t->norm > c->training.clip)
        u.factor = (real)(c->training.clip / t->norm);
    parallel_for(t->model->size, GRAIN, adam_chunk, &u);
}

/* Computes the mean gradient of all leaves, and collects their records. */
static int join_leaves(struct trainer *t, int32_t leaves)
{
    if (t->others.ranks)
        return exchange_run(&t->others, t->gradient, &t->sums, leaves, t->records, t->record);
    if (leaves > 1) /* a single leaf is its own mean */
        accumulate_fold(t->gradient, t->sums.nodes, t->sums.n, t->model->size, 1.0 / leaves);
    return 0;
}

int trainer_finish(struct trainer *t, int32_t leaves, double lr)
{
    int code = join_leaves(t, leaves);
    accumulate_begin(&t->sums); /* this rank may have no leaf in the next step */
    TRY(code);
    sum_losses(t, leaves);
    if (leaves > 1 || t->others.ranks) /* else it is the norm of the leaf */
        t->norm = gradient_norm(t);
    TRY(check_losses(t));
    TRY(apply_records(t, 0, leaves));
    adam_step(t, lr);
    return 0;
}

int trainer_step(struct trainer *t, const struct batch *b, double lr)
{
    TRY(trainer_add(t, b, 0));
    return trainer_finish(t, 1, lr);
}
