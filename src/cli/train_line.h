/* Epoch, step, losses, learning rate, score, speed and time left of a training run, as a
 * glt_train_fn: for train, its folds, and ablations. */
#ifndef CLI_TRAIN_LINE_H
#define CLI_TRAIN_LINE_H

#include "gelatto.h"

int train_line(void *user, const struct glt_train_status *s);

#endif
