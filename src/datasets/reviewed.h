/* Reviewed points: those that a person has checked, marked by the attribute `reviewed`. A dataset
 * with `truth: reviewed` uses only the labels of these, whether a network or a person gave them
 * first.
 *
 * If such a dataset has no validation clouds of its own, tiles are held out: squares of the grid
 * that prediction uses, a fifth of those with reviewed points. Whether a tile is held out depends
 * only on its position and the seed, so it stays held out while more tiles are reviewed: a later
 * round does not learn from what an earlier one was scored on. The exception is a cloud of at least
 * REVIEWED_FEW tiles none of which the rule picks: it gives one. */
#ifndef DATASETS_REVIEWED_H
#define DATASETS_REVIEWED_H

#include "cloud/labels.h"
#include "sampling/item.h"

enum { REVIEWED_SHARE = 5 /* one tile in N is held out */, REVIEWED_FEW = 4 };

/* The labels of an item that count. */
enum reviewed_part {
    REVIEWED_ALL,
    REVIEWED_LEARNED, /* without those of held-out tiles */
    REVIEWED_HELD     /* only those; points far from them are dropped */
};

/* Labels of a cloud as numbers (n): -1 for points that are not reviewed or have no label. GLT_EDATA
 * if the cloud has no labels or no attribute `reviewed`. */
int reviewed_numbers(int32_t *numbers, const struct glt_cloud *c, const char *name);
/* Keeps the labels of one part; edge: of a tile. */
int reviewed_keep(struct item *x, enum reviewed_part part, double edge, uint64_t seed);
int64_t reviewed_count(const struct item *x); /* points with a label */

#endif
