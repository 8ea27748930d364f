/* The validation cloud of a run, validation.ply in its folder: up to 20,000 points of the first
 * cloud of the validation split with their ground truth (`truth`), the labels of the last
 * validation (`label`), and those after epoch N (`epoch_N`). */
#ifndef TASK_RUN_CLOUD_H
#define TASK_RUN_CLOUD_H

#include "cloud/cloud.h"
#include "sampling/item.h"
#include "task/run.h"

/* labels: (x->n) predicted after `epoch`. Later epochs in the file belong to work lost by a kill
 * and are removed. Of more than 64 validations every second one is removed. */
int run_cloud_add(const struct run *r, const struct item *x, const int32_t *labels,
                  const struct classes *classes, int64_t epoch);
/* GLT_EDATA, topic MISSING, if the run has none. */
int run_cloud_read(struct glt_cloud **out, const struct run *r);
/* The epoch whose labels a column holds; -1 for other columns. */
int64_t run_cloud_epoch(const struct column *x);

#endif
