/* Training steps: forward, backward, Adam, on batches that somebody else makes. */
#ifndef MODEL_TRAINER_H
#define MODEL_TRAINER_H

#include "model/network.h"

struct trainer {
    struct model *model;
    struct network network;
    const real
        *class_weight; /* (classes) in the loss; NULL: all alike. The caller sets and owns it */
    real *gradient, *m, *v; /* (model->size) each */
    real *statistics;       /* running ones before the step, for one that fails */
    int64_t steps;          /* taken */
    double loss, norm;      /* of the last step: total loss, norm of the gradient */
};

int trainer_create(struct trainer **out, struct model *m, int32_t batch, int32_t points);
void trainer_free(struct trainer *t); /* accepts NULL */
/* GLT_ENUMERIC when the loss, its gradient or a running
 * statistic is not finite: the model is as it was. */
int trainer_step(struct trainer *t, const struct batch *b, double lr);
/* The losses of the last step: of the main output, then of the auxiliary ones. */
const double *trainer_losses(const struct trainer *t);
/* Multiply-adds of a step of the last size. */
int64_t trainer_macs(const struct trainer *t);
/* Bytes a trainer of this size takes, measured without taking them. */
int trainer_bytes(size_t *bytes, struct model *m, int32_t batch, int32_t points);

#endif
