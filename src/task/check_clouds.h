/* Checks of the clouds of a dataset, one by one and compared with each other. */
#ifndef TASK_CHECK_CLOUDS_H
#define TASK_CHECK_CLOUDS_H

#include "task/check.h"

/* Loads each cloud and checks that it can be read, and its points. Fills c->clouds. */
int check_clouds(struct check *c);
/* Copies, axes that were swapped, units and densities that do not match. */
int check_compare(struct check *c);

#endif
