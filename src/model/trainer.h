/* Training steps: forward, backward, Adam, on batches made elsewhere.
 *
 * A step is one or several mini-batches, its leaves. Each has its own statistics in the norms;
 * their gradients are added in a fixed tree (accumulate.h) and averaged; running statistics are
 * updated leaf by leaf in order. A trainer computes all leaves of a step, or its share. */
#ifndef MODEL_TRAINER_H
#define MODEL_TRAINER_H

#include "core/ranks.h"
#include "model/accumulate.h"
#include "model/exchange.h"
#include "model/network.h"

struct trainer {
    struct model *model;
    struct network network;
    const real
        *class_weight; /* (classes) in the loss; NULL: all equal. The caller sets and owns it */
    real *gradient, *m, *v; /* (model->size) each */
    real *statistics;       /* running ones before the step, restored if it fails */
    struct accumulate sums; /* of its share */
    struct exchange others; /* with the ranks that compute the rest; empty: no ranks */
    double *records;        /* (leaves, record) results of a leaf besides its gradient */
    int64_t record;         /* statistics (running.h), total loss, losses, clouds */
    int32_t first, end;     /* its share of the leaves */
    int64_t steps;          /* taken */
    double loss, norm;      /* of the last step: total loss, norm of the gradient */
    double losses[PLAN_LOSSES];
    int64_t clouds;
};

int trainer_create(struct trainer **out, struct model *m, int32_t batch, int32_t points);
void trainer_free(struct trainer *t); /* accepts NULL */
/* Steps of `leaves` mini-batches, a multiple of the number of ranks (NULL: one) that share them. A
 * trainer that was just created has steps of one. */
int trainer_share(struct trainer *t, int32_t leaves, struct ranks *r);

/* All of these return GLT_ENUMERIC if a loss, its gradient or a running statistic is not finite:
 * the model is then as before the step.
 *
 * A step of one mini-batch. */
int trainer_step(struct trainer *t, const struct batch *b, double lr);
/* Leaf `leaf` of a step; the first of the share begins the step. */
int trainer_add(struct trainer *t, const struct batch *b, int32_t leaf);
/* Ends a step of `leaves` mini-batches, the first of those given to trainer_share. All ranks take
 * part, even one without any of them. */
int trainer_finish(struct trainer *t, int32_t leaves, double lr);
/* Multiply-adds of a step of the last size. */
int64_t trainer_macs(const struct trainer *t);
/* Measures the bytes of a trainer of this size without allocating them: with steps of one
 * mini-batch, and the additional bytes of a share. */
int trainer_bytes(size_t *bytes, struct model *m, int32_t batch, int32_t points);
size_t trainer_share_bytes(const struct model *m, int32_t leaves, const struct ranks *r);

#endif
