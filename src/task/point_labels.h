/* Labels of points: the results of a prediction, and how they become attributes. */
#ifndef TASK_POINT_LABELS_H
#define TASK_POINT_LABELS_H

#include "cloud/cloud.h"
#include "core/call.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* Attributes besides label and confidence. */
struct point_labels_wanted {
    bool probabilities, second, margin, votes;
};

/* By rows of the file. Arrays that are not wanted are NULL. */
struct point_labels {
    int32_t classes;
    int32_t *label;     /* -1: no finite coordinates */
    float *confidence;  /* probability of the label */
    int32_t *second;    /* the second most probable class */
    float *margin;      /* gap between the probabilities of the two */
    int32_t *votes;     /* number of samples that covered the point */
    float *probability; /* (rows, classes) */
};

/* Bytes of one point. */
int64_t point_labels_bytes(int32_t classes, const struct point_labels_wanted *w);
/* Starts without labels; memory belongs to the call. */
int point_labels_take(struct point_labels *x, struct call *call, int64_t rows, int32_t classes,
                      const struct point_labels_wanted *w);
/* sum (classes): the sum of `votes` probabilities */
void point_labels_put(struct point_labels *p, int64_t row, const float *sum, int32_t votes);
/* Copies the results of one point to another. */
void point_labels_copy(struct point_labels *p, int64_t to, int64_t from);
/* Removes the label of points below that confidence. */
void point_labels_drop(struct point_labels *p, double min_confidence, int64_t rows);

/* The reviewed labels, for point_labels_keep; NULL if the cloud has none. Called before the work:
 * GLT_EMODEL for a class that the model lacks, which would be lost. */
int point_labels_reviewed(int32_t **out, struct call *call, const struct glt_cloud *c,
                          const struct classes *classes);
/* Reviewed labels replace those of the network. */
void point_labels_keep(struct point_labels *p, const int32_t *reviewed, int64_t rows);

struct point_labels_form {
    const struct model *model;
    const struct classes *classes; /* of the labels: the model's, or with kinds of vegetation */
    const char *map;               /* numbers of classes in LAS: "floor:2,wall:70" */
    bool keep;                     /* keep the classification of LAS; labels become extra bytes */
};
/* A label without a confidence was not predicted: it becomes `truth`, and `original_classification`
 * if the truth cannot hold it. A predicted label is replaced, with everything predicted with it. */
int point_labels_store(struct glt_cloud *c, struct call *call, const struct point_labels *p,
                       const struct point_labels_form *f);

#endif
