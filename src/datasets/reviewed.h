/* Reviewed points: those that a person has looked at, as the attribute `reviewed` of a cloud says.
 * A dataset with `truth: reviewed` takes the labels of these and no others, whether a network or a
 * person gave them first.
 *
 * Where such a dataset has no validation clouds of its own, tiles are held back: squares of
 * the grid that prediction lays over the cloud, a fifth of those with reviewed points. Whether a
 * tile is held back follows from its place and the seed alone, so it stays so while more tiles are
 * reviewed: a later round does not learn from what an earlier one was scored on. The exception is
 * a cloud of at least REVIEWED_FEW tiles none of which the rule picks: it gives one. */
#ifndef DATASETS_REVIEWED_H
#define DATASETS_REVIEWED_H

#include "cloud/labels.h"
#include "sampling/item.h"

enum { REVIEWED_SHARE = 5 /* one tile in N is held back */, REVIEWED_FEW = 4 };

/* The labels of an item that count. */
enum reviewed_part {
    REVIEWED_ALL,
    REVIEWED_LEARNED, /* without those of tiles that are held back */
    REVIEWED_HELD     /* those alone; points far from them are left out */
};

/* Labels of a cloud as numbers (n): -1 where nobody has reviewed them, or where they are none.
 * GLT_EDATA if the cloud has no labels or no attribute `reviewed`. */
int reviewed_numbers(int32_t *numbers, const struct glt_cloud *c, const char *name);
/* Leaves the labels of one part; edge: of a tile. */
int reviewed_keep(struct item *x, enum reviewed_part part, double edge, uint64_t seed);
int64_t reviewed_count(const struct item *x); /* points with a label */

#endif
