/* The items of a dataset: its clouds in canonical form, loaded on demand.
 *
 * Items are shared by all threads: loaded once, reference-counted, and dropped if they exceed the
 * budget and are not in use. The content of an item never depends on whether it was dropped. */
#ifndef DATASETS_DATASET_ITEMS_H
#define DATASETS_DATASET_ITEMS_H

#include "datasets/dataset.h"

/* Maximum bytes of items kept while not in use. */
#define DATASET_ITEMS_BUDGET ((int64_t)3 << 30)

/* Item i in canonical form. It is shared: return it with dataset_give. May be called from any
 * thread. */
int dataset_take(const struct item **out, struct dataset *d, enum split s, int32_t i);
void dataset_give(struct dataset *d, enum split s, int32_t i);
/* The items of a split, measured, for a loader; GLT_EDATA if there are none. */
int dataset_items(struct item_source *out, struct dataset *d, enum split s);
/* Items taken from now on are thinned. None may be in use. */
void dataset_thin(struct dataset *d, const struct thinning *t);
/* Items taken from now on are turned about the up axis, by at most this angle in degrees, either
 * way. None may be in use. */
void dataset_turn(struct dataset *d, double degrees, uint64_t seed);
/* Reviewed datasets: sets the edge of held-out tiles. No item may be in use. */
void dataset_hold(struct dataset *d, double edge);
/* Items taken from now on have the numbers of these classes by name, -1 for other classes. None may
 * be in use. */
int dataset_relabel(struct dataset *d, const struct classes *c);
/* Fills entry.n of all entries of a split, loading clouds if necessary. */
int dataset_measure(struct dataset *d, enum split s);
/* Points (for classification: shapes) of each class in a split; ignored ones last. */
int dataset_histogram(int64_t *counts, struct dataset *d, enum split s);

/* --- for opening and closing, and tests --- */
int dataset_items_create(struct dataset *d);   /* after splits_settle */
void dataset_items_destroy(struct dataset *d); /* accepts a dataset without items */
void dataset_items_set_budget(struct dataset *d, int64_t bytes);
int64_t dataset_items_bytes(struct dataset *d); /* of the items in memory */

#endif
