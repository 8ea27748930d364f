/* Prediction: a class for every point of a cloud, or one for the whole of a shape. The driver
 * (task/inference.h) runs the network; here its results become attributes of the cloud. The labels
 * depend on the set of points alone. */
#ifndef TASK_PREDICT_H
#define TASK_PREDICT_H

#include "config/inputs.h"
#include "core/call.h"
#include "model/model.h"
#include "sampling/item.h"

/* The name of an input the cloud lacks, which lives as long as the inputs; NULL if it has all. */
const char *predict_missing_input(const struct glt_cloud *c, const struct inputs *inputs);
/* GLT_EMODEL, naming installed models that would do, if the cloud lacks an input of the model's. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m);

/* The cloud as the model sees it; a warning if it is unlike those the model has learned from. */
int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m,
                 const char *name);

/* The ground truth of a cloud (n), as numbers of the model's classes: the labels the file came
 * with, or what an earlier prediction kept of them. Labels are mapped by the names the file gives
 * them, else by the numbers the model was trained from, else by number, which is logged; numbers of
 * LAS that nobody names are none. Returns 0 and does nothing if there is none, 1 if there is.
 * *exact: every label can be recovered from its class. */
int predict_truth(int32_t *dst, bool *exact, struct call *call, const struct glt_cloud *c,
                  const struct model *m);

#endif
