/* The speed of the network on this machine, for `gelatto bench` and bench/. */
#ifndef TASK_SPEED_H
#define TASK_SPEED_H

#include "config/config.h"

#include <stdint.h>

struct speed {
    double seconds;    /* of one batch, geometry included: the best of several */
    double geometry;   /* the part spent on pyramids */
    double macs;       /* multiply-adds in the products that were run */
    double peak_flops; /* of the same number of threads, measured between the repeats */
    int64_t bytes;     /* peak of the process's own allocations */
    int64_t clouds, points;
};

/* Inference (training = 0) or training steps on `clouds` synthetic room tiles of `points`
 * points. */
int speed_measure(struct speed *out, const struct config *c, int training, int32_t clouds,
                  int32_t points, int repeats);

#endif
