/* Training steps: forward, backward, Adam, on batches that somebody else makes. */
#ifndef MODEL_TRAINER_H
#define MODEL_TRAINER_H

#include "model/network.h"

/* What a step learns from; rows are network rows of the pyramid. */
struct train_batch {
    const struct pyramid *pyramid;
    const float *features;      /* (n[0], channels) */
    const int32_t *labels[5];   /* per level, -1: ignored; classification: [0] (clouds) */
    const int32_t *class_first; /* (clouds), parts only: the classes of each cloud's category */
    const int32_t *class_count;
    const real *class_weight; /* (classes) or NULL */
    uint32_t epoch, step;     /* key the dropout */
};

struct trainer {
    struct model *model;
    struct network network;
    real *gradient, *m, *v; /* (model->size) each */
    real *statistics;       /* running ones before the step, for one that fails */
    int64_t steps;          /* taken */
    double loss, norm;      /* of the last step: total loss, norm of the gradient */
};

int trainer_create(struct trainer **out, struct model *m, int32_t batch, int32_t points);
void trainer_free(struct trainer *t); /* accepts NULL */
/* Losses stand in t->network.plan->loss. GLT_ENUMERIC when the loss, its gradient or a running
 * statistic is not finite: the model is as it was. */
int trainer_step(struct trainer *t, const struct train_batch *b, double lr);
/* Forward and backward alone: the gradient stands in t->gradient. */
void trainer_gradient(struct trainer *t, const struct train_batch *b);
/* Bytes a trainer of this size takes, measured without taking them. */
int trainer_bytes(size_t *bytes, struct model *m, int32_t batch, int32_t points);

#endif
