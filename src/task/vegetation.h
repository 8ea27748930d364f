/* Low, medium and high vegetation: no network learns them, because surveys set their limits
 * differently. They follow from the height of a point above the ground around it, as predicted. */
#ifndef TASK_VEGETATION_H
#define TASK_VEGETATION_H

#include "cloud/classes.h"
#include "sampling/item.h"

/* Heights at which medium and high vegetation begin, from "0.5,2". */
int vegetation_limits(double limits[2], const char *text);
/* The classes of a model with vegetation as high vegetation and, behind them, low and medium
 * vegetation with the numbers of the ASPRS; GLT_EMODEL if the model does not know ground and
 * vegetation. */
int vegetation_classes(struct classes *out, const struct classes *model);
/* Points of high vegetation, by these classes, may become low or medium; label is by rows of the
 * file. Without any ground they stay, with a warning that begins with `name`. */
int vegetation_split(int32_t *label, const struct item *x, const struct classes *c,
                     const double limits[2], const char *name);

#endif
