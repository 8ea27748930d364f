/* Pictures of numbers as SVG. */
#ifndef TASK_SVG_H
#define TASK_SVG_H

#include "data/metrics.h"

/* A confusion matrix: a row per true class, shades by share of the row. */
int svg_matrix(const char *path, const struct confusion *c, char *const *names);

#endif
