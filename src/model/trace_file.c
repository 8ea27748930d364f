/* Reading traces: see trace_file.h. */
#include "model/trace_file.h"

#include "config/inputs.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "model/guess.h"
#include "model/model_file.h"
#include "sampling/item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEIGHBOURS_MAX = 4096, CLASSES_MAX = 65535 }; /* as for the option k, and for models */

static int want(const struct st_tensor **out, const struct trace_file *t, const char *name)
{
    *out = safetensors_find(&t->st, name);
    return *out ? 0
                : error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                       "no tensor '%s': is this a trace?", name),
                              GLT_TOPIC_MISSING, name);
}

/* A whole tensor; release with memory_free. */
static int read_floats(float **out, const struct trace_file *t, const char *name, int64_t items)
{
    const struct st_tensor *x;
    TRY(want(&x, t, name));
    if (x->type != ST_F32 || (items >= 0 && x->items != items))
        return error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                    "tensor '%s' has %lld items, expected %lld floats", name,
                                    (long long)x->items, (long long)items),
                           GLT_TOPIC_SHAPE, NULL);
    float *values = memory_alloc((size_t)x->items + 1, sizeof *values);
    if (!values)
        return GLT_ENOMEM;
    int code = safetensors_read_floats(&t->st, x, values);
    if (code < 0)
        memory_free(values);
    else
        *out = values;
    return code;
}

/* Whole numbers from `min` to below `below`. */
static int read_numbers(int32_t **out, int64_t *n, const struct trace_file *t, const char *name,
                        int64_t min, int64_t below)
{
    const struct st_tensor *x;
    TRY(want(&x, t, name));
    if (x->type != ST_I32)
        return error_topic(
            error_in(GLT_EFORMAT, file_name(t->file), "tensor '%s' holds no 32-bit integers", name),
            GLT_TOPIC_VALUE, name);
    int32_t *values = memory_alloc((size_t)x->items + 1, sizeof *values);
    if (!values)
        return GLT_ENOMEM;
    int code = safetensors_read(&t->st, x, values);
    for (int64_t i = 0; code == 0 && i < x->items; i++)
        if (values[i] < min || values[i] >= below)
            code = error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                        "tensor '%s': %d is out of range", name, values[i]),
                               GLT_TOPIC_VALUE, name);
    if (code < 0) {
        memory_free(values);
        return code;
    }
    *out = values;
    *n = x->items;
    return 0;
}

static int read_rows(int32_t **out, int64_t *n, const struct trace_file *t, const char *name,
                     int64_t below)
{
    return read_numbers(out, n, t, name, 0, below);
}

/* Reads the ground truth of the points, in network order. */
static int read_truth(struct trace_file *t, const int32_t *order)
{
    int32_t *labels;
    int64_t n;
    if (!safetensors_find(&t->st, "input/label"))
        return 0;
    TRY(read_numbers(&labels, &n, t, "input/label", -1, INT32_MAX));
    t->truth = memory_alloc((size_t)t->n[0] + 1, sizeof *t->truth);
    for (int64_t i = 0; t->truth && i < t->n[0]; i++)
        t->truth[i] = order[i] < n ? labels[order[i]] : -1;
    memory_free(labels);
    return t->truth ? 0 : GLT_ENOMEM;
}

/* The first channel of the colours among those of input/features, by the names of the model's
 * inputs; -1: none. */
static int find_colours(int64_t *first, const struct trace_file *t, const struct json *config)
{
    const char *list;
    struct inputs inputs = {.rgb = -1};
    TRY(json_want_string(&list, file_name(t->file), config, "inputs"));
    TRY(inputs_parse(&inputs, list));
    *first = inputs.rgb >= 0 ? 3 + inputs.rgb : -1;
    return 0;
}

/* A text of the configuration; "" if there is none. */
static const char *setting(const struct json *config, const char *key)
{
    const char *text = json_string_value(json_get(config, key));
    return text ? text : "";
}

