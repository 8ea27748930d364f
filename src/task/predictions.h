/* Predictions: what is known of each point of a cloud, and how it becomes attributes of the cloud.
 */
#ifndef TASK_PREDICTIONS_H
#define TASK_PREDICTIONS_H

#include "cloud/cloud.h"
#include "model/model.h"

/* Attributes to add besides label and confidence. */
struct predictions_wanted {
    bool probabilities, second, margin, votes;
};

/* In rows of the file. Arrays that are not wanted are NULL. */
struct predictions {
    int64_t rows;
    int32_t classes;
    int32_t *label;     /* -1: no finite coordinates */
    float *confidence;  /* probability of the label */
    int32_t *second;    /* the class after it */
    float *margin;      /* gap between the probabilities of the two */
    int32_t *votes;     /* number of samples that covered the point */
    float *probability; /* (rows, classes) */
};

int predictions_create(struct predictions *p, int64_t rows, int32_t classes,
                       const struct predictions_wanted *wanted);
void predictions_free(struct predictions *p);
int64_t predictions_bytes(int32_t classes, const struct predictions_wanted *wanted); /* per point */
/* sum (classes): of `votes` probabilities */
void predictions_put(struct predictions *p, int64_t row, const float *sum, int32_t votes);
/* Attributes of the cloud. A label without a confidence was no prediction: it becomes `truth`, and
 * `original_classification` where that does not tell it; one with it goes, and all that was
 * predicted with it. */
int predictions_store(struct glt_cloud *c, const struct predictions *p, const struct model *m);
/* The ground truth of a cloud (n), as numbers of the model's classes: the labels the file came
 * with, or what an earlier prediction kept of them. Labels are mapped by the names the file gives
 * them, else by the numbers the model was trained from, else by number, which is logged; numbers of
 * LAS that nobody names are none. Returns 0 and does nothing if there is none, 1 if there is.
 * *exact: every label can be told from its class. */
int predictions_truth(int32_t *dst, bool *exact, const struct glt_cloud *c, const struct model *m);

#endif
