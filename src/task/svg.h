/* Pictures of numbers as SVG. */
#ifndef TASK_SVG_H
#define TASK_SVG_H

#include "data/metrics.h"

/* A confusion matrix: a row per true class, shades by share of the row. */
int svg_matrix(const char *path, const struct confusion *c, char *const *names);

/* Curves over one axis; each is scaled to its own largest value, which stands in the legend. NaN
 * leaves a point out. */
struct svg_curve {
    const char *name;
    const double *y; /* (n) */
};
int svg_curves(const char *path, const double *x, int n, const struct svg_curve *curves, int count);

#endif
