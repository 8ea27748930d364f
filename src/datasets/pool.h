/* Items in memory, shared by all threads: loaded once, counted, dropped when the budget is passed
 * and nobody holds them. What a thread gets never depends on what was dropped. */
#ifndef DATASETS_POOL_H
#define DATASETS_POOL_H

#include "datasets/dataset.h"

/* Bytes of items kept though nobody holds them. */
#define POOL_BUDGET ((int64_t)3 << 30)

int pool_create(struct dataset *d);
void pool_destroy(struct dataset *d); /* accepts a data set without a pool */
void pool_set_budget(struct dataset *d, int64_t bytes);
int64_t pool_bytes(struct dataset *d); /* of items in memory now */

#endif
