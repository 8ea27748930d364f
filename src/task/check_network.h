/* Whether the options of samples and network suit the clouds of a dataset. */
#ifndef TASK_CHECK_NETWORK_H
#define TASK_CHECK_NETWORK_H

#include "task/check.h"

/* What the tiles of training hold, an edge at which they would hold a sample, and levels that leave
 * nothing out. */
int check_tiles(struct check *c);
/* How many balls of the network hold nothing but their own centre (the layer learns nothing there),
 * how many hold more than k (a random choice is made), and the radii at which a ball of each level
 * would hold about k points. */
int check_balls(struct check *c);

#endif
