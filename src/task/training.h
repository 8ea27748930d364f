/* A training run while it runs: training_start sets it up, train.c takes its steps. */
#ifndef TASK_TRAINING_H
#define TASK_TRAINING_H

#include "core/call.h"
#include "core/ranks.h"
#include "datasets/range.h"
#include "sampling/loader.h"
#include "task/checkpoint.h"
#include "task/replay.h"
#include "task/run.h"
#include "task/score.h"

struct training {
    struct call call;
    struct ranks *ranks; /* that share steps and validation; NULL: only one */
    struct glt_train_options options;
    struct config config;
    struct dataset *data;
    struct replay replay;     /* for reviewed data: the old data mixed in */
    struct item_source items; /* to learn from */
    struct model *model;
    struct trainer *trainer;
    struct loader *loader;
    bool validated;           /* there is a validation split */
    int64_t validation_bytes; /* needed to score it */
    struct run run;
    struct checkpoint at;
    char checkpoints[RUN_PATH];                         /* folder */
    struct range range;                                 /* of the training clouds */
    real *class_weight;                                 /* (classes) or NULL */
    bool *seen;                                         /* (classes) predicted in some validation */
    struct glt_attention attention[GLT_ATTENTION_ROWS]; /* of the weights after a step */
    int64_t attention_step;                             /* the number of that step; 0: none */
    char *attention_said;                               /* the last warning about it; NULL: none */
    int64_t minis;                                      /* mini-batches of an epoch */
    int64_t batches, last;                              /* steps of an epoch; of the whole run */
    bool asked;                                         /* this rank was asked to stop */
    bool stop;                                          /* all ranks stop after this step */

    glt_train_fn *fn;
    void *user;
    double began, saved;                                   /* times of the clock, in seconds */
    double step_seconds, validation_seconds, save_seconds; /* duration of the last one */
    int64_t samples;                                       /* since it began */
};

/* Opens or continues the run of t->options; `data` may be NULL with resume. */
int training_start(struct training *t, const struct config *c, const char *data);
/* The name of the data's folder without its location, which is private. */
void training_data_name(char *dst, size_t size, const char *data);
/* The split on which attention is measured. */
enum split training_observed(const struct training *t);
void training_free(struct training *t); /* accepts one that failed to start */

#endif
