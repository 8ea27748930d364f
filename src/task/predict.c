/* Prediction of clouds: checks before the work, the network, attributes after it. See predict.h. */
#include "task/predict.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "config/inputs.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "datasets/range.h"
#include "model/engine.h"
#include "model/models.h"
#include "sampling/votes.h"
#include "task/inference.h"

#include <string.h>

/* --- memory --- */

static const char *advice(const struct predict_options *o)
{
    return o->wanted.probabilities ? "leave probabilities out"
           : o->overlap            ? "set overlap to 0"
                                   : "cut the cloud (gelatto convert --crop)";
}

/* The largest amount alive at a time, engines aside: while rows are sorted, while tiles run, while
 * the attributes are added. */
static int afford_points(const struct glt_cloud *c, struct model *m,
                         const struct predict_options *o)
{
    int64_t extra = m->channels - 3, stored = predictions_bytes(m->classes.n, &o->wanted);
    int64_t item = 16 + 4 * extra, sorting = 20 + 4 * (extra > 3 ? extra : 3);
    bool points = m->config.task != TASK_CLASSIFY, scene = m->config.task == TASK_SEGMENT;
    int64_t tiling = scene ? 8 + (o->overlap ? 4 * m->classes.n + 4 : 0) : 0;
    int64_t running = points ? item + tiling + stored : item;
    int64_t storing = points ? 2 * stored : 0;
    int64_t maximum = item + sorting > running ? item + sorting : running;
    int64_t bytes = c->n * (maximum > storing ? maximum : storing);
    if (memory_afford(bytes, 0, NULL) == 0)
        return 0;
    int64_t sample = scene && c->n > m->config.sampling.points ? m->config.sampling.points : c->n;
    int64_t tile = c->n < 4 * sample ? c->n : 4 * sample; /* a guess: there are no tiles yet */
    size_t engine;
    TRY(engine_measure(&engine, m, (int32_t)sample));
    return memory_afford(bytes, (int64_t)engine + sample * item + tile * (4 * m->classes.n + 4),
                         advice(o));
}

/* --- inputs --- */

/* The name of an input the cloud lacks; NULL if it has all. */
static const char *missing_input(const struct glt_cloud *c, const struct inputs *inputs)
{
    static const char *const colours[] = {"red", "green", "blue"};
    static const char *const normals[] = {"nx", "ny", "nz"};
    for (int32_t i = 0; i < inputs->n; i++) {
        const struct inputs *x = inputs;
        bool rgb = x->list[i].first == x->rgb, normal = x->list[i].first == x->normals;
        for (int k = 0; k < (rgb || normal ? 3 : 1); k++)
            if (!cloud_attribute(c, rgb ? colours[k] : normal ? normals[k] : x->list[i].name))
                return x->list[i].name;
    }
    return NULL;
}

struct fitting {
    const struct glt_cloud *cloud;
    const char *task;
    char list[512];
};

static int add_fitting(void *user, const struct model_found *found)
{
    struct fitting *f = user;
    struct inputs inputs;
    if (strcmp(found->task, f->task) || inputs_parse(&inputs, found->inputs) < 0 ||
        missing_input(f->cloud, &inputs))
        return 0;
    size_t len = strlen(f->list);
    if (len + strlen(found->name) + 3 < sizeof f->list) {
        strcat(f->list, len ? ", " : "");
        strcat(f->list, found->name);
    }
    return 0;
}

/* A model for colours is no use without them: refuse, and name those that would do. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m)
{
    struct inputs inputs;
    char task[32];
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    const char *missing = missing_input(c, &inputs);
    if (!missing)
        return 0;
    TRY(config_get(&m->config, "task", task, sizeof task));
    struct fitting f = {.cloud = c, .task = task};
    TRY(models_each(add_fitting, &f));
    if (f.list[0])
        return error_set(GLT_EMODEL,
                         "the cloud has no %s, and the model was trained with inputs = %s; "
                         "installed models that need nothing else than the cloud has: %s",
                         missing, m->config.data.inputs, f.list);
    return error_set(GLT_EMODEL,
                     "the cloud has no %s, and the model was trained with inputs = %s; no "
                     "installed model does without: train one (gelatto train DATA --init MODEL "
                     "--set inputs=xyz)",
                     missing, m->config.data.inputs);
}

/* --- what becomes of the results --- */

struct prediction {
    const struct predict_options *options;
    struct model *model;
    struct item item;
    int32_t category; /* given; -1: none */
    struct predictions points;
    float *probabilities; /* (classes) of the whole; may be NULL */
    struct glt_prediction result;
};

static void put_class(struct prediction *p, const float *sum)
{
    p->result.answer = votes_best(sum, p->model->classes.n);
    p->result.confidence = sum[p->result.answer];
    if (p->probabilities)
        memcpy(p->probabilities, sum, (size_t)p->model->classes.n * sizeof *sum);
}

