/* Metrics: confusion matrices, what is read off them, and part scores.
 *
 * Points whose truth is -1 (ignored) count nowhere. A class that is neither in the truth nor
 * predicted has no IoU and is in no mean; one without truth has no accuracy. Folds are pooled
 * (one matrix) or averaged (the mean of each score). */
#ifndef SAMPLING_METRICS_H
#define SAMPLING_METRICS_H

#include <stdint.h>

struct confusion {
    int32_t classes;
    int64_t *count; /* (classes, classes): truth, prediction */
};

int confusion_create(struct confusion *c, int32_t classes);
void confusion_free(struct confusion *c);
/* GLT_EDATA names a label or prediction that is no class. */
int confusion_add(struct confusion *c, const int32_t *truth, const int32_t *predicted, int64_t n);
int confusion_merge(struct confusion *to, const struct confusion *from); /* pools folds */
/* Of counts that come from a file: GLT_EDATA unless they and their sum are 0 to 2^53. */
int confusion_check(const struct confusion *c);

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

/* Part segmentation: the IoU of a shape is the mean over its category's parts; a part absent in
 * both truth and prediction counts 1. A shape without a labelled point counts nowhere. */
struct part_scores {
    int32_t categories;
    double *sum;     /* (categories) of the shapes' IoUs */
    int64_t *shapes; /* (categories) */
};
int part_scores_create(struct part_scores *p, int32_t categories);
void part_scores_free(struct part_scores *p);
/* One shape: parts first .. first + count - 1 are its category's. Returns its IoU in *iou (may be
 * NULL; NaN if it does not count). */
int part_scores_add(struct part_scores *p, double *iou, int32_t category, const int32_t *truth,
                    const int32_t *predicted, int64_t n, int32_t first, int32_t count);
/* sum[part] += the IoU of a shape if all of its points were called `part`, for every part of its
 * category: with the sums of all shapes the best constant answer has its score. */
void part_scores_constant(double *sum, const int32_t *truth, int64_t n, int32_t first,
                          int32_t count);
int64_t part_scores_shapes(const struct part_scores *p);  /* that count */
double part_scores_instance(const struct part_scores *p); /* mean over shapes */
double part_scores_category(const struct part_scores *p); /* mean over categories with shapes */

#endif
