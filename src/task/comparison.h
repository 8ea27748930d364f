/* The comparison that ends a run on reviewed points: the initial model against the result, on the
 * held-out reviewed points and on the old data. */
#ifndef TASK_COMPARISON_H
#define TASK_COMPARISON_H

#include "task/training.h"

/* Blends the best model with the initial one if it lost too much on the old task. Scores both and
 * writes comparison.json into the run's folder; the log has a line for each score. Does nothing for
 * a run without an initial model. */
int comparison_write(struct training *t);

#endif
