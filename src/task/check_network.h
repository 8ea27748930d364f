/* Whether the options of samples and network suit the clouds of a dataset. */
#ifndef TASK_CHECK_NETWORK_H
#define TASK_CHECK_NETWORK_H

#include "task/check.h"

/* Checks how many points the training tiles hold, and that levels thin out the points; proposes an
 * edge at which tiles would hold a sample. */
int check_tiles(struct check *c);
/* Counts balls of the network that hold only their own centre (the layer learns nothing there) and
 * those that hold more than k points (a random choice is made); proposes radii at which the balls
 * of each level would hold about k points. */
int check_balls(struct check *c);

#endif
