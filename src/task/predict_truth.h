/* Ground truth of clouds as classes of a model. */
#ifndef TASK_PREDICT_TRUTH_H
#define TASK_PREDICT_TRUTH_H

#include "cloud/cloud.h"
#include "core/call.h"
#include "model/model.h"

#include <stdbool.h>

/* The ground truth of a cloud (n), as numbers of the model's classes: the labels the file came
 * with, or what an earlier prediction kept of them. Labels are mapped by the names the file gives
 * them, else by the numbers the model was trained from, else by number, which is logged; numbers of
 * LAS that nobody names are none. Returns 0 and does nothing if there is none, 1 if there is.
 * *exact: every label can be recovered from its class. */
int predict_truth(int32_t *dst, bool *exact, struct call *call, const struct glt_cloud *c,
                  const struct model *m);

#endif
