/* Prediction of clouds: checks before the work, the way through the network, attributes after it.
 * See predict.h. */
#include "task/predict.h"

#include "cloud/cloud.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "datasets/range.h"
#include "model/engine.h"
#include "model/models.h"

#include <string.h>

enum { MARGIN = 48 << 20 }; /* program, libraries, stacks, buffers of files */

int predict_engine_bytes(int64_t *bytes, struct model *m, int64_t points)
{
    size_t size;
    TRY(engine_measure(&size, m, (int32_t)points));
    *bytes = (int64_t)size;
    return 0;
}

int predict_afford(const struct predict_options *o, int64_t more, int64_t later)
{
    int64_t need = memory_stats().bytes + more + MARGIN;
    if (o->max_memory == 0 || need <= o->max_memory)
        return 0;
    need += later;
    const char *change = o->probabilities ? "leave probabilities out"
                         : o->overlap     ? "set overlap to 0"
                                          : "cut the cloud (gelatto convert --crop)";
    return error_set(GLT_ELIMIT,
                     "about %lld MB are needed, the memory limit is %lld MB: raise it, or %s",
                     (long long)(need >> 20) + 1, (long long)(o->max_memory >> 20), change);
}

/* The most that is alive at a time, engines aside: while rows are sorted, while columns run, while
 * the attributes are added. */
static int afford_points(const struct glt_cloud *c, struct model *m,
                         const struct predict_options *o)
{
    int64_t extra = m->channels - 3, answers = answers_bytes(m->classes.n, o);
    int64_t item = 16 + 4 * extra, sorting = 20 + 4 * (extra > 3 ? extra : 3);
    bool points = m->config.task != TASK_CLASSIFY;
    int64_t cut = m->config.task == TASK_SEGMENT ? 12 + (o->overlap ? 4 * m->classes.n + 4 : 0) : 0;
    int64_t running = points ? item + cut + answers : item;
    int64_t storing = points ? 2 * answers : 0;
    int64_t most = item + sorting > running ? item + sorting : running;
    int64_t bytes = c->n * (most > storing ? most : storing), engine;
    if (predict_afford(o, bytes, 0) == 0)
        return 0;
    int64_t sample = cut && c->n > m->config.sampling.points ? m->config.sampling.points : c->n;
    int64_t column = c->n < 4 * sample ? c->n : 4 * sample; /* a guess: none is cut yet */
    TRY(predict_engine_bytes(&engine, m, sample));
    return predict_afford(o, bytes, engine + sample * item + column * (4 * m->classes.n + 4));
}

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

static int run(struct answers *a, struct glt_prediction *out, float *probabilities, struct model *m,
               const struct glt_cloud *c, const struct predict_options *o)
{
    struct item x = {0};
    struct inputs inputs;
    bool scene = m->config.task == TASK_SEGMENT;
    TRY(inputs_parse(&inputs, m->config.data.inputs));
    TRY(predict_check_inputs(c, m));
    TRY(afford_points(c, m, o));
    TRY(item_from_cloud(&x, c, &inputs, o->name));
    out->points = x.n;
    int code = 0;
    if (m->card)
        code = range_guard(m->card, &x, &inputs, scene, o->name);
    if (code == 0)
        code = item_finish(&x, !scene && m->config.data.normalise == NORMALISE_SPHERE);
    if (code == 0 && m->config.task != TASK_CLASSIFY)
        code = answers_create(a, c->n, m->classes.n, o);
    double began = clock_seconds();
    if (code == 0 && scene)
        code = predict_scene(a, &out->samples, m, &x, o);
    else if (code == 0)
        code = predict_shape(a, out, probabilities, m, &x, o);
    out->seconds = clock_seconds() - began;
    item_clear(&x);
    return code;
}

int predict_cloud(struct glt_cloud *c, struct model *m, const struct predict_options *o,
                  struct glt_prediction *out, float *probabilities)
{
    struct answers a = {0};
    struct glt_prediction result = {.answer = -1};
    int32_t category; /* judged before the work */
    if (o->category)
        TRY(model_category(&category, m, o->category));
    int code = run(&a, &result, probabilities, m, c, o);
    if (code == 0 && m->config.task != TASK_CLASSIFY)
        code = answers_store(c, &a, m);
    answers_free(&a);
    if (code == 0 && out)
        *out = result;
    return code;
}

int glt_cloud_predict(struct glt_cloud *c, const struct glt_model *m, const char *words,
                      struct glt_prediction *out, float *probabilities)
{
    GIVEN(c, m);
    struct predict_options o = {.name = cloud_name(c)};
    int overlap = 0;
    const struct option_field table[] = {{"probabilities", FIELD_FLAG, &o.probabilities, 0, 0},
                                         {"second", FIELD_FLAG, &o.second, 0, 0},
                                         {"margin", FIELD_FLAG, &o.margin, 0, 0},
                                         {"votes", FIELD_FLAG, &o.votes, 0, 0},
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
