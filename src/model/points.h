/* Points that a caller gives as arrays: whether they fit the model, and their coordinates as floats
 * near the origin. The sampler does the rest. */
#ifndef MODEL_POINTS_H
#define MODEL_POINTS_H

#include "gelatto.h"
#include "model/model.h"

/* What of the points does not fit the model, their category too; `labels`: they are to be learned
 * from. */
int points_check(const struct model *m, const struct glt_points *p, bool labels);
/* xyz (n, 3): as they are if `placed`; else scenes with x and y from the middle of their bounds and
 * z from their lowest point, shapes from about the middle of their bounds. */
int points_local(float *xyz, const struct model *m, const struct glt_points *p);
/* Whether the sampler shall scale them to the unit sphere, as the model's `normalise` says. */
bool points_sphere(const struct model *m, const struct glt_points *p);
/* The classes the cloud's category has; all if it names none. */
int points_classes(int32_t *first, int32_t *count, const struct model *m,
                   const struct glt_points *p);

#endif
