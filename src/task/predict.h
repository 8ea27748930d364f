/* Prediction: a class for every point of a cloud, or one for the whole of a shape. The driver
 * (task/inference.h) runs the network; here its results become attributes of the cloud. The labels
 * depend on the set of points alone. */
#ifndef TASK_PREDICT_H
#define TASK_PREDICT_H

#include "config/inputs.h"
#include "core/call.h"
#include "model/model.h"
#include "sampling/item.h"
#include "task/halo.h"

/* The name of an input that the cloud lacks, valid as long as `inputs`; NULL if it has all. */
const char *predict_missing_input(const struct glt_cloud *c, const struct inputs *inputs);
/* GLT_EMODEL, naming suitable installed models, if the cloud lacks an input of the model. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m);

/* The cloud as input of the model; warns if it differs from the model's training data. */
int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m,
                 const char *name);

/* Whether prediction resamples a shape of n points to as many as the model was trained on. */
bool predict_is_dense(const struct model *m, int64_t n);

/* A prediction: options, out and probabilities are those of glt_cloud_predict. */
struct predict_call {
    struct model *model;
    const char *options;
    struct glt_prediction *out;
    float *probabilities;
    bool one_of_many; /* a tile of a survey, which may be empty */
};
/* glt_cloud_predict for a cloud with its surroundings; halo may be NULL. */
int predict_cloud(struct glt_cloud *c, const struct halo *halo, const struct predict_call *x);
/* What the options need from the files beside a cloud. */
int predict_reach(struct halo_reach *out, const struct model *m, const char *options);

#endif
