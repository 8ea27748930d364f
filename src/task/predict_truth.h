/* Ground truth of clouds as classes of a model. */
#ifndef TASK_PREDICT_TRUTH_H
#define TASK_PREDICT_TRUTH_H

#include "cloud/cloud.h"
#include "core/call.h"

#include <stdbool.h>

/* The ground truth of a cloud (n), as numbers of classes of a model: the labels in the file, or
 * those that an earlier prediction kept. Labels are mapped by their names in the file, else by the
 * numbers of the model's training data, else by number, which is logged; unnamed LAS numbers are
 * not used. Returns 1, or 0 without doing anything if there is no ground truth. *exact: every label
 * can be recovered from its class. */
int predict_truth(int32_t *dst, bool *exact, struct call *call, const struct glt_cloud *c,
                  const struct classes *classes);

#endif
