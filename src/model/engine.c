/* Inference on arrays: canonical order, pyramid, plan, and back. See engine.h. */
#include "model/engine.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "geometry/order.h"

#include <math.h>
#include <string.h>

struct engine {
    struct model *model;
    struct network network;
    struct pyramid_options options;
    struct pyramid pyramid;
    struct arena arena;
    int32_t points; /* capacity */
    bool trace;
    int32_t *rows;         /* (points) original row of each network row */
    float *xyz, *features; /* (points, 3), (points, channels): sorted, then network rows */
};

static void release(struct engine *e)
{
    network_free(&e->network);
    arena_free(&e->arena);
    memory_free(e->rows);
    memory_free(e->xyz);
    memory_free(e->features);
    e->rows = NULL;
    e->xyz = e->features = NULL;
    e->points = 0;
}

static int geometry_bytes(size_t *bytes, const struct pyramid_options *o, int32_t points)
{
    struct arena order = arena_measuring();
    TRY(pyramid_bytes(bytes, o, points));
    order_measure(&order, points);
    arena_take(&order, (size_t)points, sizeof(int32_t)); /* the order itself, kept all the time */
    *bytes += order.peak + 4096;
    return 0;
}

int engine_measure(size_t *bytes, struct model *m, int32_t points)
{
    struct pyramid_options y = pyramid_options_of(&m->config, m->config.task);
    struct network_options o = {.batch = 1, .points = points};
    struct network n;
    TRY(geometry_bytes(bytes, &y, points));
    TRY(network_create(&n, m, &o, false));
    *bytes += n.plan->bytes + (size_t)points * (16 + 4 * (size_t)m->channels);
    network_free(&n);
    return 0;
}

static int reserve(struct engine *e, int32_t points)
{
    if (points <= e->points)
        return 0;
    release(e);
    struct network_options o = {.aux = e->trace, .trace = e->trace, .batch = 1, .points = points};
    size_t bytes, n = (size_t)points;
    TRY(geometry_bytes(&bytes, &e->options, points));
    if (arena_init(&e->arena, bytes) < 0)
        return GLT_ENOMEM;
    e->rows = memory_alloc(n, sizeof *e->rows);
    e->xyz = memory_alloc(n, 3 * sizeof *e->xyz);
    e->features = memory_alloc(n * (size_t)e->model->channels, sizeof *e->features);
    int code = e->rows && e->xyz && e->features ? network_create(&e->network, e->model, &o, true)
                                                : GLT_ENOMEM;
    if (code < 0)
        release(e);
    else
        e->points = points;
    return code;
}

int engine_create(struct engine **out, struct model *m, int32_t points, bool trace)
{
    struct engine *e = memory_alloc(1, sizeof *e);
    if (!e)
        return GLT_ENOMEM;
    e->model = m;
    e->trace = trace;
    e->options = pyramid_options_of(&m->config, m->config.task);
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

static int check_finite(const float *values, int64_t n, const char *what, int64_t per_row)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return error_set(GLT_EARGUMENT, "row %lld: a %s is not finite",
                             (long long)(i / per_row), what);
    return 0;
}

/* Features of network row i: xyz, then the channels behind it. */
static void fill_features(struct engine *e, const float *features)
{
    int64_t channels = e->model->channels, more = channels - 3;
    for (int64_t i = 0; i < e->pyramid.n[0]; i++) {
        float *row = e->features + i * channels;
        memcpy(row, e->pyramid.xyz + 3 * i, 3 * sizeof *row);
        if (more)
            memcpy(row + 3, features + e->rows[i] * more, (size_t)more * sizeof *row);
    }
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
    for (int64_t i = 0; i < e->pyramid.n[0]; i++)
        for (int64_t c = 0; c < classes; c++)
            logits[e->rows[i] * classes + c] = (float)t->x[i * classes + c];
}

int engine_run(struct engine *e, float *logits, const float *xyz, const float *features, int32_t n,
               uint32_t epoch, uint32_t sample)
{
    int32_t more = e->model->channels - 3;
    if (n < 1)
        return error_set(GLT_EARGUMENT, "a cloud of %d points: give at least one", n);
    if (more && !features)
        return error_set(GLT_EMODEL, "the model wants inputs = %s: %d channels besides xyz",
                         e->model->config.data.inputs, more);
    TRY(check_finite(xyz, (int64_t)n * 3, "coordinate", 3));
    if (more)
        TRY(check_finite(features, (int64_t)n * more, "feature", more));
    TRY(reserve(e, n));
    arena_reset(&e->arena, 0);
    int32_t *order = arena_take(&e->arena, (size_t)n, sizeof *order);
    order_rows(order, &e->arena, xyz, features, n, more);
    for (int32_t i = 0; i < n; i++)
        memcpy(e->xyz + 3 * i, xyz + 3 * (int64_t)order[i], 3 * sizeof *xyz);
    e->options.epoch = epoch;
    e->options.sample = sample;
    TRY(pyramid_build(&e->pyramid, &e->arena, &e->options, e->xyz, n));
    for (int32_t i = 0; i < n; i++)
        e->rows[i] = order[e->pyramid.order[i]];
    fill_features(e, features);
    network_batch(&e->network, &e->pyramid, e->features);
    plan_forward(e->network.plan);
    if (logits)
        give_logits(e, logits);
    return 0;
}

const struct network *engine_network(const struct engine *e)
{
    return &e->network;
}

const struct pyramid *engine_pyramid(const struct engine *e)
{
    return &e->pyramid;
}

const int32_t *engine_rows(const struct engine *e)
{
    return e->rows;
}
