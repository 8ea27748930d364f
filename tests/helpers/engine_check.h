/* Compares a pass of the engine with one of the oracle: tensors by name, losses, running
 * statistics. */
#ifndef ENGINE_CHECK_H
#define ENGINE_CHECK_H

#include "core/error.h"
#include "model/network.h"
#include "nn/running.h"
#include "oracle_bridge.h"
#include "oracle_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* max |a - b| <= TOLERANCE max |b|, per tensor */
static const double TOLERANCE = sizeof(real) == sizeof(double) ? 1e-10 : 1e-4;

/* One pass of each. */
struct engine_case {
    struct model *model;
    struct network network;
    struct oracle_batch batch;
    struct oracle_config config;
    double *block; /* the model's weights before the pass */
};

static inline const double *find_param(void *user, const char *name, int64_t *count)
{
    struct engine_case *f = user;
    const struct parameter *p = model_find(f->model, name);
    if (!p)
        return NULL;
    *count = p->rows * p->cols;
    return f->block + p->offset;
}

/* Compares columns col0 .. of a tensor of the engine with a tensor of the oracle. */
static inline void compare_one(const struct plan *p, const struct tensor *t, int64_t col0,
                               const struct oracle_tensor *b)
{
    double error = 0, size = 0;
    assert_int_equal(rows_of(p, t), b->rows);
    assert_true(col0 + b->cols <= t->cols);
    for (int64_t n = 0; n < b->rows; n++)
        for (int64_t c = 0; c < b->cols; c++) {
            error = fmax(error, fabs(t->x[n * t->ld + col0 + c] - b->at[n * b->cols + c]));
            size = fmax(size, fabs(b->at[n * b->cols + c]));
        }
    if (!(error <= TOLERANCE * size))
        fail_msg("%s: off by %g of %g", b->name, error, size);
}

/* Compares every tensor that the engine keeps with that of the same name in the oracle; returns how
 * many. The engine's `attention` holds the weights of all heads side by side. */
static inline int compare_tensors(const struct engine_case *f, const struct oracle_result *r)
{
    static const char *const tails[3] = {"", "_geometric", "_latent"};
    int compared = 0;
    for (int i = 0; i < f->network.plan->tensors_count; i++) {
        const struct tensor *t = f->network.plan->tensors[i];
        int64_t cols = 0;
        for (int k = 0; k < 3 && t->name[0] && cols < t->cols; k++) {
            const struct oracle_tensor *b =
                oracle_tensor(r, oracle_format("%s%s", t->name, tails[k]).text);
            if (b) {
                compare_one(f->network.plan, t, cols, b);
                cols += b->cols;
            }
        }
        if (t->name[0] && cols != t->cols)
            fail_msg("%s: %d of %d columns in the oracle", t->name, (int)cols, (int)t->cols);
        compared += t->name[0] != 0;
    }
    return compared;
}

static inline void compare_losses(const struct engine_case *f, const struct oracle_result *r)
{
    struct oracle_losses loss;
    oracle_loss(&loss, &f->config, r, f->batch.clouds, f->batch.count);
    for (int i = 0; i < (f->config.classification ? 1 : 5); i++)
        if (!(fabs(loss.output[i] - f->network.plan->loss[i]) <= TOLERANCE * loss.output[i]))
            fail_msg("loss %d: %.9g, oracle %.9g", i, f->network.plan->loss[i], loss.output[i]);
}

/* running = 0.9 old + 0.1 batch, with the unbiased variance */
static inline void compare_statistics(const struct engine_case *f, const struct oracle_result *r)
{
    const struct model *m = f->model;
    double share = m->config.training.bn_momentum;
    for (int64_t i = 0; i < m->size; i++)
        m->block[i] = (real)f->block[i];
    running_apply(f->network.plan, f->network.plan->record);
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i];
        if (!p->statistic)
            continue;
        const char *leaf = strstr(p->name, "running_");
        int length = (int)(leaf - p->name);
        int var = !strcmp(leaf, "running_var");
        struct oracle_name name = oracle_format("%.*s%s", length, p->name, leaf + 8);
        const struct oracle_tensor *t = oracle_tensor(r, name.text);
        double rows = oracle_tensor(r, oracle_format("%.*srows", length, p->name).text)->at[0];
        assert_non_null(t);
        double size = 0;
        for (int64_t k = 0; k < p->cols; k++)
            size = fmax(size, fabs(t->at[k]) + fabs(f->block[p->offset + k]));
        for (int64_t k = 0; k < p->cols; k++) {
            double batch = t->at[k] * (var ? rows / (rows - 1) : 1);
            double want = (1 - share) * f->block[p->offset + k] + share * batch;
            double got = m->block[p->offset + k];
            if (!(fabs(got - want) <= TOLERANCE * size))
                fail_msg("%s[%d] %.9g, oracle %.9g", p->name, (int)k, got, want);
        }
    }
}

static inline struct oracle_result ask(struct engine_case *f, bool training)
{
    struct oracle_result r;
    if (oracle_run(&r, &f->config, find_param, f, f->batch.clouds, f->batch.count, training))
        fail_msg("%s", r.error);
    return r;
}

/* Makes the engine's network for a pass over a batch. With o->trace it keeps all tensors, and does
 * maps with a ReLU edge by edge; without, it is the network of the product. */
static inline void open_engine(struct engine_case *f, const struct network_options *o,
                               const struct batch *b)
{
    if (network_create(&f->network, f->model, o, true) < 0)
        fail_msg("%s", glt_error_message());
    struct plan *p = f->network.plan;
    network_batch(&f->network, b);
    for (int l = 0; l <= 4; l++)
        p->batch.labels[l] = b->labels[l];
    p->record = oracle_memory(p->running, sizeof *p->record);
}

static inline void close_engine(struct engine_case *f)
{
    free(f->network.plan->record);
    network_free(&f->network);
}

/* Runs the engine and compares its tensors, which must be at least this many; in training also
 * losses and, after the walk back, which recomputes norms, the statistics. */
static inline void compare_pass(const struct engine_case *f, const struct oracle_result *r,
                                int tensors)
{
    struct plan *p = f->network.plan;
    plan_forward(p);
    assert_true(compare_tensors(f, r) >= tensors);
    if (!p->training)
        return;
    compare_losses(f, r);
    plan_backward(p);
    compare_statistics(f, r);
}

/* A copy of the model's current weights. */
static inline void remember(struct engine_case *f, struct model *m)
{
    f->model = m;
    f->block = oracle_memory(m->size, sizeof(double));
    for (int64_t i = 0; i < m->size; i++)
        f->block[i] = m->block[i];
}

#endif
