/* Inference on arrays: a batch of one, the plan, then back to the caller's rows. See engine.h. */
#include "model/engine.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "geometry/pyramid.h"
#include "model/model.h"
#include "nn/plan.h"
#include "sampling/batch.h"

#include <string.h>

struct engine {
    struct model *model;
    struct network network;
    struct sampler sampler;
    struct batch batch;
    int32_t points; /* capacity */
    enum engine_keep keep;
    struct engine_times times;
};

static void release(struct engine *e)
{
    network_free(&e->network);
    sampler_free(&e->sampler);
    e->points = 0;
}

static struct pyramid_options pyramid_of(const struct model *m)
{
    return sampler_pyramid(&m->config.network, m->config.task, m->config.seed);
}

static struct network_options network_of(enum engine_keep keep, int32_t points)
{
    bool trace = keep == ENGINE_TRACE, outputs = keep == ENGINE_OUTPUTS;
    return (struct network_options){.aux = trace || outputs,
                                    .trace = trace,
                                    .features = outputs,
                                    .observe = keep == ENGINE_ATTENTION,
                                    .batch = 1,
                                    .points = points};
}

int engine_measure(size_t *bytes, struct model *m, int32_t points, enum engine_keep keep)
{
    struct pyramid_options y = pyramid_of(m);
    struct network_options o = network_of(keep, points);
    struct network n;
    TRY(sampler_bytes(bytes, &y, m->channels, 1, points));
    TRY(network_create(&n, m, &o, false));
    *bytes += n.plan->bytes;
    network_free(&n);
    return 0;
}

static int reserve(struct engine *e, int32_t points)
{
    if (points <= e->points)
        return 0;
    release(e);
    struct network_options o = network_of(e->keep, points);
    TRY(sampler_reserve(&e->sampler, 1, points));
    int code = network_create(&e->network, e->model, &o, true);
    if (code < 0)
        release(e);
    else
        e->points = points;
    return code;
}

int engine_create(struct engine **out, struct model *m, int32_t points, enum engine_keep keep)
{
    struct engine *e = memory_alloc(1, sizeof *e);
    if (!e)
        return GLT_ENOMEM;
    e->model = m;
    e->keep = keep;
    e->sampler.pyramid = pyramid_of(m);
    e->sampler.channels = m->channels;
    int code = reserve(e, points > 0 ? points : 1);
    if (code < 0)
        engine_free(e);
    else
        *out = e;
    return code;
}

void engine_free(struct engine *e)
{
    if (!e)
        return;
    release(e);
    memory_free(e);
}

static void give_logits(const struct engine *e, float *logits)
{
    const struct tensor *t = e->network.main;
    int64_t classes = e->model->classes.n;
    if (e->model->config.task == TASK_CLASSIFY) {
        for (int64_t c = 0; c < classes; c++)
            logits[c] = (float)t->x[c];
        return;
    }
    for (int64_t i = 0; i < e->batch.pyramid.n[0]; i++)
        for (int64_t c = 0; c < classes; c++)
            logits[e->batch.row[i] * classes + c] = (float)t->x[i * classes + c];
}

/* The name of the tensor in a trace. */
static const char *feature_name(const struct model *m)
{
    return m->config.task == TASK_CLASSIFY ? "pooled" : "dec1/out";
}

int32_t engine_feature_channels(const struct model *m)
{
    const struct network_settings *n = &m->config.network;
    return m->config.task == TASK_CLASSIFY ? n->width[CONFIG_LEVELS - 1]
                                           : n->decoder[CONFIG_DECODER - 1];
}

void engine_features(const struct engine *e, float *features)
{
    const struct plan *p = e->network.plan;
    const struct tensor *x = NULL;
    int64_t cols = engine_feature_channels(e->model);
    bool whole = e->model->config.task == TASK_CLASSIFY;
    for (int i = 0; i < p->tensors_count; i++)
        if (!strcmp(p->tensors[i]->name, feature_name(e->model)))
            x = p->tensors[i];
    ASSERT(x && x->cols == cols);
    for (int64_t i = 0; i < (whole ? 1 : e->batch.pyramid.n[0]); i++)
        for (int64_t c = 0; c < cols; c++)
            features[(whole ? 0 : e->batch.row[i]) * cols + c] = (float)x->x[i * x->ld + c];
}

int32_t engine_auxiliary(const struct engine *e, int which, float *logits, int32_t *rows)
{
    const struct tensor *t = e->network.aux[which - 1];
    int64_t classes = e->model->classes.n;
    int32_t n = t ? e->batch.pyramid.n[PYRAMID_LEVELS + 1 - which] : 0; /* 1 is the coarsest */
    for (int64_t i = 0; i < n; i++) {
        rows[i] = e->batch.row[i]; /* a level is a prefix of the previous one */
        for (int64_t c = 0; c < classes; c++)
            logits[i * classes + c] = (float)t->x[i * t->ld + c];
    }
    return n;
}

int engine_run(struct engine *e, float *logits, const struct sampler_cloud *c)
{
    int32_t more = e->model->channels - 3;
    if (c->n < 1)
        return error_topic(
            error_set(GLT_EARGUMENT, "a cloud of %d points: give at least one", c->n),
            GLT_TOPIC_ARGUMENT, "n");
    if (more && !c->features)
        return error_topic(error_set(GLT_EMODEL,
                                     "the model wants inputs = %s: %d channels besides xyz",
                                     e->model->config.data.inputs, more),
                           GLT_TOPIC_INPUTS, "inputs");
    TRY(reserve(e, c->n));
    double began = clock_seconds();
    sampler_begin(&e->sampler);
    TRY(sampler_add(&e->sampler, c));
    TRY(sampler_join(&e->batch, &e->sampler, NULL));
    double placed = clock_seconds();
    network_batch(&e->network, &e->batch);
    plan_forward(e->network.plan);
    e->times.geometry += placed - began;
    e->times.network += clock_seconds() - placed;
    if (logits)
        give_logits(e, logits);
    return 0;
}

const struct network *engine_network(const struct engine *e)
{
    return &e->network;
}

struct engine_times engine_times(const struct engine *e)
{
    return e->times;
}

int64_t engine_macs(const struct engine *e)
{
    return plan_macs(engine_network(e)->plan, false);
}

const struct batch *engine_batch(const struct engine *e)
{
    return &e->batch;
}
