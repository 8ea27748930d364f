/* How fast this machine runs the network: what `gelatto bench` and bench/ print. */
#ifndef TASK_SPEED_H
#define TASK_SPEED_H

#include "config/config.h"

#include <stdint.h>

struct speed {
    double seconds;    /* of one batch, geometry included: the best of several */
    double geometry;   /* of which pyramids */
    double macs;       /* multiply-adds of the products actually run */
    double peak_flops; /* of as many threads as are used, measured between the repeats */
    int64_t bytes;     /* peak of the process's own allocations */
    int64_t clouds, points;
};

/* Inference (training = 0) or training steps of `clouds` made-up room blocks of `points` points. */
int speed_measure(struct speed *out, const struct config *c, int training, int32_t clouds,
                  int32_t points, int repeats);

#endif
