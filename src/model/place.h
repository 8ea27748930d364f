/* Arrays of a caller as the network sees points: float coordinates where training had them. */
#ifndef MODEL_PLACE_H
#define MODEL_PLACE_H

#include "gelatto.h"
#include "model/model.h"

/* What of the points does not fit the model, their category too; `labels`: they are to be learned
 * from. */
int place_check(const struct model *m, const struct glt_points *p, bool labels);
/* xyz (n, 3): as they are if `placed`; else scenes with x and y from the middle of their bounds and
 * z from their lowest point, shapes as the model's `normalise` says. Depends on the set of points,
 * not on their order. */
int place_points(float *xyz, const struct model *m, const struct glt_points *p);
/* The classes the cloud's category has; all if it names none. */
int place_classes(int32_t *first, int32_t *count, const struct model *m,
                  const struct glt_points *p);

#endif
