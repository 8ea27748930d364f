/* A forward pass in a viewer page: see view_trace.h.
 *
 * The attention of a centre takes two bytes for each neighbour: its rank, which is exact, and its
 * weight. The largest weight of a centre is stored as a float, the others as 255ths of the second
 * largest, which is at most one half: the error of a weight is at most 0.5 / 510. */
#include "task/view_trace.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "config/config.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "draw/page.h"
#include "model/model.h"
#include "model/safetensors.h"
#include "model/trace_file.h"
#include "task/explain.h"
#include "task/view_cloud.h"

#include <stdio.h>
#include <string.h>

enum { DEGREE_MAX = 255, NAME_SIZE = 48 };
#define ROWS "file_row" /* an attribute of the cloud of the sample */

struct work {
    struct call call;
    struct file *file;
    struct json *json; /* "tile" */
    struct trace_file trace;
    int number;
};

static int put(struct work *w, const char *what, const void *bytes, size_t n)
{
    char name[2 * NAME_SIZE];
    snprintf(name, sizeof name, "t%d%s", w->number, what);
    return page_section(w->file, name, bytes, n);
}

/* --- attention --- */

/* Converts n weights of a centre to ranks and 255ths of the second largest. */
static void pack_centre(uint8_t *rank, uint8_t *part, float range[2], const float *weight,
                        int32_t n)
{
    range[0] = range[1] = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t before = 0;
        for (int32_t k = 0; k < n; k++)
            before += weight[k] > weight[i] || (weight[k] == weight[i] && k < i);
        rank[i] = (uint8_t)before;
        if (before < 2)
            range[before] = weight[i];
    }
    for (int32_t i = 0; i < n; i++) {
        float scaled = range[1] > 0 ? weight[i] / range[1] * 255 + 0.5f : 0;
        part[i] = (uint8_t)(rank[i] == 0 ? 255 : scaled > 255 ? 255 : scaled);
    }
}

/* The channel with the largest maximum weight; the first of equal ones. */
static int64_t strongest(const float *weight, int64_t n, int64_t channels)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n * channels; i++)
        best = weight[i] > weight[best] ? i : best;
    return n ? best % channels : 0;
}

struct head {
    const struct trace_block *block;
    const float *weight; /* (edges, channels) */
    int64_t edges, channels;
};

/* Writes ranks, parts, the two largest weights of each centre, and their channel. */
static int put_head(struct work *w, const char *what, const struct head *h, bool mean)
{
    int64_t centres = h->block->centres, mark = call_mark(&w->call);
    size_t len = 2 * (size_t)h->edges + 10 * (size_t)centres;
    unsigned char *bytes = call_alloc(&w->call, len + 1, 1), *tail = bytes + 2 * h->edges;
    float *row = call_alloc(&w->call, DEGREE_MAX, sizeof *row);
    if (!bytes || !row)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < centres; i++) {
        int32_t begin = h->block->start[i], n = h->block->start[i + 1] - begin;
        const float *weight = h->weight + begin * h->channels;
        float range[2];
        uint16_t channel = (uint16_t)strongest(weight, n, h->channels);
        if (mean)
            trace_mean(row, weight, n, h->channels);
        for (int32_t k = 0; k < n && !mean; k++)
            row[k] = weight[k * h->channels + channel];
        pack_centre(bytes + begin, bytes + h->edges + begin, range, row, n);
        memcpy(tail + 8 * i, range, sizeof range);
        memcpy(tail + 8 * centres + 2 * i, &channel, sizeof channel);
    }
    int code = put(w, what, bytes, len);
    call_reset(&w->call, mark);
    return code;
}

static int put_heads(struct work *w, const struct trace_block *b, int level, int block)
{
    static const char *const heads[] = {"geometric", "latent"};
    for (int h = 0; h < 2; h++) {
        struct head x = {.block = b};
        float *weight;
        char what[NAME_SIZE];
        TRY(trace_attention(&weight, &x.edges, &x.channels, &w->trace, level, block, heads[h]));
        x.weight = weight;
        int code = 0;
        for (int mean = 0; mean < 2 && weight && x.edges == b->start[b->centres]; mean++) {
            snprintf(what, sizeof what, "w%d%d%c%c", level, block, heads[h][0], mean ? 'm' : 's');
            code = code == 0 ? put_head(w, what, &x, mean) : code;
        }
        memory_free(weight);
        TRY(code);
    }
    return 0;
}

