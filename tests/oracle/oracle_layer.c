/* The oracle's two-headed layer, edge by edge (paper, section 3.2; L155-L200).
 *
 *   H_ij  = f_r(x_i) + f_rs(x_j - x_i)
 *   G_ij  = f_p(p_i) + f_pq(p_j - p_i) + f_q(p_j) + f_hg(H_ij)
 *   H'_ij = H_ij + f_s(x_j) + f_gh(G_ij)
 *   G''_ij = f_gg(G_ij), H''_ij = f_hh(H'_ij)
 *   G_i = sum_j softmax_j(f_gatt(G''_ij)) * G''_ij, H_i likewise;  O_i = f_o([G_i ; H_i])
 *
 * Every quantity is an (edges, d) matrix: what looks wasteful is what makes it checkable. */
#include "oracle_parts.h"

#include <math.h>
#include <string.h>

enum group { INPUT_MAP, VALUE_MAP, SCORE_MAP };

struct layer {
    struct run *run;
    const char *module, *trace;
    const struct edges *e;
    int64_t d;
};

static enum oracle_kind kind_of(const struct oracle_config *c, enum group group)
{
    if (c->kind[group] != ORACLE_AUTO)
        return c->kind[group];
    if (c->maps == ORACLE_BN)
        return ORACLE_KIND_BN;
    if ((c->maps == ORACLE_VALUE_RELU && group == VALUE_MAP) ||
        (c->maps == ORACLE_BN_RELU && group != SCORE_MAP))
        return ORACLE_KIND_RELU;
    return c->maps == ORACLE_SCORE_MLP && group == SCORE_MAP ? ORACLE_KIND_MLP : ORACLE_KIND_LINEAR;
}

/* One f map with the normalisation and activation its group has under `maps`. */
static struct matrix map(const struct layer *l, const char *f, enum group group, struct matrix x,
                         int64_t out)
{
    enum oracle_kind kind = kind_of(l->run->config, group);
    struct oracle_name name = oracle_format("%s.%s", l->module, f);
    if (kind == ORACLE_KIND_MLP) {
        struct oracle_name hidden = oracle_format("%s.hidden", name.text);
        struct matrix h = layer_linear(l->run, hidden.text, x, l->d, 1);
        layer_relu(h);
        struct matrix y = layer_linear(l->run, oracle_format("%s.out", name.text).text, h, out, 0);
        matrix_free(&h);
        return y;
    }
    struct matrix y = layer_linear(l->run, name.text, x, out, 0);
    if (kind == ORACLE_KIND_BN || kind == ORACLE_KIND_RELU)
        layer_norm(l->run, name.text, y, kind == ORACLE_KIND_RELU);
    if (kind == ORACLE_KIND_RELU)
        layer_relu(y);
    return y;
}

enum end { CENTRE, SOURCE, DIFFERENCE };

/* (edges, c): rows of x at one end of every edge, or source minus centre. */
static struct matrix gather(const struct layer *l, struct matrix x, enum end end)
{
    struct matrix y = matrix_new(l->e->count, x.cols);
    for (int64_t e = 0; e < l->e->count; e++)
        for (int64_t c = 0; c < x.cols; c++) {
            double centre = x.at[l->e->self[e] * x.cols + c];
            double source = x.at[l->e->source[e] * x.cols + c];
            y.at[e * x.cols + c] = end == CENTRE   ? centre
                                   : end == SOURCE ? source
                                                   : source - centre;
        }
    return y;
}

/* sum += term, and the term is gone */
static void add(struct matrix sum, struct matrix term)
{
    for (int64_t i = 0; i < sum.rows * sum.cols; i++)
        sum.at[i] += term.at[i];
    matrix_free(&term);
}

/* f(x at one end, or the difference) on every edge */
static struct matrix edge_map(const struct layer *l, const char *f, struct matrix x, enum end end)
{
    struct matrix at = gather(l, x, end);
    struct matrix y = map(l, f, INPUT_MAP, at, l->d);
    matrix_free(&at);
    return y;
}

/* (centres, d): max over the neighbours */
static struct matrix pool(const struct layer *l, struct matrix value)
{
    struct matrix y = matrix_new(l->e->centres, l->d);
    for (int64_t i = 0; i < l->e->centres; i++)
        for (int64_t c = 0; c < l->d; c++) {
            double max = -INFINITY;
            for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++)
                max = fmax(max, value.at[e * l->d + c]);
            y.at[i * l->d + c] = max;
        }
    return y;
}

/* (centres, d): the mean over the neighbours */
static struct matrix average(const struct layer *l, struct matrix value)
{
    struct matrix y = matrix_new(l->e->centres, l->d);
    for (int64_t i = 0; i < l->e->centres; i++)
        for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++)
            for (int64_t c = 0; c < l->d; c++)
                y.at[i * l->d + c] +=
                    value.at[e * l->d + c] / (double)(l->e->start[i + 1] - l->e->start[i]);
    return y;
}

/* scores become weights: softmax over the neighbours of each centre, for each score */
static void softmax(const struct layer *l, struct matrix s)
{
    for (int64_t i = 0; i < l->e->centres; i++)
        for (int64_t h = 0; h < s.cols; h++) {
            double max = -INFINITY, sum = 0;
            for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++)
                max = fmax(max, s.at[e * s.cols + h]);
            for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++)
                sum += exp(s.at[e * s.cols + h] - max);
            for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++)
                s.at[e * s.cols + h] = exp(s.at[e * s.cols + h] - max) / sum;
        }
}

