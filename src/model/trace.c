/* Writing traces: see trace.h. Lists come from the pyramid, values from the named tensors of the
 * plan, which a tracing plan keeps to the end of its walk. */
#include "model/trace.h"

#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "geometry/lists.h"
#include "geometry/pyramid.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/network.h"
#include "model/safetensors.h"
#include "nn/plan.h"
#include "sampling/batch.h"

#include <stdio.h>
#include <string.h>

enum { SOURCES = 96, COPIES = 64 };

struct trace {
    const struct engine *engine;
    const struct model *model;
    struct st_source sources[SOURCES];
    int count;
    void *copies[COPIES]; /* values that had to be gathered or converted to float */
    int n_copies;
};

/* A tensor of up to two dimensions; cols 0: one. */
static struct st_source *put(struct trace *t, const char *name, enum st_type type, int64_t rows,
                             int64_t cols, const void *items)
{
    ASSERT(t->count < SOURCES);
    struct st_source *s = &t->sources[t->count++];
    *s = (struct st_source){
        .type = type, .dims = cols ? 2 : 1, .shape = {rows, cols}, .items = items};
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

static void *copy_of(struct trace *t, int64_t items, size_t size)
{
    ASSERT(t->n_copies < COPIES);
    return t->copies[t->n_copies++] = memory_alloc((size_t)items, size);
}

/* Columns first .. first + cols - 1 of a plan's tensor, as float. */
static int put_values(struct trace *t, const char *name, const struct tensor *x, int64_t first,
                      int64_t cols)
{
    int64_t rows = rows_of(engine_network(t->engine)->plan, x);
    float *copy = copy_of(t, rows * cols, sizeof *copy);
    if (!copy)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < cols; c++)
            copy[i * cols + c] = (float)x->x[i * x->ld + first + c];
    put(t, name, ST_F32, rows, cols, copy);
    return 0;
}

/* The collapsed path keeps the attention of its heads side by side. */
static int put_heads(struct trace *t, const struct tensor *x)
{
    static const char *const names[] = {"geometric", "latent"};
    char name[96];
    int heads = t->model->config.network.heads;
    int first = heads == HEADS_LATENT, last = heads != HEADS_GEOMETRIC;
    int64_t cols = x->cols / (last - first + 1);
    for (int h = first; h <= last; h++) {
        snprintf(name, sizeof name, "%s_%s", x->name, names[h]);
        TRY(put_values(t, name, x, (h - first) * cols, cols));
    }
    return 0;
}

static int put_named(struct trace *t)
{
    static const char both[] = "/attention";
    const struct plan *p = engine_network(t->engine)->plan;
    for (int i = 0; i < p->tensors_count; i++) {
        const struct tensor *x = p->tensors[i];
        size_t len = strlen(x->name);
        if (len == 0)
            continue;
        if (len > sizeof both && !strcmp(x->name + len - (sizeof both - 1), both))
            TRY(put_heads(t, x));
        else
            TRY(put_values(t, x->name, x, 0, x->cols));
    }
    return 0;
}

static void put_lists(struct trace *t)
{
    const struct pyramid *y = &engine_batch(t->engine)->pyramid;
    char name[48];
    for (int l = 1; l <= PYRAMID_LEVELS; l++)
        for (int b = 1; b <= 2; b++) {
            const struct neighbours *e = &y->block[l - 1][b - 1];
            snprintf(name, sizeof name, "enc%d/block%d/start", l, b);
            put(t, name, ST_I32, e->centres + 1, 0, e->start);
            snprintf(name, sizeof name, "enc%d/block%d/index", l, b);
            put(t, name, ST_I32, e->start[e->centres], 0, e->index);
        }
    for (int l = PYRAMID_LEVELS; l >= 1 && t->model->config.task != TASK_CLASSIFY; l--) {
        const struct upsampling *u = &y->up[l - 1];
        snprintf(name, sizeof name, "dec%d/index", l);
        put(t, name, ST_I32, u->fine, 3, u->index);
        snprintf(name, sizeof name, "dec%d/weight", l);
        put(t, name, ST_F32, u->fine, 3, u->weight);
    }
}

/* Writes the input, in the rows of the caller. */
static int put_input(struct trace *t, const struct trace_input *in)
{
    const struct batch *b = engine_batch(t->engine);
    int64_t n = b->pyramid.n[0], channels = b->channels;
    float *xyz = copy_of(t, n, 3 * sizeof *xyz);
    float *features = copy_of(t, n * channels, sizeof *features);
    if (!xyz || !features)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        const float *row = b->features + i * channels;
        memcpy(xyz + 3 * (int64_t)b->row[i], row, 3 * sizeof *xyz);
        memcpy(features + b->row[i] * channels, row, (size_t)channels * sizeof *features);
    }
    put(t, "input/xyz", ST_F32, n, 3, xyz);
    put(t, "input/features", ST_F32, n, channels, features);
    put(t, "order", ST_I32, n, 0, b->row);
    if (in->rows)
        put(t, "input/row", ST_I32, n, 0, in->rows);
    if (in->labels)
        put(t, "input/label", ST_I32, n, 0, in->labels);
    return 0;
}

int trace_put(struct file *f, const struct engine *e, const struct model *m,
              const struct trace_input *in)
{
    int code = GLT_ENOMEM;
    struct trace *t = memory_alloc(1, sizeof *t);
    struct json *meta = json_object();
    if (!t || !meta)
        goto done;
    t->engine = e;
    t->model = m;
    code = model_metadata(meta, m, NULL);
    if (code == 0 && (json_set(meta, "gelatto.trace", json_string("1")) ||
                      json_set(meta, "gelatto.model", json_string(m->digest))))
        code = error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    if (code == 0)
        code = put_input(t, in);
    if (code == 0) {
        put_lists(t);
        code = put_named(t);
    }
    if (code == 0)
        code = safetensors_put(f, t->sources, t->count, meta);
done:
    for (int i = 0; t && i < t->n_copies; i++)
        memory_free(t->copies[i]);
    memory_free(t);
    json_free(meta);
    return code;
}

int trace_write(const struct engine *e, const struct model *m, const struct trace_input *in,
                const char *path)
{
    struct file *f;
    TRY(file_create(&f, path));
    return file_finish(f, trace_put(f, e, m, in));
}
