/* Splits according to the options. */
#ifndef DATASETS_SPLITS_H
#define DATASETS_SPLITS_H

#include "datasets/dataset.h"

/* Changes the splits of an opened dataset according to d->settings; GLT_EDATA if no cloud is
 * left. */
int splits_settle(struct dataset *d);
/* Keeps up to `max` clouds of a split, evenly chosen, before any is loaded. */
void splits_limit(struct dataset *d, enum split s, int32_t max);

#endif