/* The weights of the edges in the lists; copies that pad a list are added to the first. */
static void keep_weights(const struct layer *l, struct matrix w, const char *head)
{
    int64_t listed = 0;
    for (int64_t i = 0; i < l->e->centres; i++)
        listed += l->e->listed[i];
    struct matrix m = matrix_new(listed, w.cols);
    int64_t row = 0;
    for (int64_t i = 0; i < l->e->centres; row += l->e->listed[i], i++)
        for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++) {
            int64_t slot = e - l->e->start[i];
            int64_t to = row + (slot < l->e->listed[i] ? slot : 0);
            for (int64_t h = 0; h < w.cols; h++)
                m.at[to * w.cols + h] += w.at[e * w.cols + h];
        }
    run_keep(l->run, oracle_format("%s/attention_%s", l->trace, head).text, m);
    matrix_free(&m);
}

/* G_i of G'' (or H_i of H''): attention, or the maximum for heads = pool */
static struct matrix aggregate(const struct layer *l, struct matrix value, const char *f,
                               const char *head)
{
    const struct oracle_config *c = l->run->config;
    struct matrix y;
    if (c->heads == ORACLE_POOL) {
        y = pool(l, value);
    } else if (c->heads == ORACLE_MEAN) {
        y = average(l, value);
    } else {
        int64_t shared = c->features_per_head ? c->features_per_head : l->d;
        struct matrix w = map(l, f, SCORE_MAP, value, l->d / shared);
        softmax(l, w);
        y = matrix_new(l->e->centres, l->d);
        for (int64_t i = 0; i < l->e->centres; i++)
            for (int64_t e = l->e->start[i]; e < l->e->start[i + 1]; e++)
                for (int64_t k = 0; k < l->d; k++)
                    y.at[i * l->d + k] += w.at[e * w.cols + k / shared] * value.at[e * l->d + k];
        keep_weights(l, w, head);
        matrix_free(&w);
    }
    run_keep(l->run, oracle_format("%s/%s", l->trace, head).text, y);
    return y;
}

/* [G ; H], or the one there is */
static struct matrix concatenate(struct matrix g, struct matrix h)
{
    if (!g.at)
        return h;
    if (!h.at)
        return g;
    struct matrix y = matrix_new(g.rows, g.cols + h.cols);
    for (int64_t n = 0; n < g.rows; n++) {
        memcpy(y.at + n * y.cols, g.at + n * g.cols, (size_t)g.cols * sizeof(double));
        memcpy(y.at + n * y.cols + g.cols, h.at + n * h.cols, (size_t)h.cols * sizeof(double));
    }
    matrix_free(&g);
    matrix_free(&h);
    return y;
}

struct matrix layer_maximum(struct run *r, const char *module, struct matrix x, struct matrix p,
                            const struct edges *e)
{
    struct layer l = {r, module, "", e, x.cols};
    struct matrix both = concatenate(gather(&l, x, SOURCE), gather(&l, p, DIFFERENCE));
    struct matrix y = layer_unit(r, oracle_format("%s.f_n", module).text, both, l.d, 1);
    struct matrix o = pool(&l, y);
    matrix_free(&both);
    matrix_free(&y);
    return o;
}

struct matrix layer_gelatto(struct run *r, const char *module, const char *trace, struct matrix x,
                            struct matrix p, const struct edges *e)
{
    struct layer l = {r, module, trace, e, x.cols};
    const struct oracle_config *c = r->config;
    int geometric = c->heads != ORACLE_LATENT, latent = c->heads != ORACLE_GEOMETRIC;
    /* maps that reach no output are absent */
    int needs_h = latent || c->cross, needs_g = geometric || c->cross;
    struct matrix h = {0}, g = {0}, out_g = {0}, out_h = {0};
    if (needs_h) {
        h = edge_map(&l, "f_r", x, CENTRE);
        add(h, edge_map(&l, "f_rs", x, DIFFERENCE));
    }
    if (needs_g) {
        g = edge_map(&l, "f_p", p, CENTRE);
        add(g, edge_map(&l, "f_pq", p, DIFFERENCE));
        add(g, edge_map(&l, "f_q", p, SOURCE));
        if (c->cross)
            add(g, map(&l, "f_hg", INPUT_MAP, h, l.d));
    }
    if (latent) {
        add(h, edge_map(&l, "f_s", x, SOURCE)); /* h is H' from here on */
        if (c->cross)
            add(h, map(&l, "f_gh", INPUT_MAP, g, l.d));
        struct matrix value = map(&l, "f_hh", VALUE_MAP, h, l.d);
        out_h = aggregate(&l, value, "f_hatt", "latent");
        matrix_free(&value);
    }
    if (geometric) {
        struct matrix value = map(&l, "f_gg", VALUE_MAP, g, l.d);
        out_g = aggregate(&l, value, "f_gatt", "geometric");
        matrix_free(&value);
    }
    matrix_free(&h);
    matrix_free(&g);
    struct matrix both = concatenate(out_g, out_h);
    struct matrix o = layer_linear(r, oracle_format("%s.f_o", module).text, both, l.d, 0);
    matrix_free(&both);
    return o;
}
