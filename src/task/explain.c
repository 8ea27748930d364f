/* Explaining a cloud: see explain.h. The sample that prediction would draw around one point, run
 * with everything kept, and written as a trace (docs/reference/model-files.md). */
#include "task/explain.h"

#include "cloud/cloud.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "model/model.h"
#include "model/trace.h"
#include "sampling/item.h"
#include "sampling/sampler.h"
#include "task/inference.h"
#include "task/predict.h"
#include "task/predict_truth.h"

#include <stdlib.h>
#include <string.h>

struct explain {
    struct call call;
    struct model *model;
    struct item item;
    struct inference_sample sample; /* its rows, in the order of the file */
    int32_t *rows;                  /* (n) of the file, ascending */
    float *xyz;                     /* (n, 3) */
    float *features;                /* (n, extra) */
    int32_t *truth;                 /* (n) classes, -1 for none; NULL without */
};

/* The row of the item for the file's row `point`. */
static int find_row(int32_t *row, const struct item *x, int64_t point)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->row[i] == point) {
            *row = i;
            return 0;
        }
    return error_topic(error_set(GLT_EARGUMENT,
                                 "point %lld: give a row from 0 to %lld with finite coordinates",
                                 (long long)point, (long long)x->rows - 1),
                       GLT_TOPIC_OPTION, "point");
}

struct pair {
    int32_t file, row; /* of the item */
};

static int by_file(const void *a, const void *b)
{
    return ((const struct pair *)a)->file - ((const struct pair *)b)->file;
}

/* Sorts the sample's points into the order of the file. */
static int sort_by_file(struct explain *e)
{
    size_t n = (size_t)e->sample.n;
    struct pair *pairs = call_alloc(&e->call, n, sizeof *pairs);
    e->rows = call_alloc(&e->call, n, sizeof *e->rows);
    if (!pairs || !e->rows)
        return GLT_ENOMEM;
    for (size_t i = 0; i < n; i++)
        pairs[i] = (struct pair){e->item.row[e->sample.rows[i]], e->sample.rows[i]};
    qsort(pairs, n, sizeof *pairs, by_file);
    for (size_t i = 0; i < n; i++) {
        e->rows[i] = pairs[i].file;
        e->sample.rows[i] = pairs[i].row;
    }
    return 0;
}

static int draw(struct explain *e, int64_t point)
{
    int32_t row = 0;
    const struct config *c = &e->model->config;
    struct inference_sample *s = &e->sample;
    struct inference o = {
        .model = e->model, .sampling = c->sampling, .seed = (uint64_t)c->seed, .tilings = 1};
    TRY(find_row(&row, &e->item, point));
    TRY(inference_find(s, &o, &e->item, row));
    TRY(sort_by_file(e));
    e->xyz = call_alloc(&e->call, (size_t)s->n, 3 * sizeof *e->xyz);
    e->features = call_alloc(&e->call, (size_t)s->n, (size_t)e->item.extra * sizeof *e->features);
    if (!e->xyz || !e->features)
        return GLT_ENOMEM;
    item_gather(e->xyz, e->features, &e->item, s->rows, s->n, s->centre);
    return 0;
}

/* The ground truth of the sample's points: the attribute truth, or the labels of the file. */
static int take_truth(struct explain *e, const struct glt_cloud *c)
{
    if (e->model->config.task == TASK_CLASSIFY)
        return 0;
    bool exact;
    int32_t *all = call_alloc(&e->call, (size_t)c->n, sizeof *all);
    int found = all ? predict_truth(all, &exact, &e->call, c, &e->model->classes) : GLT_ENOMEM;
    if (found <= 0)
        return found;
    e->truth = call_alloc(&e->call, (size_t)e->sample.n, sizeof *e->truth);
    if (!e->truth)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < e->sample.n; i++)
        e->truth[i] = all[e->rows[i]];
    return 0;
}

static int run_network(struct explain *e, struct file *f)
{
    struct engine *engine;
    struct trace_input in = {e->rows, e->truth};
    struct sampler_cloud c = {
        .n = e->sample.n, .xyz = e->xyz, .features = e->features, .key = e->sample.key};
    TRY(engine_create(&engine, e->model, c.n, ENGINE_TRACE));
    int code = engine_run(engine, NULL, &c);
    if (code == 0)
        code = trace_put(f, engine, e->model, &in);
    engine_free(engine);
    return code;
}

static int explain(struct explain *e, const struct glt_cloud *c, struct file *f, int64_t point)
{
    TRY(predict_check_inputs(c, e->model));
    TRY(predict_item(&e->item, c, e->model, cloud_name(c)));
    if (predict_is_dense(e->model, e->item.n))
        log_warning(GLT_TOPIC_OPTION, "points",
                    "%s: the pass sees all %d points; a prediction sees %d of them", cloud_name(c),
                    e->item.n, e->model->config.sampling.points);
    TRY(draw(e, point));
    TRY(take_truth(e, c));
    return run_network(e, f);
}

int explain_put(struct file *f, const struct glt_cloud *c, const struct glt_model *m, int64_t point)
{
    struct explain e = {.model = (struct model *)m};
    int code = explain(&e, c, f, point);
    call_free(&e.call);
    item_clear(&e.item);
    memory_free(e.sample.rows);
    return code;
}

int glt_cloud_explain(const struct glt_cloud *c, const struct glt_model *m, const char *path,
                      const char *words)
{
    REQUIRE(c, m, path);
    struct call call = {0};
    struct file *f;
    int64_t point = 0;
    const struct option_field table[] = {{"point", FIELD_INT64, &point, 0, 9e15}};
    int code = option_string_read(&call, words, table, 1);
    call_free(&call);
    TRY(code);
    TRY(file_create(&f, path));
    return file_finish(f, explain_put(f, c, m, point));
}
