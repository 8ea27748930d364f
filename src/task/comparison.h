/* The comparison that ends a run on reviewed points: the model it began with against the one it
 * made, on the reviewed points that were held back and on the old data. */
#ifndef TASK_COMPARISON_H
#define TASK_COMPARISON_H

#include "task/training.h"

/* Blends the best model with the one before where it lost too much of the old task. Scores both and
 * writes comparison.json into the run's folder; the log has a line for each score. Does nothing for
 * a run that began with no model. */
int comparison_write(struct training *t);

#endif
