/* Low, medium and high vegetation: networks do not learn them, because surveys define their limits
 * differently. They follow from a point's height above the predicted ground. */
#ifndef TASK_VEGETATION_H
#define TASK_VEGETATION_H

#include "cloud/classes.h"
#include "sampling/item.h"

/* Heights at which medium and high vegetation begin, from "0.5,2". */
int vegetation_limits(double limits[2], const char *text);
/* The classes of a model, with vegetation renamed high vegetation, followed by low and medium
 * vegetation, with the numbers of the ASPRS; GLT_EMODEL if the model lacks ground or vegetation. */
int vegetation_classes(struct classes *out, const struct classes *model);
/* Changes points of high vegetation to low or medium; label is by rows of the file. Without any
 * ground nothing changes, with a warning that begins with `name`. */
int vegetation_split(int32_t *label, const struct item *x, const struct classes *c,
                     const double limits[2], const char *name);

#endif