static void find_radii(struct trace_file *t, const struct json *config)
{
    double radius[TRACE_LEVELS], factor;
    if (option_string_numbers(radius, TRACE_LEVELS, setting(config, "radius")) != TRACE_LEVELS ||
        option_string_numbers(&factor, 1, setting(config, "radius2_factor")) != 1 ||
        !strcmp(setting(config, "neighbours"), "knn"))
        return;
    for (int l = 0; l < TRACE_LEVELS; l++) {
        bool fine = radius[l] > 0 && radius[l] <= 1e9 && factor > 0 && factor <= 1e3;
        t->radius[l][0] = fine ? radius[l] : 0;
        t->radius[l][1] = fine ? radius[l] * factor : 0;
    }
}

/* Reads the model's configuration; *colours = -1 without colours. */
static int read_config(struct trace_file *t, int64_t *colours)
{
    const char *text = safetensors_meta(&t->st, "gelatto.config");
    struct json *config = NULL;
    *colours = -1;
    if (!text)
        return 0;
    TRY(json_parse(&config, file_name(t->file), text, strlen(text)));
    int code = find_colours(colours, t, config);
    find_radii(t, config);
    json_free(config);
    return code;
}

static int check_finite(const struct trace_file *t, const float *xyz, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(xyz[i]))
            return error_topic(
                error_place(error_in(GLT_EFORMAT, file_name(t->file),
                                     "input/xyz: row %lld: a coordinate is not finite",
                                     (long long)(i / 3)),
                            GLT_PLACE_POINT, (i / 3)),
                GLT_TOPIC_COORDINATES, "input/xyz");
    return 0;
}

/* Reads points, their file rows, colours and truth, in network order. */
static int read_points(struct trace_file *t)
{
    const struct st_tensor *x;
    int32_t *order = NULL, *rows = NULL;
    float *xyz = NULL, *features = NULL;
    int64_t n = 0, more = 0, rgb = -1;
    TRY(read_config(t, &rgb));
    TRY(want(&x, t, "input/xyz"));
    TRY(read_rows(&order, &n, t, "order", x->items / 3));
    const struct st_tensor *f = safetensors_find(&t->st, "input/features");
    int64_t channels = f && n > 0 ? f->items / n : 0;
    int code = read_floats(&xyz, t, "input/xyz", 3 * n);
    if (code == 0)
        code = check_finite(t, xyz, 3 * n);
    if (code == 0 && rgb >= 0 && channels >= rgb + 3)
        code = read_floats(&features, t, "input/features", channels * n);
    if (code == 0 && safetensors_find(&t->st, "input/row"))
        code = read_rows(&rows, &more, t, "input/row", INT32_MAX);
    t->n[0] = (int32_t)n;
    t->xyz = memory_alloc((size_t)n, 3 * sizeof *t->xyz);
    t->row = memory_alloc((size_t)n, sizeof *t->row);
    t->colours = features ? memory_alloc((size_t)n, 3 * sizeof *t->colours) : NULL;
    if (code == 0 && (!t->xyz || !t->row || (features && !t->colours)))
        code = GLT_ENOMEM;
    for (int64_t i = 0; code == 0 && i < n; i++) {
        memcpy(t->xyz + 3 * i, xyz + 3 * (int64_t)order[i], 3 * sizeof *xyz);
        t->row[i] = rows && order[i] < more ? rows[order[i]] : order[i];
        if (features)
            memcpy(t->colours + 3 * i, features + order[i] * channels + rgb, 3 * sizeof *features);
    }
    if (code == 0)
        code = read_truth(t, order);
    t->order = order;
    memory_free(rows);
    memory_free(xyz);
    memory_free(features);
    return code;
}

static int read_levels(struct trace_file *t)
{
    for (int l = 1; l <= TRACE_LEVELS; l++) {
        const struct st_tensor *x;
        char name[48];
        snprintf(name, sizeof name, "enc%d/block1/start", l);
        TRY(want(&x, t, name));
        if (x->items < 2 || x->items - 1 > t->n[l - 1])
            return error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                        "level %d has %lld points, the one below it %d", l,
                                        (long long)x->items - 1, t->n[l - 1]),
                               GLT_TOPIC_SHAPE, NULL);
        t->n[l] = (int32_t)(x->items - 1);
    }
    return 0;
}

