/* Entropy and saturation of attention: see observe.h. */
#include "task/observe.h"

#include "config/options.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "datasets/dataset_items.h"
#include "kernels/attention_statistics.h"
#include "model/attention.h"
#include "model/engine.h"
#include "model/trace_file.h"
#include "sampling/item.h"
#include "sampling/sampler.h"
#include "task/inference.h"

#include <string.h>

/* --- a model --- */

enum { CLOUDS = 4 };

/* heads = pool, mean and none have no attention. */
static bool has_attention(const struct model *m)
{
    int heads = m->config.network.heads;
    return heads == HEADS_BOTH || heads == HEADS_GEOMETRIC || heads == HEADS_LATENT;
}

static int32_t cloud_number(int32_t i, int32_t count)
{
    return count <= CLOUDS ? i : (int32_t)((int64_t)i * count / CLOUDS);
}

static int run_sample(struct engine *e, const struct item *x, const struct inference_sample *s)
{
    struct call call = {0};
    float *xyz = call_alloc(&call, (size_t)s->n, 3 * sizeof *xyz);
    float *features = call_alloc(&call, (size_t)s->n, (size_t)x->extra * sizeof *features);
    int code = xyz && features ? 0 : GLT_ENOMEM;
    if (code == 0) {
        item_gather(xyz, features, x, s->rows, s->n, s->centre);
        struct sampler_cloud c = {.n = s->n, .xyz = xyz, .features = features, .key = s->key};
        code = engine_run(e, NULL, &c);
    }
    call_free(&call);
    return code;
}

static int add_item(struct glt_attention *rows, struct engine *e, const struct inference *o,
                    const struct item *x)
{
    struct inference_sample s = {0};
    TRY(inference_find(&s, o, x, x->n / 2));
    int code = run_sample(e, x, &s);
    memory_free(s.rows);
    if (code == 0)
        attention_add_pass(rows, e);
    return code;
}

static int add_items(struct glt_attention *rows, struct engine *e, const struct inference *o)
{
    const struct item_source *items = &o->items;
    int32_t n = items->count < CLOUDS ? items->count : CLOUDS;
    for (int32_t i = 0; i < n; i++) {
        const struct item *x;
        int32_t number = cloud_number(i, items->count);
        TRY(items->take(&x, items->user, number));
        int code = add_item(rows, e, o, x);
        items->give(items->user, number);
        TRY(code);
    }
    return 0;
}

int observe_attention(struct glt_attention rows[GLT_ATTENTION_ROWS], struct model *m,
                      struct dataset *d, enum split s, const struct sampling_settings *sampling)
{
    struct engine *e;
    struct inference o = {
        .model = m, .sampling = *sampling, .seed = (uint64_t)m->config.seed, .tilings = 1};
    attention_start(rows);
    if (!has_attention(m))
        return 0;
    TRY(dataset_items(&o.items, d, s));
    TRY(engine_create(&e, m, 1, ENGINE_ATTENTION));
    int code = add_items(rows, e, &o);
    engine_free(e);
    return code;
}

int observe_bytes(int64_t *bytes, struct model *m, struct dataset *d, enum split s,
                  const struct sampling_settings *sampling)
{
    struct item_source items;
    size_t engine;
    int64_t points = 1;
    *bytes = 0;
    if (!has_attention(m))
        return 0;
    TRY(dataset_items(&items, d, s));
    for (int32_t i = 0; i < items.count && i < CLOUDS; i++) {
        int64_t n = items.points(items.user, cloud_number(i, items.count));
        points = n > points ? n : points;
    }
    if (m->config.task == TASK_SEGMENT && points > sampling->points)
        points = sampling->points;
    TRY(engine_measure(&engine, m, (int32_t)points, ENGINE_ATTENTION));
    *bytes = (int64_t)engine + points * 4 * (3 + (int64_t)m->channels);
    return 0;
}

/* --- a trace --- */

static int check_edges(const struct trace_file *t, const struct glt_attention *row,
                       const struct trace_block *b, int64_t edges)
{
    if (edges == b->start[b->centres])
        return 0;
    return error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                "level %d block %d: %lld weights for %d neighbours", row->level,
                                row->block, (long long)edges, b->start[b->centres]),
                       GLT_TOPIC_SHAPE, NULL);
}

static int add_head(struct glt_attention *row, bool *found, const struct trace_file *t,
                    const struct trace_block *b)
{
    float *weight;
    int64_t edges, channels;
    TRY(trace_attention(&weight, &edges, &channels, t, row->level, row->block, row->head));
    if (!weight)
        return 0;
    *found = true;
    int code = check_edges(t, row, b, edges);
    for (int32_t i = 0; code == 0 && i < b->centres; i++) {
        int32_t from = b->start[i], len = b->start[i + 1] - from;
        struct attention_statistics a = attention_statistics(
            weight + from * channels, b->index + from, len, channels, channels);
        if (a.saturation >= 0) /* else too few neighbours */
            attention_add(row, a.entropy, a.saturation);
    }
    memory_free(weight);
    return code;
}

static int add_trace(struct glt_attention rows[GLT_ATTENTION_ROWS], const struct trace_file *t)
{
    bool found = false;
    for (int i = 0; i < GLT_ATTENTION_ROWS; i += 2) {
        struct trace_block b;
        TRY(trace_block_read(&b, t, rows[i].level, rows[i].block));
        int code = add_head(&rows[i], &found, t, &b);
        if (code == 0)
            code = add_head(&rows[i + 1], &found, t, &b);
        trace_block_free(&b);
        TRY(code);
    }
    return found ? 0
                 : error_topic(error_in(GLT_EDATA, file_name(t->file),
                                        "no attention: the network pools its neighbours"),
                               GLT_TOPIC_MISSING, "attention");
}

int glt_trace_attention(struct glt_attention rows[GLT_ATTENTION_ROWS], const char *trace)
{
    REQUIRE(rows, trace);
    struct glt_attention sums[GLT_ATTENTION_ROWS];
    struct trace_file t;
    size_t size = rows->size; /* in later versions of the header, rows are larger */
    TRY(error_size("glt_attention", size, sizeof *rows));
    TRY(trace_file_open(&t, trace));
    attention_start(sums);
    for (size_t i = 0; rows->level && i < GLT_ATTENTION_ROWS; i++)
        memcpy(&sums[i], (const char *)rows + i * size, sizeof sums[i]);
    int code = add_trace(sums, &t);
    trace_file_close(&t);
    for (size_t i = 0; code == 0 && i < GLT_ATTENTION_ROWS; i++) {
        sums[i].size = size;
        memcpy((char *)rows + i * size, &sums[i], sizeof sums[i]);
    }
    return code;
}
