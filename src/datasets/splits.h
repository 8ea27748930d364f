/* Splits as the options want them. */
#ifndef DATASETS_SPLITS_H
#define DATASETS_SPLITS_H

#include "datasets/dataset.h"

/* Brings the splits of an opened dataset into the form that d->settings ask for; GLT_EDATA if no
 * cloud is left. */
int splits_settle(struct dataset *d);
/* Leaves up to `max` clouds of a split, evenly chosen, before any of them is loaded. */
void splits_limit(struct dataset *d, enum split s, int32_t max);

#endif
