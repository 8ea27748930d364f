/* Scores of a confusion matrix.
 *
 * A class that is neither in the ground truth nor predicted has no IoU and does not count in means;
 * one without ground truth has no accuracy. Folds are pooled (one matrix) or averaged (the mean of
 * each score). */
#ifndef SAMPLING_SCORES_H
#define SAMPLING_SCORES_H

#include "sampling/confusion.h"

#include <stdint.h>

struct scores {
    int32_t classes;
    double miou, macc, oa;
    double *iou, *accuracy; /* (classes); NaN where there is none */
    int64_t points;         /* labelled */
};
int scores_create(struct scores *s, int32_t classes);
void scores_free(struct scores *s);
void scores_of(struct scores *s, const struct confusion *c); /* of as many classes */
/* The mean of every score over folds; a class counts in the folds that have it. */
void scores_average(struct scores *s, const struct scores *folds, int32_t n);

#endif
