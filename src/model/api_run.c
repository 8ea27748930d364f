/* Inference on arrays: predictors, and temporary ones for a single call. */
#include "cloud/classes.h"
#include "config/options.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/model.h"
#include "model/points.h"
#include "model/softmax.h"
#include "model/trace.h"
#include "sampling/sampler.h"

#include <math.h>

struct glt_predictor {
    struct model *model;
    struct engine *engine;
    int64_t capacity; /* points */
    float *xyz;       /* (capacity, 3) */
    float *logits;    /* (capacity or 1, classes) */
};

static int reserve(struct glt_predictor *e, int64_t points)
{
    if (points <= e->capacity)
        return 0;
    int64_t rows = e->model->config.task == TASK_CLASSIFY ? 1 : points;
    float *xyz = memory_alloc((size_t)points, 3 * sizeof *xyz);
    float *logits = memory_alloc((size_t)rows, (size_t)e->model->classes.n * sizeof *logits);
    if (!xyz || !logits) {
        memory_free(xyz);
        memory_free(logits);
        return GLT_ENOMEM;
    }
    memory_free(e->xyz);
    memory_free(e->logits);
    e->xyz = xyz;
    e->logits = logits;
    e->capacity = points;
    return 0;
}

static int create(struct glt_predictor **out, const struct glt_model *m, int64_t points,
                  enum engine_keep keep)
{
    if (points < 1 || points > INT32_MAX / 8)
        return error_topic(
            error_set(GLT_EARGUMENT, "%lld points: give 1 to %d", (long long)points, INT32_MAX / 8),
            GLT_TOPIC_ARGUMENT, "points");
    struct glt_predictor *e = memory_alloc(1, sizeof *e);
    if (!e)
        return GLT_ENOMEM;
    e->model = (struct model *)m; /* the engine only reads it */
    int code = reserve(e, points);
    if (code == 0)
        code = engine_create(&e->engine, e->model, (int32_t)points, keep);
    if (code < 0)
        glt_predictor_free(e);
    else
        *out = e;
    return code;
}

int glt_predictor_create(struct glt_predictor **out, const struct glt_model *m, int64_t points)
{
    REQUIRE(out, m);
    return create(out, m, points, ENGINE_LOGITS);
}

void glt_predictor_free(struct glt_predictor *e)
{
    if (!e)
        return;
    engine_free(e->engine);
    memory_free(e->xyz);
    memory_free(e->logits);
    memory_free(e);
}

/* Ties go to the lower class. */
static int32_t largest(const float *logits, int32_t first, int32_t count)
{
    int32_t best = first;
    for (int32_t c = first; c < first + count; c++)
        best = logits[c] > logits[best] ? c : best;
    return best;
}

static int run_network(struct glt_predictor *e, const struct glt_points *p)
{
    TRY(points_check(e->model, p, false));
    TRY(reserve(e, p->n));
    TRY(points_local(e->xyz, e->model, p));
    struct sampler_cloud c = {.n = (int32_t)p->n,
                              .xyz = e->xyz,
                              .features = p->channels ? p->features : NULL,
                              .sphere = points_sphere(e->model, p),
                              .key = {.seed = (uint64_t)e->model->config.seed}};
    return engine_run(e->engine, e->logits, &c);
}

int glt_predictor_run(struct glt_predictor *e, const struct glt_points *p, int32_t *labels,
                      float *probabilities)
{
    REQUIRE(e, p);
    int32_t first, count, classes = e->model->classes.n;
    TRY(error_size("glt_points", p->size, sizeof *p));
    TRY(points_classes(&first, &count, e->model, p));
    TRY(run_network(e, p));
    int64_t rows = e->model->config.task == TASK_CLASSIFY ? 1 : p->n;
    TRY(softmax_check(e->logits, rows, classes, first, count)); /* before any output is written */
    for (int64_t i = 0; labels && i < rows; i++)
        labels[i] = largest(e->logits + i * classes, first, count);
    return probabilities ? softmax(probabilities, e->logits, rows, classes, first, count) : 0;
}

int glt_model_predict(const struct glt_model *m, const struct glt_points *p, int32_t *labels,
                      float *probabilities)
{
    REQUIRE(m, p);
    struct glt_predictor *e = NULL;
    TRY(points_check((const struct model *)m, p, false));
    TRY(create(&e, m, p->n, ENGINE_LOGITS));
    int code = glt_predictor_run(e, p, labels, probabilities);
    glt_predictor_free(e);
    return code;
}

int glt_model_feature_channels(const struct glt_model *m)
{
    REQUIRE(m);
    return engine_feature_channels((const struct model *)m);
}

int glt_model_features(const struct glt_model *m, const struct glt_points *p, float *features)
{
    REQUIRE(m, p, features);
    struct glt_predictor *e = NULL;
    TRY(points_check((const struct model *)m, p, false));
    TRY(create(&e, m, p->n, ENGINE_TRACE));
    int code = run_network(e, p);
    if (code == 0)
        engine_features(e->engine, features);
    glt_predictor_free(e);
    return code;
}

int glt_model_explain(const struct glt_model *m, const struct glt_points *p, const char *path)
{
    REQUIRE(m, p, path);
    struct glt_predictor *e = NULL;
    TRY(points_check((const struct model *)m, p, false));
    TRY(create(&e, m, p->n, ENGINE_TRACE));
    struct trace_input in = {0};
    if (e->model->config.task != TASK_CLASSIFY)
        in.labels = p->labels;
    int code = run_network(e, p);
    if (code == 0)
        code = trace_write(e->engine, e->model, &in, path);
    glt_predictor_free(e);
    return code;
}
