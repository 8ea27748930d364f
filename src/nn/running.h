/* Running statistics of the norms: running = (1 - momentum) running + momentum batch.
 *
 * A norm adds what its batch contributes. By default that changes the statistic at once. A plan
 * with a record keeps the contributions of the batch there instead; they are applied later, in any
 * process, one record after the other, with the bits of the first way. */
#ifndef NN_RUNNING_H
#define NN_RUNNING_H

#include "nn/plan.h"

/* Gives a statistic of the model its place in the record. */
void running_place(struct plan *p, struct tensor *t);
/* Number j of a statistic; share: momentum x value of this batch. */
void running_add(struct plan *p, struct tensor *t, int64_t j, double share);
/* Empties the record of the plan before forward. */
void running_clear(struct plan *p);
/* Applies a record of a plan of the same network. A statistic that the batch did not change, since
 * it had one row only, stays as it is. */
void running_apply(struct plan *p, const double *record);

#endif
