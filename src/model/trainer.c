/* Adam over one flat block: m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
 * w -= lr mh / (sqrt(vh) + eps) with the usual corrections mh, vh. See trainer.h. */
#include "model/trainer.h"

#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "model/model.h"
#include "nn/plan.h"
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
    memory_free(t);
}

const double *trainer_losses(const struct trainer *t)
{
    return t->network.plan->loss;
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
    *bytes = n.plan->bytes + (4 * (size_t)m->size + (size_t)count_statistics(m)) * sizeof(real);
    network_free(&n);
    return 0;
}

/* Forward and backward alone: the gradient stands in t->gradient. */
static void compute_gradient(struct trainer *t, const struct batch *b)
{
    struct plan *p = t->network.plan;
    const struct config *c = &t->model->config;
    bool classify = c->task == TASK_CLASSIFY;
    bool own = c->task == TASK_PARTS && c->training.part_loss == PART_LOSS_CATEGORY;
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
    t->loss = 0;
    for (int i = 0; i < (classify ? 1 : PLAN_LOSSES); i++)
        t->loss += p->loss_weight[i] * p->loss[i];
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
            if (!isfinite((float)x[i])) /* what a file holds */
                return false;
    }
    return true;
}

static int check_step(struct trainer *t)
{
    if (!isfinite(t->loss) || !isfinite(t->norm))
        return error_topic(
            error_set(GLT_ENUMERIC,
                      "the loss (%g) or its gradient (%g) is not finite; try a smaller lr or "
                      "clip=1",
                      t->loss, t->norm),
            GLT_TOPIC_VALUE, "loss");
    if (!statistics_finite(t))
        return error_topic(error_set(GLT_ENUMERIC,
                                     "a running statistic is not finite; look for coordinates or "
                                     "features beyond 1e18"),
                           GLT_TOPIC_VALUE, "statistic");
    return 0;
}

int trainer_step(struct trainer *t, const struct batch *b, double lr)
{
    const struct config *c = &t->model->config;
    copy_statistics(t, KEEP);
    compute_gradient(t, b);
    t->norm = gradient_norm(t);
    int code = check_step(t);
    if (code < 0) {
        copy_statistics(t, RESTORE);
        return code;
    }
    t->steps++;
    double steps = (double)t->steps;
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
    return 0;
}
