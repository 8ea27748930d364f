/* Defaults of a dataset for what the user has not set: task, inputs, augmentation. */
#ifndef TASK_DEFAULTS_H
#define TASK_DEFAULTS_H

#include "config/config.h"
#include "datasets/dataset.h"

/* Opens the dataset and completes the configuration by docs/explanation/samples.md: keys that were
 * given stay. A given task that is not the dataset's is GLT_EARGUMENT. */
int defaults_open(struct dataset **out, struct config *c, const char *path);

#endif