/* The category of the ground truth, else the one that the main output predicts; -1 if there is
 * neither. */
static int choose_category(int32_t *out, const struct trace_file *t)
{
    const struct classes *c = &t->classes;
    const struct st_tensor *x = safetensors_find(&t->st, "out/main");
    int32_t truth = -1, rival;
    for (int32_t i = 0; t->truth && i < t->n[0] && truth < 0; i++)
        truth = t->truth[i];
    *out = -1;
    for (int32_t k = 0; k < c->n_categories && truth >= 0; k++)
        if (truth >= c->categories[k].first &&
            truth < c->categories[k].first + c->categories[k].count)
            *out = k;
    if (truth >= 0 || c->n_categories == 0 || !x || x->dims != 2 || x->shape[1] != c->n)
        return 0;
    float *logits = NULL;
    TRY(read_floats(&logits, t, "out/main", -1));
    int code = guess_category(out, &rival, c, logits, x->shape[0]);
    memory_free(logits);
    return code;
}

static int read_classes(struct trace_file *t)
{
    int32_t category;
    if (!safetensors_meta(&t->st, "gelatto.classes"))
        return 0;
    TRY(model_read_classes(&t->classes, &t->st));
    t->count = t->classes.n;
    TRY(choose_category(&category, t));
    classes_range(&t->first, &t->count, &t->classes, category);
    return 0;
}

int trace_file_open(struct trace_file *out, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    return trace_file_take(out, f);
}

int trace_file_take(struct trace_file *out, struct file *f)
{
    struct trace_file t = {.file = f};
    int code = safetensors_open(&t.st, f);
    if (code < 0) {
        file_close(f);
        return code;
    }
    code = read_points(&t);
    if (code == 0)
        code = read_levels(&t);
    if (code == 0)
        code = read_classes(&t);
    if (code < 0)
        trace_file_close(&t);
    else
        *out = t;
    return code;
}

void trace_file_close(struct trace_file *t)
{
    if (!t->file)
        return;
    safetensors_close(&t->st);
    file_close(t->file);
    memory_free(t->xyz);
    memory_free(t->row);
    memory_free(t->order);
    memory_free(t->colours);
    memory_free(t->truth);
    classes_free(&t->classes);
    *t = (struct trace_file){0};
}

int trace_block_read(struct trace_block *out, const struct trace_file *t, int level, int block)
{
    struct trace_block b = {0};
    int64_t n, edges;
    char name[48];
    snprintf(name, sizeof name, "enc%d/block%d/start", level, block);
    TRY(read_rows(&b.start, &n, t, name, INT32_MAX));
    b.centres = (int32_t)n - 1;
    int code = 0;
    if (b.centres != t->n[level])
        code = error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                    "tensor '%s' has lists for %d points, expected %d", name,
                                    b.centres, t->n[level]),
                           GLT_TOPIC_SHAPE, NULL);
    snprintf(name, sizeof name, "enc%d/block%d/index", level, block);
    if (code == 0)
        code = read_rows(&b.index, &edges, t, name, t->n[0]);
    for (int64_t i = 0; code == 0 && i + 1 < n; i++)
        if (b.start[i] > b.start[i + 1] || b.start[i + 1] > edges)
            code = error_topic(error_in(GLT_EFORMAT, file_name(t->file),
                                        "the lists of %s are not consecutive", name),
                               GLT_TOPIC_SHAPE, NULL);
        else if (b.start[i + 1] - b.start[i] > NEIGHBOURS_MAX)
            code = error_topic(error_place(error_in(GLT_EFORMAT, file_name(t->file),
                                                    "%s: point %lld has more than %d neighbours",
                                                    name, (long long)i, NEIGHBOURS_MAX),
                                           GLT_PLACE_POINT, i),
                               GLT_TOPIC_SHAPE, NULL);
    if (code < 0)
        trace_block_free(&b);
    else
        *out = b;
    return code;
}

void trace_block_free(struct trace_block *b)
{
    memory_free(b->start);
    memory_free(b->index);
    *b = (struct trace_block){0};
}