static int put_points(void *user, const struct inference_item *x, const struct inference_result *r)
{
    struct prediction *p = user;
    int64_t classes = p->model->classes.n;
    if (p->model->config.task == TASK_CLASSIFY) {
        put_class(p, r->sum);
        return 0;
    }
    for (int64_t i = 0; i < r->n; i++)
        predictions_put(&p->points, x->cloud->row[r->rows ? r->rows[i] : i], r->sum + i * classes,
                        r->votes ? r->votes[i] : 1);
    return 0;
}

static int finish_item(void *user, const struct inference_item *x)
{
    struct prediction *p = user;
    const struct category *list = p->model->classes.categories;
    p->result.samples = x->samples;
    if (p->model->config.task == TASK_PARTS)
        p->result.answer = p->category >= 0 ? p->category : x->category;
    if (x->rival >= 0)
        log_message(GLT_LOG_WARNING,
                    "%s: taken for a shape of category %s, but %s is not much less likely: better "
                    "say which it is (--category NAME)",
                    p->options->name, list[x->category].name, list[x->rival].name);
    return 0;
}

static const struct inference_sink sink = {.put = put_points, .finish = finish_item};

static int run_network(struct prediction *p)
{
    const struct config *c = &p->model->config;
    struct inference o = {.model = p->model,
                          .sampling = c->sampling,
                          .seed = (uint64_t)c->seed,
                          .tilings = p->options->overlap + 1,
                          .items = item_alone(&p->item),
                          .sink = &sink,
                          .user = p,
                          .activity = "label points",
                          .advice = advice(p->options)};
    double began = clock_seconds();
    TRY(inference_run(&o));
    p->result.seconds = clock_seconds() - began;
    return 0;
}

int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m, const char *name)
{
    struct inputs inputs;
    bool scene = m->config.task == TASK_SEGMENT;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    TRY(item_from_cloud(x, c, &inputs, name));
    int code = m->card ? range_guard(m->card, x, &inputs, scene, name) : 0;
    if (code == 0)
        code = item_finish(x, !scene && m->config.data.normalise == NORMALISE_SPHERE);
    if (code < 0)
        item_clear(x);
    return code;
}

static int predict(struct prediction *p, struct glt_cloud *c)
{
    const struct model *m = p->model;
    bool points = m->config.task != TASK_CLASSIFY;
    if (p->options->category) /* judged before the work */
        TRY(model_category(&p->category, m, p->options->category));
    TRY(predict_check_inputs(c, m));
    TRY(afford_points(c, p->model, p->options));
    TRY(predict_item(&p->item, c, m, p->options->name));
    if (p->category >= 0)
        classes_range(&p->item.class_first, &p->item.class_count, &m->classes, p->category);
    p->result.points = p->item.n;
    int code = points ? predictions_create(&p->points, c->n, m->classes.n, &p->options->wanted) : 0;
    if (code == 0)
        code = run_network(p);
    item_clear(&p->item);
    if (code == 0 && points)
        code = predictions_store(c, &p->points, m);
    predictions_free(&p->points);
    return code;
}

int predict_cloud(struct glt_cloud *c, struct model *m, const struct predict_options *o,
                  struct glt_prediction *out, float *probabilities)
{
    struct prediction p = {.options = o,
                           .model = m,
                           .category = -1,
                           .probabilities = probabilities,
                           .result = {.answer = -1}};
    struct context limited, *context = context_current();
    if (o->max_memory > 0) {
        context_copy(&limited, context);
        atomic_store(&limited.memory_budget, o->max_memory);
        context = &limited;
    }
    context = context_enter(context);
    int code = predict(&p, c);
    context_enter(context);
    if (code == 0 && out)
        *out = p.result;
    return code;
}

int glt_cloud_predict(struct glt_cloud *c, const struct glt_model *m, const char *words,
                      struct glt_prediction *out, float *probabilities)
{
    REQUIRE(c, m);
    struct predict_options o = {.name = cloud_name(c)};
    int overlap = 0;
    const struct option_field table[] = {
        {"probabilities", FIELD_FLAG, &o.wanted.probabilities, 0, 0},
        {"second", FIELD_FLAG, &o.wanted.second, 0, 0},
        {"margin", FIELD_FLAG, &o.wanted.margin, 0, 0},
        {"votes", FIELD_FLAG, &o.wanted.votes, 0, 0},
        {"category", FIELD_TEXT, &o.category, 0, 0},
        {"overlap", FIELD_INT, &overlap, 0, 15},
        {"max_memory", FIELD_INT64, &o.max_memory, 0, 1e15}};
    struct call call = {0};
    int code = option_string_read(&call, words, table, sizeof table / sizeof *table);
    o.overlap = overlap;
    if (code == 0)
        code = predict_cloud(c, (struct model *)m, &o, out, probabilities);
    call_free(&call);
    return code;
}
