/* See miniature.h. */
#include "miniature.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/model_create.h"
#include "sampling/sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const mini_variants[] = {
    "maps=linear",
    "maps=linear path=direct",
    "maps=bn",
    "maps=bn path=direct",
    "maps=value-relu",
    "maps=bn-relu",
    "maps=score-mlp",
    "maps=value-relu path=direct",
    "maps=bn-relu path=direct",
    "maps=score-mlp path=direct shortcut2=project",
    "heads=geometric",
    "heads=latent maps=bn",
    "heads=pool",
    "heads=pool maps=bn-relu",
    "cross=off",
    "heads=geometric cross=off maps=bn",
    "heads=latent cross=off maps=value-relu",
    "features_per_head=2",
    "features_per_head=4 maps=bn",
    "features_per_head=all maps=score-mlp",
    "shortcut2=identity",
    "underfull=pad",
    "underfull=pad path=direct",
    "underfull=pad maps=bn",
    "underfull=pad maps=bn-relu",
    "underfull=pad heads=pool",
    "neighbours=knn k=5 label_smoothing=0",
    "neighbours=first radius=0.1",
    "task=classify inputs=xyz",
    "task=classify inputs=xyz cls_norm=bn maps=bn",
    "task=classify inputs=xyz maps=value-relu",
    "maps.inner=bn",
    "maps.value=bn",
    "maps.score=bn",
    "maps.inner=bn maps.value=bn-relu",
    "maps.score=bn-relu",
    "maps=bn maps.score=mlp",
    "maps=bn maps.score=bn-relu heads=latent features_per_head=2",
    "maps=value-relu maps.score=bn",
    "maps=value-relu maps.score=bn-relu",
    "maps=value-relu maps.score=mlp",
    "maps=bn-relu maps.value=linear",
    "maps=bn-relu maps.value=bn maps.score=bn",
    "maps=bn-relu maps.score=bn-relu heads=geometric",
    "maps=bn-relu maps.score=mlp",
    "maps=bn-relu maps.value=linear maps.score=mlp",
    "maps=bn k=8,8,6,4 k2=5",
    "k2=3 underfull=pad maps=bn",
    "heads=mean",
    "heads=mean maps=bn",
    "heads=mean maps=bn-relu",
    "heads=mean maps=value-relu",
    "heads=none",
    "heads=none neighbours=nearest",
    "heads=none task=classify inputs=xyz",
    "heads=mean path=direct",
    "heads=none path=direct",
    "maps=bn-relu maps.value=bn maps.score=mlp path=direct",
    NULL,
};

static void must(int code)
{
    if (code < 0) {
        fprintf(stderr, "miniature: %s\n", glt_error_message());
        abort();
    }
}

static void settings_apply(struct config *c, const char *settings)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *rest, *pair = strtok_r(copy, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
        must(config_set_pair(c, pair));
}

static void fill_batch(struct miniature *m, uint64_t seed)
{
    struct pyramid parts[MINI_CLOUDS];
    const struct pyramid *list[MINI_CLOUDS];
    struct pyramid_options o = sampler_pyramid(&m->config.network, m->config.task, m->config.seed);
    size_t bytes;
    must(pyramid_bytes(&bytes, &o, MINI_POINTS));
    must(arena_init(&m->arena, MINI_CLOUDS * 2 * bytes + (1 << 20)));
    int channels = m->model->channels;
    int32_t n = MINI_CLOUDS * MINI_POINTS;
    m->batch.features = memory_alloc((size_t)(n * channels), sizeof *m->batch.features);
    for (int b = 0; b < MINI_CLOUDS; b++) {
        float xyz[MINI_POINTS * 3];
        struct random r = random_start(random_stream(seed, 0, (uint32_t)b, RANDOM_TEST), 0);
        for (int i = 0; i < MINI_POINTS * 3; i++)
            xyz[i] = (float)random_uniform(&r);
        o.sample = (uint32_t)b;
        must(pyramid_build(&parts[b], &m->arena, &o, xyz, MINI_POINTS));
        list[b] = &parts[b];
        for (int i = 0; i < MINI_POINTS; i++)
            for (int k = 0; k < channels; k++)
                m->batch.features[(b * MINI_POINTS + i) * channels + k] =
                    k < 3 ? parts[b].xyz[3 * i + k] : (float)random_uniform(&r);
    }
    pyramid_join(&m->batch.pyramid, &m->arena, list, MINI_CLOUDS);
    struct random r = random_start(random_stream(seed, 0, 99, RANDOM_TEST), 0);
    for (int l = 0; l <= 4; l++) {
        m->batch.labels[l] = memory_alloc((size_t)n, sizeof(int32_t));
        for (int i = 0; i < n; i++) /* one in six is not labelled */
            m->batch.labels[l][i] = (int32_t)random_below(&r, MINI_CLASSES + 1) - 1;
    }
    if (m->config.task == TASK_CLASSIFY)
        for (int b = 0; b < MINI_CLOUDS; b++)
            m->batch.labels[0][b] = b;
}

/* Changes norms, biases and statistics from their initial values, which could hide wrong
 * gradients. */
static void disturb(struct model *model, uint64_t seed)
{
    for (int32_t i = 0; i < model->count; i++) {
        struct parameter *p = &model->parameters[i];
        struct random r = random_start(random_stream(seed, 1, (uint32_t)i, RANDOM_TEST), 0);
        for (int64_t k = 0; p->vector && k < p->cols; k++)
            model->block[p->offset + k] += (real)(0.3 * random_uniform(&r));
    }
}

void mini_bind(struct miniature *m, bool training)
{
    struct network_options o = {.training = training,
                                .aux = true,
                                .batch = MINI_CLOUDS,
                                .points = MINI_POINTS,
                                .gradient = m->gradient};
    must(network_create(&m->network, m->model, &o, true));
    network_batch(&m->network, &m->batch);
    struct plan_batch *b = &m->network.plan->batch;
    for (int l = 0; l <= 4; l++)
        b->labels[l] = m->batch.labels[l];
    b->dropout = random_stream((uint64_t)m->config.seed, 0, 0, RANDOM_DROPOUT);
    memory_free(m->record);
    m->record = memory_alloc((size_t)m->network.plan->running, sizeof *m->record);
    m->network.plan->record = m->record;
}

void mini_open(struct miniature *m, const char *settings, uint64_t seed, bool training)
{
    *m = (struct miniature){0};
    config_default(&m->config);
    settings_apply(&m->config, "levels=64,32,16,8 width=8 stem=8 k=8 radius=0.25 "
                               "decoder=16,16,12,12,8,8,8,8 head_hidden=8 cls_hidden=16 "
                               "points=96 batch=2");
    settings_apply(&m->config, settings);
    m->config.seed = (int64_t)seed;
    must(model_create(&m->model, &m->config, MINI_CLASSES));
    disturb(m->model, seed);
    m->gradient = memory_alloc((size_t)m->model->size, sizeof(real));
    fill_batch(m, seed);
    mini_bind(m, training);
}

double mini_loss(struct miniature *m)
{
    struct plan *p = m->network.plan;
    double sum = 0;
    plan_forward(p);
    for (int i = 0; i < PLAN_LOSSES; i++)
        sum += p->loss_weight[i] * p->loss[i];
    return sum;
}

void mini_close(struct miniature *m)
{
    network_free(&m->network);
    model_free(m->model);
    memory_free(m->gradient);
    memory_free(m->record);
    memory_free(m->batch.features);
    for (int l = 0; l <= 4; l++)
        memory_free(m->batch.labels[l]);
    arena_free(&m->arena);
}