static const struct st_tensor *find_head(const struct trace_file *t, int level, int block,
                                         const char *head)
{
    char name[64];
    snprintf(name, sizeof name, "enc%d/block%d/attention_%s", level, block, head);
    const struct st_tensor *x = safetensors_find(&t->st, name);
    return x && x->dims == 2 ? x : NULL;
}

int64_t trace_channels(const struct trace_file *t, int level, int block, const char *head)
{
    const struct st_tensor *x = find_head(t, level, block, head);
    return x ? x->shape[1] : 0;
}

int trace_attention(float **out, int64_t *edges, int64_t *channels, const struct trace_file *t,
                    int level, int block, const char *head)
{
    const struct st_tensor *x = find_head(t, level, block, head);
    *out = NULL;
    *edges = *channels = 0;
    if (!x)
        return 0;
    TRY(read_floats(out, t, x->name, -1));
    *edges = x->shape[0];
    *channels = x->shape[1];
    return 0;
}

void trace_mean(float *dst, const float *weight, int64_t n, int64_t channels)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < channels; c++)
            sum += (double)weight[i * channels + c] / (double)channels;
        dst[i] = (float)sum;
    }
}

int trace_weights(float *dst, bool *found, const struct trace_file *t, int level, int block,
                  const char *head, int64_t begin, int64_t end, int channel)
{
    float *all = NULL;
    int64_t edges, channels;
    TRY(trace_attention(&all, &edges, &channels, t, level, block, head));
    *found = all && edges >= end;
    int code = 0;
    if (*found && channel >= channels)
        code =
            error_topic(error_set(GLT_EARGUMENT, "channel %d: enc%d/block%d/attention_%s has %lld",
                                  channel, level, block, head, (long long)channels),
                        GLT_TOPIC_OPTION, "channel");
    else if (*found && channel < 0)
        trace_mean(dst, all + begin * channels, end - begin, channels);
    else
        for (int64_t i = begin; *found && i < end; i++)
            dst[i - begin] = all[i * channels + channel];
    memory_free(all);
    return code;
}

int trace_features(float **out, int64_t *rows, int64_t *cols, const struct trace_file *t,
                   const char *name)
{
    const struct st_tensor *x = safetensors_find(&t->st, name);
    *out = NULL;
    *rows = *cols = 0;
    if (!x || x->dims != 2 || x->shape[0] > t->n[0] || x->items == 0)
        return 0;
    if (x->shape[1] > TRACE_COLUMNS_MAX)
        return error_topic(error_in(GLT_ELIMIT, file_name(t->file),
                                    "tensor '%s' has %lld columns: at most %d can be drawn", name,
                                    (long long)x->shape[1], TRACE_COLUMNS_MAX),
                           GLT_TOPIC_SHAPE, name);
    TRY(read_floats(out, t, name, -1));
    *rows = x->shape[0];
    *cols = x->shape[1];
    return 0;
}

/* --- predictions --- */

int trace_labels(int32_t **labels, int64_t *n, const struct trace_file *t, const char *which)
{
    char name[32];
    float *logits = NULL;
    snprintf(name, sizeof name, "out/%s", which);
    const struct st_tensor *x = safetensors_find(&t->st, name);
    *labels = NULL;
    if (!x || x->dims != 2 || x->shape[0] > t->n[0] || x->shape[1] > CLASSES_MAX)
        return 0;
    int64_t classes = x->shape[1];
    int32_t first = t->classes.n == classes ? t->first : 0;
    int32_t count = t->classes.n == classes ? t->count : (int32_t)classes;
    TRY(read_floats(&logits, t, name, -1));
    *labels = memory_alloc((size_t)x->shape[0] + 1, sizeof **labels);
    for (int64_t i = 0; *labels && i < x->shape[0]; i++) {
        int64_t best = first;
        for (int64_t c = first + 1; c < first + count; c++)
            best = logits[i * classes + c] > logits[i * classes + best] ? c : best;
        (*labels)[i] = (int32_t)best;
    }
    *n = x->shape[0];
    memory_free(logits);
    return *labels ? 0 : GLT_ENOMEM;
}
