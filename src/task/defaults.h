/* Defaults of a dataset for options that the user has not set: task, inputs, augmentation. */
#ifndef TASK_DEFAULTS_H
#define TASK_DEFAULTS_H

#include "config/config.h"
#include "datasets/dataset.h"

/* Opens the dataset and completes the configuration (docs/explanation/samples.md); keys that were
 * given stay. GLT_EARGUMENT if a task was given that is not the dataset's. */
int defaults_open(struct dataset **out, struct config *c, const char *path);

#endif
