/* Running statistics of the norms: running = (1 - momentum) running + momentum batch.
 *
 * A norm stores the contribution of its batch in the plan's record; recomputed in backward, it
 * stores the same numbers. Records are applied later, in any process, one after the other, with the
 * same bits. */
#ifndef NN_RUNNING_H
#define NN_RUNNING_H

#include "nn/plan.h"

/* Assigns a statistic of the model its position in the record. */
void running_place(struct plan *p, struct tensor *t);
/* Stores the contribution to number j of a statistic; share: momentum x value of this batch. */
void running_set(struct plan *p, const struct tensor *t, int64_t j, double share);
/* Empties the record of the plan before forward. */
void running_clear(struct plan *p);
/* Applies a record from a plan of the same network. A statistic that the batch did not change,
 * because it had a single row, stays unchanged. */
void running_apply(struct plan *p, const double *record);

#endif
