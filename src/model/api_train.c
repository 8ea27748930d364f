/* Training on arrays: the sampler makes a batch of them, the trainer takes one step. All memory is
 * allocated when the trainer is created. */
#include "config/options.h"
#include "config/settings.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/model.h"
#include "model/network.h"
#include "model/points.h"
#include "model/trainer.h"
#include "nn/plan.h"
#include "sampling/batch.h"
#include "sampling/sampler.h"

struct glt_trainer {
    struct model *model;
    struct trainer *trainer;
    struct sampler sampler; /* with the capacity of a batch */
    struct arena slot;      /* of the batch */
    float *xyz;             /* (points, 3) of one cloud */
};

static int reserve(struct glt_trainer *t, int32_t clouds, int32_t points)
{
    const struct config *c = &t->model->config;
    size_t bytes;
    t->sampler.pyramid = sampler_pyramid(&c->network, c->task, c->seed);
    t->sampler.channels = t->model->channels;
    TRY(sampler_reserve(&t->sampler, clouds, points));
    TRY(sampler_batch_bytes(&bytes, &t->sampler.pyramid, t->model->channels, clouds, points));
    TRY(arena_init(&t->slot, bytes));
    t->xyz = memory_alloc((size_t)points, 3 * sizeof *t->xyz);
    return t->xyz ? trainer_create(&t->trainer, t->model, clouds, points) : GLT_ENOMEM;
}

int glt_trainer_create(struct glt_trainer **out, struct glt_model *m, int clouds, int64_t points)
{
    REQUIRE(out, m);
    if (clouds < 1 || points < 1 || points > INT32_MAX / 8 / clouds)
        return error_topic(error_set(GLT_EARGUMENT, "a batch cannot have %d clouds of %lld points",
                                     clouds, (long long)points),
                           GLT_TOPIC_ARGUMENT, "clouds");
    struct glt_trainer *t = memory_alloc(1, sizeof *t);
    if (!t)
        return GLT_ENOMEM;
    t->model = (struct model *)m;
    int code = reserve(t, clouds, (int32_t)points);
    if (code < 0)
        glt_trainer_free(t);
    else
        *out = t;
    return code;
}

void glt_trainer_free(struct glt_trainer *t)
{
    if (!t)
        return;
    trainer_free(t->trainer);
    sampler_free(&t->sampler);
    arena_free(&t->slot);
    memory_free(t->xyz);
    memory_free(t);
}

static int add_cloud(struct glt_trainer *t, int b, const struct glt_points *p, uint32_t step)
{
    TRY(points_check(t->model, p, true));
    if (p->n > t->sampler.points)
        return error_topic(error_set(GLT_ELIMIT, "%lld points: the trainer takes up to %d",
                                     (long long)p->n, t->sampler.points),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    bool classify = t->model->config.task == TASK_CLASSIFY;
    struct sampler_cloud c = {.n = (int32_t)p->n,
                              .xyz = t->xyz,
                              .features = p->features,
                              .labels = classify ? NULL : p->labels,
                              .sphere = points_sphere(t->model, p),
                              .key = {(uint64_t)t->model->config.seed, step, (uint32_t)b},
                              .category = classify ? p->labels[0] : -1};
    TRY(points_classes(&c.class_first, &c.class_count, t->model, p));
    TRY(points_local(t->xyz, t->model, p));
    return sampler_add(&t->sampler, &c);
}

static int make_batch(struct batch *out, struct glt_trainer *t, const struct glt_points *clouds,
                      int n)
{
    uint32_t step = (uint32_t)t->trainer->steps;
    if (n < 1 || n > t->sampler.clouds)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "a batch of %d clouds: the trainer takes 1 to %d", n,
                                     t->sampler.clouds),
                           GLT_TOPIC_ARGUMENT, "clouds");
    TRY(error_size("glt_points", clouds->size, sizeof *clouds));
    sampler_begin(&t->sampler);
    for (int b = 0; b < n; b++) {
        /* a later version of the struct may be larger, so the caller's size is the stride */
        const unsigned char *at = (const unsigned char *)clouds + (size_t)b * clouds->size;
        int code = add_cloud(t, b, (const struct glt_points *)(const void *)at, step);
        if (code < 0)
            return error_prefix(code, "cloud %d: ", b);
    }
    TRY(sampler_join(out, &t->sampler, &t->slot));
    out->number = step;
    return 0;
}

int glt_trainer_step(struct glt_trainer *t, const struct glt_points *clouds, int n, double lr,
                     double *losses)
{
    REQUIRE(t, clouds);
    struct batch batch;
    if (!(lr >= 0 && lr <= 100)) /* the range of the option */
        return error_topic(error_set(GLT_EARGUMENT, "a learning rate of %g: give 0 to 100", lr),
                           GLT_TOPIC_ARGUMENT, "lr");
    TRY(make_batch(&batch, t, clouds, n));
    TRY(trainer_step(t->trainer, &batch, lr > 0 ? lr : t->model->config.training.lr));
    if (losses) {
        losses[0] = t->trainer->loss;
        for (int i = 0; i < PLAN_LOSSES; i++)
            losses[1 + i] = t->trainer->losses[i];
    }
    return 0;
}
