/* Explaining a cloud: the sample that prediction would draw around one point, run with everything
 * kept, and written as a trace (docs/formats.md). */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "model/trace.h"
#include "sampling/sample.h"
#include "task/predict.h"

#include <stdlib.h>
#include <string.h>

struct explain {
    struct model *model;
    struct item item;
    struct coverage coverage;
    struct sample_scratch scratch;
    struct sample sample;
    int32_t number;  /* of the sample among those of the cloud */
    float *xyz;      /* (n, 3) of the sample in the order of the file */
    float *features; /* (n, extra) */
    int32_t *rows;   /* (n) of the file, ascending */
    int32_t *truth;  /* (n) classes, -1 for none; NULL without */
};

static int load(struct explain *e, const struct glt_cloud *c)
{
    struct inputs inputs;
    const struct config *config = &e->model->config;
    TRY(inputs_parse(&inputs, config->data.inputs));
    TRY(predict_check_inputs(c, e->model));
    TRY(item_from_cloud(&e->item, c, &inputs, cloud_name(c)));
    if (e->item.n < 1)
        return error_set(GLT_EDATA, "the cloud has no point with finite coordinates");
    return item_finish(&e->item,
                       config->task != TASK_SEGMENT && config->data.normalise == NORMALISE_SPHERE);
}

/* The row of the item that is the file's row `point`. */
static int find_row(int32_t *row, const struct item *x, int64_t point)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->row[i] == point) {
            *row = i;
            return 0;
        }
    return error_set(GLT_EARGUMENT, "point %lld: there are %lld, or it has no finite coordinates",
                     (long long)point, (long long)x->rows);
}

/* The first sample that draws the row. */
static int find_sample(struct explain *e, int32_t row)
{
    const struct config *c = &e->model->config;
    struct block_options o = {
        .edge = c->sampling.block, .points = c->sampling.points, .seed = (uint64_t)c->seed};
    TRY(coverage_make(&e->coverage, &e->item, &o));
    int32_t *rows = memory_alloc((size_t)c->sampling.points, sizeof *rows);
    if (!rows)
        return GLT_ENOMEM;
    bool found = false;
    for (int32_t i = 0; i < e->coverage.samples && !found; i++) {
        float centre[3];
        int32_t n = coverage_size(&e->coverage, i);
        coverage_rows(rows, centre, &e->coverage, i);
        for (int32_t k = 0; k < n && !found; k++)
            found = rows[k] == row;
        e->number = i;
    }
    memory_free(rows);
    ASSERT(found); /* every point is dealt */
    return 0;
}

struct pair {
    int32_t row, at;
};

static int by_row(const void *a, const void *b)
{
    return ((const struct pair *)a)->row - ((const struct pair *)b)->row;
}

/* The sample's points as they follow each other in the file. */
static int sort_by_file(struct explain *e)
{
    int64_t n = e->sample.n, extra = e->item.extra;
    struct pair *pairs = memory_alloc((size_t)n, sizeof *pairs);
    e->xyz = memory_alloc((size_t)n, 3 * sizeof *e->xyz);
    e->features = memory_alloc((size_t)n, (size_t)(extra + 1) * sizeof *e->features);
    e->rows = memory_alloc((size_t)n, sizeof *e->rows);
    if (!pairs || !e->xyz || !e->features || !e->rows) {
        memory_free(pairs);
        return GLT_ENOMEM;
    }
    for (int32_t i = 0; i < n; i++)
        pairs[i] = (struct pair){e->item.row[e->sample.row[i]], i};
    qsort(pairs, (size_t)n, sizeof *pairs, by_row);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = pairs[i].at;
        e->rows[i] = pairs[i].row;
        memcpy(e->xyz + 3 * i, e->sample.xyz + 3 * from, 3 * sizeof *e->xyz);
        if (extra)
            memcpy(e->features + i * extra, e->sample.features + from * extra,
                   (size_t)extra * sizeof *e->features);
    }
    memory_free(pairs);
    return 0;
}

static int draw(struct explain *e, int64_t point)
{
    int32_t row = 0;
    bool scene = e->model->config.task == TASK_SEGMENT;
    TRY(find_row(&row, &e->item, point));
    if (scene)
        TRY(find_sample(e, row));
    TRY(sample_test(&e->sample, &e->scratch, &e->item, scene ? &e->coverage : NULL, e->number));
    return sort_by_file(e);
}

/* What the file says of the sample's points: its truth, or the labels it came with. */
static int take_truth(struct explain *e, const struct glt_cloud *c)
{
    if (e->model->config.task == TASK_CLASSIFY)
        return 0;
    int32_t *all = memory_alloc((size_t)c->n, sizeof *all);
    if (!all)
        return GLT_ENOMEM;
    bool exact;
    int code = answers_truth(all, &exact, c, e->model);
    if (code > 0) {
        e->truth = memory_alloc((size_t)e->sample.n, sizeof *e->truth);
        code = e->truth ? 0 : GLT_ENOMEM;
    }
    for (int32_t i = 0; i < e->sample.n && e->truth; i++)
        e->truth[i] = all[e->rows[i]];
    memory_free(all);
    return code;
}

static int run(struct explain *e, const char *path)
{
    struct engine *engine;
    struct trace_input in = {e->rows, e->truth};
    TRY(engine_create(&engine, e->model, e->sample.n, true));
    int code = engine_run(engine, NULL, e->xyz, e->item.extra ? e->features : NULL, e->sample.n, 0,
                          (uint32_t)e->number);
    if (code == 0)
        code = trace_write(engine, e->model, &in, path);
    engine_free(engine);
    return code;
}

int glt_cloud_explain(const struct glt_cloud *c, const struct glt_model *m, const char *path,
                      const char *words)
{
    GIVEN(c, m, path);
    struct explain e = {.model = (struct model *)m};
    int64_t point = 0;
    const struct option_field table[] = {{"point", FIELD_INT64, &point, 0, 9e15}};
    struct call call = {0};
    int code = option_string_read(&call, words, table, 1);
    if (code == 0)
        code = load(&e, c);
    if (code == 0)
        code = draw(&e, point);
    if (code == 0)
        code = take_truth(&e, c);
    if (code == 0)
        code = run(&e, path);
    call_free(&call);
    item_clear(&e.item);
    coverage_free(&e.coverage);
    sample_scratch_free(&e.scratch);
    memory_free(e.xyz);
    memory_free(e.features);
    memory_free(e.rows);
    memory_free(e.truth);
    return code;
}
