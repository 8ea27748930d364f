/* An evaluation: opened by eval_open.c, scored by eval.c. */
#ifndef TASK_EVAL_OPEN_H
#define TASK_EVAL_OPEN_H

#include "datasets/dataset.h"
#include "datasets/digest.h"
#include "model/model.h"
#include "task/score.h"

struct eval {
    struct glt_eval_options options;
    const char *model_path;
    struct model *model;
    struct dataset *data;
    struct glt_cloud *cloud; /* of a single file */
    enum split split;
    struct sampling_settings sampling;
    enum inference_protocol protocol;
    struct score score; /* of the first seed */
    double metric_mean, metric_deviation;
    int64_t seed, seeds; /* the first one, how many */
    char fingerprint[DIGEST_SIZE];
    struct thinning thin;
    double kept;   /* share of the points that thinning kept */
    double common; /* metric of a constant prediction of the commonest class */
    int32_t common_class;
};

/* Opens the model and its data, with the settings of both. */
int eval_open(struct eval *e, const char *path, const struct config *given);

#endif
