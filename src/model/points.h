/* A caller's points in arrays: checks that they fit the model, and conversion of coordinates to
 * floats near the origin. The sampler does the rest. */
#ifndef MODEL_POINTS_H
#define MODEL_POINTS_H

#include "gelatto.h"
#include "model/model.h"

/* An error if the points or their category do not fit the model; `labels`: for training. */
int points_check(const struct model *m, const struct glt_points *p, bool labels);
/* xyz (n, 3): unchanged if `placed`; else scenes with x and y from the middle of their bounds and z
 * from their lowest point, shapes roughly from the middle of their bounds. */
int points_local(float *xyz, const struct model *m, const struct glt_points *p);
/* Whether the sampler must scale them to the unit sphere, by the model's option `normalise`. */
bool points_sphere(const struct model *m, const struct glt_points *p);
/* The classes of the cloud's category; all classes if it has none. */
int points_classes(int32_t *first, int32_t *count, const struct model *m,
                   const struct glt_points *p);

#endif
