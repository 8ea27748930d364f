/* The oracle's network: stem, encoder, decoder, heads, classification (network.md, sections 1-3).
 *
 * Reads from top to bottom as the tables of docs/network.md do. See oracle.h for the contract. */
#include "oracle.h"

#include "oracle_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    const struct oracle_cloud *clouds;
    int32_t count;
};

static int64_t level_rows(struct batch b, int level)
{
    int64_t rows = 0;
    for (int32_t i = 0; i < b.count; i++)
        rows += b.clouds[i].n[level];
    return rows;
}

/* Rows of every cloud's level, cloud after cloud. */
static struct matrix level_xyz(struct batch b, int level)
{
    struct matrix m = matrix_new(level_rows(b, level), 3);
    double *to = m.at;
    for (int32_t i = 0; i < b.count; i++) {
        memcpy(to, b.clouds[i].xyz, (size_t)b.clouds[i].n[level] * 3 * sizeof(double));
        to += (int64_t)b.clouds[i].n[level] * 3;
    }
    return m;
}

static struct matrix input_features(struct batch b, int64_t cols)
{
    struct matrix m = matrix_new(level_rows(b, 0), cols);
    double *to = m.at;
    for (int32_t i = 0; i < b.count; i++) {
        memcpy(to, b.clouds[i].features, (size_t)(b.clouds[i].n[0] * cols) * sizeof(double));
        to += b.clouds[i].n[0] * cols;
    }
    return m;
}

/* Edges of block (0, 1) of encoder l (0 .. 3) in batch rows, lists padded to k slots if asked. */
static struct edges edges_of(const struct oracle_config *c, struct batch b, int l, int block)
{
    int from = block ? l + 1 : l;
    struct edges e = {.centres = level_rows(b, l + 1)};
    e.start = oracle_memory(e.centres + 1, sizeof *e.start);
    e.listed = oracle_memory(e.centres, sizeof *e.listed);
    int64_t row = 0, first = 0;
    for (int32_t i = 0; i < b.count; i++)
        for (int32_t n = 0; n < b.clouds[i].n[l + 1]; n++, row++) {
            const int32_t *start = b.clouds[i].start[l][block];
            e.listed[row] = start[n + 1] - start[n];
            int32_t k = block && c->k2[l] ? c->k2[l] : c->k[l];
            int32_t slots = c->pad && k > e.listed[row] ? k : e.listed[row];
            e.start[row + 1] = e.start[row] + slots;
        }
    e.count = e.start[e.centres];
    e.self = oracle_memory(e.count, sizeof *e.self);
    e.source = oracle_memory(e.count, sizeof *e.source);
    row = 0;
    for (int32_t i = 0; i < b.count; first += b.clouds[i].n[from], i++)
        for (int32_t n = 0; n < b.clouds[i].n[l + 1]; n++, row++) {
            const int32_t *list = b.clouds[i].index[l][block] + b.clouds[i].start[l][block][n];
            for (int64_t at = e.start[row]; at < e.start[row + 1]; at++) {
                int64_t slot = at - e.start[row];
                e.self[at] = (int32_t)first + n; /* a level is a prefix of the one below */
                e.source[at] = (int32_t)first + list[slot < e.listed[row] ? slot : 0];
            }
        }
    return e;
}

static void edges_free(struct edges *e)
{
    free(e->start);
    free(e->listed);
    free(e->self);
    free(e->source);
}

/* max_k f: (centres, c) */
static struct matrix neighbour_max(struct matrix f, const struct edges *e)
{
    struct matrix y = matrix_new(e->centres, f.cols);
    for (int64_t i = 0; i < e->centres; i++)
        for (int64_t c = 0; c < f.cols; c++) {
            double max = -INFINITY;
            for (int64_t at = e->start[i]; at < e->start[i + 1]; at++)
                max = fmax(max, f.at[e->source[at] * f.cols + c]);
            y.at[i * f.cols + c] = max;
        }
    return y;
}

/* One residual block: frees f, gives the features at the centres. */
static struct matrix residual_block(struct run *r, struct batch b, struct matrix f, int l,
                                    int block)
{
    const struct oracle_config *c = r->config;
    struct oracle_name module = oracle_format("enc%d.block%d", l + 1, block + 1);
    struct oracle_name trace = oracle_format("enc%d/block%d", l + 1, block + 1);
    struct oracle_name attention = oracle_format("%s.attention", module.text);
    struct edges e = edges_of(c, b, l, block);
    struct matrix p = level_xyz(b, block ? l + 1 : l);

    struct matrix x = layer_unit(r, oracle_format("%s.in", module.text).text, f, c->inner[l], 1);
    run_keep(r, oracle_format("%s/in", trace.text).text, x);
    struct matrix y;
    if (c->heads == ORACLE_NONE) {
        y = layer_maximum(r, attention.text, x, p, &e);
    } else {
        y = layer_gelatto(r, attention.text, trace.text, x, p, &e);
        layer_norm(r, attention.text, y, 1);
        layer_relu(y);
    }
    run_keep(r, oracle_format("%s/layer", trace.text).text, y);
    struct matrix z = layer_unit(r, oracle_format("%s.out", module.text).text, y, c->width[l], 0);

    struct oracle_name shortcut = oracle_format("%s.shortcut", module.text);
    struct matrix s;
    if (!block) {
        struct matrix max = neighbour_max(f, &e);
        s = layer_unit(r, shortcut.text, max, c->width[l], 0);
        matrix_free(&max);
        matrix_free(&f);
    } else if (!c->identity) {
        s = layer_unit(r, shortcut.text, f, c->width[l], 0);
        matrix_free(&f);
    } else {
        s = f;
    }
    for (int64_t i = 0; i < z.rows * z.cols; i++)
        z.at[i] += s.at[i];
    layer_relu(z);
    run_keep(r, oracle_format("%s/out", trace.text).text, z);
    matrix_free(&x);
    matrix_free(&y);
    matrix_free(&s);
    matrix_free(&p);
    edges_free(&e);
    return z;
}

