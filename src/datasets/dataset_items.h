/* The items of a dataset: its clouds in canonical form, loaded when they are wanted.
 *
 * Items are shared by all threads: loaded once, counted, dropped when they exceed the budget and
 * nobody holds them. What a thread gets never depends on what was dropped. */
#ifndef DATASETS_DATASET_ITEMS_H
#define DATASETS_DATASET_ITEMS_H

#include "datasets/dataset.h"

/* Bytes of items kept though nobody holds them. */
#define DATASET_ITEMS_BUDGET ((int64_t)3 << 30)

/* Item i in canonical form; shared, so give it back. Any thread. */
int dataset_take(const struct item **out, struct dataset *d, enum split s, int32_t i);
void dataset_give(struct dataset *d, enum split s, int32_t i);
/* The items of a split, measured, for a loader; GLT_EDATA if there are none. */
int dataset_items(struct item_source *out, struct dataset *d, enum split s);
/* Items taken from now on are thinned; nobody holds one. */
void dataset_thin(struct dataset *d, const struct thinning *t);
/* Items taken from now on are turned about the up axis, by at most this angle in degrees, either
 * way; nobody holds one. */
void dataset_turn(struct dataset *d, double degrees, uint64_t seed);
/* Reviewed datasets: the edge of tiles that are held back; nobody holds an item. */
void dataset_hold(struct dataset *d, double edge);
/* Items taken from now on have the classes of these names, -1 where there is none; nobody holds
 * one.
 */
int dataset_relabel(struct dataset *d, const struct classes *c);
/* Fills entry.n of all entries of a split, loading those it must. */
int dataset_measure(struct dataset *d, enum split s);
/* Points (for classification: shapes) of each class in a split; ignored ones last. */
int dataset_histogram(int64_t *counts, struct dataset *d, enum split s);

/* --- for opening and closing, and tests --- */
int dataset_items_create(struct dataset *d);   /* when the splits are settled */
void dataset_items_destroy(struct dataset *d); /* accepts a dataset without items */
void dataset_items_set_budget(struct dataset *d, int64_t bytes);
int64_t dataset_items_bytes(struct dataset *d); /* of items in memory now */

#endif