static int put_lists(struct work *w, const struct trace_block *b, int level, int block)
{
    char what[NAME_SIZE];
    uint8_t *degree = call_alloc(&w->call, (size_t)b->centres + 1, 1);
    if (!degree)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < b->centres; i++) {
        int32_t n = b->start[i + 1] - b->start[i];
        if (n > DEGREE_MAX)
            return error_topic(error_set(GLT_ELIMIT,
                                         "a point has %d neighbours; a page shows up to %d", n,
                                         DEGREE_MAX),
                               GLT_TOPIC_SIZE_LIMIT, "k");
        degree[i] = (uint8_t)n;
    }
    snprintf(what, sizeof what, "n%d%d", level, block);
    TRY(put(w, what, degree, (size_t)b->centres));
    snprintf(what, sizeof what, "i%d%d", level, block);
    return put(w, what, b->index, (size_t)b->start[b->centres] * sizeof *b->index);
}

static int put_block(struct work *w, int level, int block)
{
    struct trace_block b;
    TRY(trace_block_read(&b, &w->trace, level, block));
    int code = put_lists(w, &b, level, block);
    if (code == 0)
        code = put_heads(w, &b, level, block);
    trace_block_free(&b);
    return code;
}

/* --- outputs and up-sampling --- */

static int put_output(struct work *w, const char *which)
{
    int32_t *labels;
    int64_t n;
    char what[NAME_SIZE];
    TRY(trace_labels(&labels, &n, &w->trace, which));
    if (!labels)
        return 0;
    uint8_t *bytes = call_alloc(&w->call, (size_t)n + 1, 1);
    for (int64_t i = 0; bytes && i < n; i++)
        bytes[i] = (uint8_t)(labels[i] < DEGREE_MAX ? labels[i] : DEGREE_MAX);
    snprintf(what, sizeof what, "o%s", which);
    int code = bytes ? put(w, what, bytes, (size_t)n) : GLT_ENOMEM;
    memory_free(labels);
    return code;
}

/* The three points from which each point of level l - 1 takes its features, and their weights. */
static int put_upsampling(struct work *w, int level)
{
    char name[NAME_SIZE], what[NAME_SIZE];
    snprintf(name, sizeof name, "dec%d/index", level);
    const struct st_tensor *index = safetensors_find(&w->trace.st, name);
    snprintf(name, sizeof name, "dec%d/weight", level);
    const struct st_tensor *weight = safetensors_find(&w->trace.st, name);
    if (!index || !weight || index->type != ST_I32 || weight->items != index->items)
        return 0;
    size_t n = (size_t)index->items;
    int32_t *rows = call_alloc(&w->call, n + 1, sizeof *rows);
    float *parts = call_alloc(&w->call, n + 1, sizeof *parts);
    if (!rows || !parts)
        return GLT_ENOMEM;
    TRY(safetensors_read(&w->trace.st, index, rows));
    TRY(safetensors_read_floats(&w->trace.st, weight, parts));
    snprintf(what, sizeof what, "ui%d", level);
    TRY(put(w, what, rows, n * sizeof *rows));
    snprintf(what, sizeof what, "uw%d", level);
    return put(w, what, parts, n * sizeof *parts);
}

