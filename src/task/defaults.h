/* What a data set wants where the user has said nothing: task, inputs, augmentation. */
#ifndef TASK_DEFAULTS_H
#define TASK_DEFAULTS_H

#include "config/config.h"
#include "datasets/dataset.h"

/* Opens the data set and completes the configuration by docs/data.md: keys that were
 * given stay. A given task that is not the data set's is GLT_EARGUMENT. */
int defaults_open(struct dataset **out, struct config *c, const char *path);

#endif
