/* The network as a plan: network.c reads like the paper. */
#ifndef MODEL_NETWORK_H
#define MODEL_NETWORK_H

#include "model/model.h"
#include "nn/plan.h"
#include "sampling/batch.h"

/* The purpose of a plan. */
struct network_options {
    bool training;
    bool aux;              /* with auxiliary outputs; always set when training a segmentation */
    bool trace;            /* keep everything that a trace needs */
    bool features;         /* keep the decoder's last features */
    bool observe;          /* statistics of attention; inference only */
    int32_t batch, points; /* the largest batch: clouds, points of a cloud */
    real *gradient;        /* (model->size), training only */
};

struct network {
    struct model *model;
    struct plan *plan;
    struct tensor *main, *aux[4]; /* logits; aux may be NULL */
    /* [2 * (level - 1) + block - 1][head]: (entropy, saturation) of each centre, with observe; NULL
     * for a missing head */
    struct tensor *statistics[8][2];
};

/* Adds every parameter of the full training network to a model that has none yet. */
int network_declare(struct model *m);
/* With allocate = false the plan is only measured (plan->bytes). */
int network_create(struct network *out, struct model *m, const struct network_options *o,
                   bool allocate);
void network_free(struct network *n); /* accepts an empty one */

/* Points the plan to the features and pyramid of a batch, which must live until the walk is
 * over. */
void network_batch(struct network *n, const struct batch *batch);

#endif
