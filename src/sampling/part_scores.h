/* Part segmentation: the IoU of a shape is the mean over its category's parts; a part absent in
 * both truth and prediction counts 1. A shape without a labelled point is not counted. */
#ifndef SAMPLING_PART_SCORES_H
#define SAMPLING_PART_SCORES_H

#include <stdint.h>

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
/* One shape whose IoU is known. */
void part_scores_count(struct part_scores *p, int32_t category, double iou);
/* For every part of the category: sum[part] += the IoU of a shape if all of its points were
 * labelled `part`. The sums over all shapes give the score of the best constant prediction. */
void part_scores_constant(double *sum, const int32_t *truth, int64_t n, int32_t first,
                          int32_t count);
int64_t part_scores_shapes(const struct part_scores *p);  /* those that are counted */
double part_scores_instance(const struct part_scores *p); /* mean over shapes */
double part_scores_category(const struct part_scores *p); /* mean over categories with shapes */

#endif