static int put_all(struct work *w)
{
    static const char *const outputs[] = {"main", "aux1", "aux2", "aux3", "aux4"};
    struct json *levels = json_array();
    for (int l = 0; l <= TRACE_LEVELS; l++)
        json_append(levels, json_integer(w->trace.n[l]));
    json_set(w->json, "levels", levels);
    json_set(w->json, "number", json_integer(w->number));
    for (int l = 1; l <= TRACE_LEVELS; l++) {
        for (int b = 1; b <= 2; b++)
            TRY(put_block(w, l, b));
        TRY(put_upsampling(w, l));
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        TRY(put_output(w, outputs[i]));
    return 0;
}

/* --- the cloud of the sample --- */

static int set_truth(struct glt_cloud *tile, const struct trace_file *t)
{
    struct column *x;
    cloud_remove_attribute(tile, "truth");
    if (!t->truth)
        return 0;
    TRY(cloud_add_attribute(&x, tile, "truth", GLT_U8));
    for (int64_t i = 0; i < tile->n; i++)
        ((uint8_t *)x->data)[i] = (uint8_t)(t->truth[i] >= 0 ? t->truth[i] : UINT8_MAX);
    return 0;
}

/* Sets the row of the cloud for each point. */
static int set_rows(struct glt_cloud *tile, const struct trace_file *t)
{
    struct column *x;
    cloud_remove_attribute(tile, ROWS);
    TRY(cloud_add_attribute(&x, tile, ROWS, GLT_I32));
    memcpy(x->data, t->row, (size_t)tile->n * sizeof *t->row);
    return 0;
}

/* Makes a cloud of the rows in network order, with the labels of this pass. */
static int make_tile(struct glt_cloud **out, struct work *w, const struct glt_cloud *c)
{
    const struct trace_file *t = &w->trace;
    int32_t *labels;
    int64_t n, *rows = call_alloc(&w->call, (size_t)t->n[0] + 1, sizeof *rows);
    if (!rows)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < t->n[0]; i++)
        rows[i] = t->row[i];
    TRY(cloud_select(out, c, rows, t->n[0]));
    TRY(set_truth(*out, t));
    TRY(set_rows(*out, t));
    TRY(trace_labels(&labels, &n, t, "main"));
    int code = 0;
    if (labels && n == t->n[0])
        code = labels_set(*out, labels, NULL, (const char *const *)t->classes.names, t->classes.n);
    memory_free(labels);
    return code;
}

static int write_tile(struct json **out, struct work *w, const struct glt_cloud *c)
{
    struct glt_cloud *tile = NULL;
    int code = make_tile(&tile, w, c);
    if (code == 0) {
        struct view_cloud v = {
            .cloud = tile, .number = w->number, .points = tile->n, .attributes = ROWS};
        code = view_cloud_write(out, w->file, &v);
    }
    cloud_free(tile);
    return code;
}

static int open_trace(struct trace_file *out, void **bytes, const struct glt_cloud *c,
                      const struct glt_model *m, int64_t point)
{
    struct file *f;
    size_t len;
    TRY(file_create_memory(&f, "trace", bytes, &len));
    TRY(file_finish(f, explain_put(f, c, m, point)));
    TRY(file_open_memory(&f, "trace", *bytes, len));
    return trace_file_take(out, f);
}

static int name_pass(struct json *cloud, struct json *tile, int64_t point)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "pass, row %lld", (long long)point);
    TRY(json_set(cloud, "name", json_string(name)));
    return json_set(tile, "row", json_integer(point));
}

/* Balls of level 1 block 1, level 1 block 2, level 2 block 1 and so on, and the maximum number of
 * neighbours; radius 0 if neighbours are the nearest points. */
static int list_balls(struct json *tile, const struct model *m)
{
    const struct network_settings *n = &m->config.network;
    struct json *radius = json_array(), *k = json_array();
    for (int i = 0; i < 2 * CONFIG_LEVELS; i++) {
        double ball = n->radius[i / 2] * (i % 2 ? n->radius2_factor : 1);
        json_append(radius, json_real(n->neighbours == CONFIG_KNN ? 0 : ball));
        json_append(k, json_integer(config_k(&m->config, i / 2, i % 2)));
    }
    TRY(json_set(tile, "radius", radius));
    return json_set(tile, "k", k);
}

int view_trace_write(struct json **out, struct file *f, const struct glt_cloud *c,
                     const struct glt_model *m, int64_t point, int number)
{
    struct work w = {.file = f, .number = number, .json = json_object()};
    struct json *cloud = NULL;
    void *bytes = NULL;
    int code = w.json ? open_trace(&w.trace, &bytes, c, m, point) : GLT_ENOMEM;
    if (code == 0)
        code = write_tile(&cloud, &w, c);
    if (code == 0)
        code = put_all(&w);
    if (code == 0)
        code = name_pass(cloud, w.json, point);
    if (code == 0)
        code = list_balls(w.json, (const struct model *)m);
    if (code == 0) {
        code = json_set(cloud, "tile", w.json);
        w.json = NULL;
    }
    if (code == 0)
        *out = cloud;
    else
        json_free(cloud);
    json_free(w.json);
    trace_file_close(&w.trace);
    memory_free(bytes);
    call_free(&w.call);
    return code;
}
