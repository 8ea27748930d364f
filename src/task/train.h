/* Training: what train_start.c sets up and train.c runs. */
#ifndef TASK_TRAIN_H
#define TASK_TRAIN_H

#include "datasets/range.h"
#include "sampling/loader.h"
#include "task/checkpoint.h"
#include "task/run.h"
#include "task/score.h"

struct training {
    struct glt_train_options options;
    struct config config;
    struct dataset *data;
    struct model *model;
    struct trainer *trainer;
    struct loader *loader;
    bool validated;           /* there is a validation split */
    int64_t validation_bytes; /* that scoring it takes */
    struct run run;
    struct checkpoint at;
    char checkpoints[RUN_PATH]; /* folder */
    struct range range;         /* of the training clouds */
    real *class_weight;         /* (classes) or NULL */
    bool *seen;                 /* (classes) predicted in some validation */
    int64_t batches, last;      /* steps of an epoch; of the whole training */
    bool stop;                  /* asked for from outside */

    glt_train_fn *fn;
    void *user;
    double began, saved; /* seconds of the clock */
    int64_t samples;     /* since it began */
};

/* --init: the network of a model and the samples it knows, where the user has not set them; `name`
 * stands in messages. Then the weights that fit. */
int train_init_network(struct config *c, const struct config *from, const char *name);
int train_init_weights(struct training *t, const struct model *from);
/* Before its first step: the memory it will take, of which the program's own is measured before
 * anything is made; blocks that are nearly empty. */
void train_measure_program(void);
int train_tell_memory(struct training *t);
void train_tell_blocks(struct training *t);
/* Opens or continues the run of t->options; `data` may be NULL with resume. */
int training_start(struct training *t, const struct config *c, const char *data);
int training_run(struct training *t);
void training_free(struct training *t); /* accepts one that failed to start */

#endif
