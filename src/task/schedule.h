/* The learning rate as a pure function of the configuration, epoch and step. */
#ifndef TASK_SCHEDULE_H
#define TASK_SCHEDULE_H

#include "config/config.h"

/* Step `batch` (from 0) of epoch `epoch` (from 0), where an epoch has `batches` steps. */
double schedule_rate(const struct config *c, int64_t epoch, int64_t batch, int64_t batches);

#endif