static struct matrix copy(struct matrix m)
{
    struct matrix y = matrix_new(m.rows, m.cols);
    memcpy(y.at, m.at, (size_t)(m.rows * m.cols) * sizeof(double));
    return y;
}

/* [interpolated coarse ; skip] at level l, from level l + 1 */
static struct matrix interpolate(struct batch b, struct matrix coarse, struct matrix skip, int l)
{
    struct matrix y = matrix_new(skip.rows, coarse.cols + skip.cols);
    int64_t row = 0, first = 0;
    for (int32_t i = 0; i < b.count; first += b.clouds[i].n[l + 1], i++)
        for (int32_t n = 0; n < b.clouds[i].n[l]; n++, row++) {
            double *to = y.at + row * y.cols;
            for (int t = 0; t < 3; t++) {
                double w = b.clouds[i].up_weight[l][3 * n + t];
                const double *from =
                    coarse.at + (first + b.clouds[i].up_index[l][3 * n + t]) * coarse.cols;
                for (int64_t c = 0; c < coarse.cols; c++)
                    to[c] += w * from[c];
            }
            memcpy(to + coarse.cols, skip.at + row * skip.cols, (size_t)skip.cols * sizeof(double));
        }
    return y;
}

/* hidden (BN or bias), ReLU, [dropout: off here,] logits */
static void head(struct run *r, const char *module, struct matrix x, int64_t width, int bias)
{
    struct oracle_name hidden = oracle_format("%s.hidden", module);
    struct matrix h;
    if (bias) {
        h = layer_linear(r, hidden.text, x, width, 1);
        layer_relu(h);
    } else {
        h = layer_unit(r, hidden.text, x, width, 1);
    }
    struct matrix y =
        layer_linear(r, oracle_format("%s.logits", module).text, h, r->config->classes, 1);
    int main_output = !strcmp(module, "cls");
    run_keep(r, oracle_format("out/%s", main_output ? "main" : module).text, y);
    matrix_free(&h);
    matrix_free(&y);
}

static void decode(struct run *r, struct batch b, struct matrix skip[ORACLE_LEVELS],
                   struct matrix top)
{
    const struct oracle_config *c = r->config;
    struct matrix f = copy(top);
    head(r, "aux1", f, c->head_hidden, 0);
    for (int l = ORACLE_LEVELS - 1; l >= 0; l--) {
        struct matrix in = interpolate(b, f, skip[l], l);
        struct oracle_name first = oracle_format("dec%d.0", l + 1);
        struct oracle_name second = oracle_format("dec%d.1", l + 1);
        struct matrix middle = layer_unit(r, first.text, in, c->decoder[l][0], 1);
        matrix_free(&f);
        f = layer_unit(r, second.text, middle, c->decoder[l][1], 1);
        matrix_free(&in);
        matrix_free(&middle);
        run_keep(r, oracle_format("dec%d/out", l + 1).text, f);
        struct oracle_name name = oracle_format("aux%d", ORACLE_LEVELS - l + 1);
        head(r, l ? name.text : "main", f, c->head_hidden, 0);
    }
    matrix_free(&f);
}

/* Global average over the points of encoder 4, cloud by cloud, then `cls`. */
static void classify(struct run *r, struct batch b, struct matrix top)
{
    const struct oracle_config *c = r->config;
    struct matrix pooled = matrix_new(b.count, top.cols);
    int64_t row = 0;
    for (int32_t i = 0; i < b.count; i++)
        for (int32_t n = 0; n < b.clouds[i].n[ORACLE_LEVELS]; n++, row++)
            for (int64_t k = 0; k < top.cols; k++)
                pooled.at[i * top.cols + k] +=
                    top.at[row * top.cols + k] / b.clouds[i].n[ORACLE_LEVELS];
    run_keep(r, "pooled", pooled);
    head(r, "cls", pooled, c->cls_hidden, c->cls_bias);
    matrix_free(&pooled);
}

int oracle_run(struct oracle_result *out, const struct oracle_config *config,
               oracle_param_fn *param, void *user, const struct oracle_cloud *clouds, int32_t count,
               int training)
{
    *out = (struct oracle_result){0};
    struct run r = {config, param, user, training, out};
    struct batch b = {clouds, count};
    struct matrix skip[ORACLE_LEVELS];
    struct matrix in = input_features(b, config->inputs);
    struct matrix f = layer_unit(&r, "stem", in, config->stem, 1);
    matrix_free(&in);
    run_keep(&r, "stem", f);
    for (int l = 0; l < ORACLE_LEVELS; l++) {
        skip[l] = copy(f);
        f = residual_block(&r, b, f, l, 0);
        f = residual_block(&r, b, f, l, 1);
    }
    if (config->classification)
        classify(&r, b, f);
    else
        decode(&r, b, skip, f);
    for (int l = 0; l < ORACLE_LEVELS; l++)
        matrix_free(&skip[l]);
    matrix_free(&f);
    return out->error[0] ? -1 : 0;
}
