/* Training on arrays: each cloud in canonical order, its pyramid, labels per level, one step.
 * Memory is taken when the trainer is made, but for the little that placing a shape needs. */
#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "geometry/order.h"
#include "model/place.h"
#include "model/trainer.h"

#include <string.h>

struct glt_trainer {
    struct model *model;
    struct trainer *trainer;
    int clouds;     /* of a batch at the most */
    int32_t points; /* of a cloud at the most */
    struct arena arena;
    struct pyramid *parts;       /* (clouds) */
    const struct pyramid **list; /* (clouds) */
    int32_t **order;             /* (clouds) canonical order of each */
    float *raw, *xyz;            /* (points, 3): of one cloud, as placed and as sorted */
    float *features;             /* (clouds * points, channels) in network rows */
    int32_t *labels[5];          /* (clouds * points), of the coarser levels fewer */
    int32_t *first, *count;      /* (clouds) classes allowed */
};

static int take(struct glt_trainer *t)
{
    size_t bytes, clouds = (size_t)t->clouds, n = (size_t)t->points;
    struct pyramid_options o = pyramid_options_of(&t->model->config, t->model->config.task);
    struct arena order = arena_measuring();
    TRY(pyramid_bytes(&bytes, &o, t->points));
    order_measure(&order, t->points);
    /* as they are, once more joined, and the canonical orders */
    TRY(arena_init(&t->arena,
                   clouds * (2 * bytes + n * sizeof(int32_t) + 128) + order.peak + 4096));
    t->parts = memory_alloc(clouds, sizeof *t->parts);
    t->list = memory_alloc(clouds, sizeof *t->list);
    t->order = memory_alloc(clouds, sizeof *t->order);
    t->raw = memory_alloc(n, 3 * sizeof *t->raw);
    t->xyz = memory_alloc(n, 3 * sizeof *t->xyz);
    t->features = memory_alloc(clouds * n, (size_t)t->model->channels * sizeof *t->features);
    t->first = memory_alloc(clouds, sizeof *t->first);
    t->count = memory_alloc(clouds, sizeof *t->count);
    bool all =
        t->parts && t->list && t->order && t->raw && t->xyz && t->features && t->first && t->count;
    for (int l = 0; l <= PYRAMID_LEVELS; l++) {
        t->labels[l] = memory_alloc(clouds * n, sizeof *t->labels[l]);
        all &= t->labels[l] != NULL;
    }
    return all ? trainer_create(&t->trainer, t->model, t->clouds, t->points) : GLT_ENOMEM;
}

int glt_trainer_create(struct glt_trainer **out, struct glt_model *m, int clouds, int64_t points)
{
    GIVEN(out, m);
    if (clouds < 1 || points < 1 || points > INT32_MAX / 8 / clouds)
        return error_set(GLT_EARGUMENT, "a batch of %d clouds of %lld points cannot be", clouds,
                         (long long)points);
    struct glt_trainer *t = memory_alloc(1, sizeof *t);
    if (!t)
        return GLT_ENOMEM;
    t->model = (struct model *)m;
    t->clouds = clouds;
    t->points = (int32_t)points;
    int code = take(t);
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
    arena_free(&t->arena);
    memory_free(t->parts);
    memory_free(t->list);
    memory_free(t->order);
    memory_free(t->raw);
    memory_free(t->xyz);
    memory_free(t->features);
    memory_free(t->first);
    memory_free(t->count);
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        memory_free(t->labels[l]);
    memory_free(t);
}

static int build_part(struct glt_trainer *t, int b, const struct glt_points *p, uint32_t step)
{
    struct pyramid_options o = pyramid_options_of(&t->model->config, t->model->config.task);
    int32_t n = (int32_t)p->n;
    TRY(place_points(t->raw, t->model, p));
    t->order[b] = arena_take(&t->arena, (size_t)n, sizeof **t->order);
    order_rows(t->order[b], &t->arena, t->raw, p->features, n, p->channels);
    for (int64_t i = 0; i < n; i++)
        memcpy(t->xyz + 3 * i, t->raw + 3 * (int64_t)t->order[b][i], 3 * sizeof *t->xyz);
    o.epoch = step;
    o.sample = (uint32_t)b;
    t->list[b] = &t->parts[b];
    return pyramid_build(&t->parts[b], &t->arena, &o, t->xyz, n);
}

/* Network rows of cloud b: features, and labels of the levels it reaches. */
static void fill(struct glt_trainer *t, int b, const struct glt_points *p,
                 const struct pyramid *joined)
{
    const struct pyramid *part = &t->parts[b];
    int64_t channels = t->model->channels, more = p->channels;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t from = t->order[b][part->order[i]], to = joined->first[0][b] + i;
        float *row = t->features + to * channels;
        memcpy(row, part->xyz + 3 * i, 3 * sizeof *row);
        if (more)
            memcpy(row + 3, p->features + from * more, (size_t)more * sizeof *row);
        for (int l = 0; l <= PYRAMID_LEVELS && t->model->config.task != TASK_CLASSIFY; l++)
            if (i < part->n[l])
                t->labels[l][joined->first[l][b] + i] = p->labels[from];
    }
    if (t->model->config.task == TASK_CLASSIFY)
        t->labels[0][b] = p->labels[0];
}

static int check_batch(struct glt_trainer *t, const struct glt_points *clouds, int n)
{
    if (n < 1 || n > t->clouds)
        return error_set(GLT_EARGUMENT, "a batch of %d clouds: the trainer takes 1 to %d", n,
                         t->clouds);
    for (int b = 0; b < n; b++) {
        const struct glt_points *p = &clouds[b];
        int code = place_check(t->model, p, true);
        if (code == 0)
            code = place_classes(&t->first[b], &t->count[b], t->model, p);
        if (code == 0 && p->n > t->points)
            code = error_set(GLT_ELIMIT, "%lld points: the trainer takes up to %d", (long long)p->n,
                             t->points);
        for (int64_t i = 0; i < p->n * p->channels && code == 0; i++)
            if (!(p->features[i] - p->features[i] == 0)) /* NaN or infinite */
                code = error_set(GLT_EARGUMENT, "row %lld: a feature is not finite",
                                 (long long)(i / p->channels));
        if (code < 0)
            return error_prefix(code, "cloud %d: ", b);
    }
    return 0;
}

int glt_trainer_step(struct glt_trainer *t, const struct glt_points *clouds, int n, double lr,
                     double *losses)
{
    GIVEN(t, clouds);
    struct pyramid joined;
    uint32_t step = (uint32_t)t->trainer->steps;
    if (!(lr >= 0 && lr <= 100)) /* as the option's */
        return error_set(GLT_EARGUMENT, "a learning rate of %g: give 0 to 100", lr);
    TRY(check_batch(t, clouds, n));
    arena_reset(&t->arena, 0);
    for (int b = 0; b < n; b++)
        TRY(build_part(t, b, &clouds[b], step));
    pyramid_join(&joined, &t->arena, t->list, n);
    for (int b = 0; b < n; b++)
        fill(t, b, &clouds[b], &joined);
    struct train_batch batch = {.pyramid = &joined, .features = t->features, .step = step};
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        batch.labels[l] = t->labels[l];
    if (t->model->config.task == TASK_PARTS) {
        batch.class_first = t->first;
        batch.class_count = t->count;
    }
    TRY(trainer_step(t->trainer, &batch, lr > 0 ? lr : t->model->config.training.lr));
    if (losses) {
        losses[0] = t->trainer->loss;
        for (int i = 0; i < PLAN_LOSSES; i++)
            losses[1 + i] = t->trainer->network.plan->loss[i];
    }
    return 0;
}
