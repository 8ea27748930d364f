/* Prediction: a class for every point of a cloud, or one for the whole of a shape. The driver
 * (task/inference.h) runs the network; here its results become attributes of the cloud. The labels
 * depend on the set of points alone. */
#ifndef TASK_PREDICT_H
#define TASK_PREDICT_H

#include "gelatto.h"
#include "model/model.h"
#include "sampling/item.h"
#include "task/predictions.h"

struct predict_options {
    struct predictions_wanted wanted;
    const char *category; /* parts; NULL: the one with the largest sum */
    int32_t overlap;      /* scenes: further tilings, by shifted grids */
    int64_t max_memory;   /* bytes of the process; 0: no limit */
    const char *name;     /* of the cloud, in messages */
};

/* GLT_EMODEL, naming installed models that would do, if the cloud lacks an input of the model's. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m);

/* The cloud as the model sees it; a warning if it is unlike those the model has learned from. */
int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m,
                 const char *name);
int predict_cloud(struct glt_cloud *c, struct model *m, const struct predict_options *o,
                  struct glt_prediction *out, float *probabilities);

#endif
