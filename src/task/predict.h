/* Prediction: a class for every point of a cloud, or one for the whole of a shape. The driver
 * (task/inference.h) runs the network; here its results become attributes of the cloud. The labels
 * depend on the set of points alone. */
#ifndef TASK_PREDICT_H
#define TASK_PREDICT_H

#include "gelatto.h"
#include "model/model.h"
#include "sampling/item.h"

struct predict_options {
    bool probabilities, second, margin, votes; /* attributes to add besides label and confidence */
    const char *category;                      /* parts; NULL: the one with the largest sum */
    int32_t overlap;                           /* scenes: further tilings, by shifted grids */
    int64_t max_memory;                        /* bytes of the process; 0: no limit */
    const char *name;                          /* of the cloud, in messages */
};

/* What is known of the points, in rows of the file. Arrays that are not wanted are NULL. */
struct answers {
    int64_t rows;
    int32_t classes;
    int32_t *label;     /* -1: no finite coordinates */
    float *confidence;  /* probability of the label */
    int32_t *second;    /* the class after it */
    float *margin;      /* how much less likely that is */
    int32_t *votes;     /* samples the point was in */
    float *probability; /* (rows, classes) */
};
int answers_create(struct answers *a, int64_t rows, int32_t classes,
                   const struct predict_options *o);
/* The labels the file came with, or the truth that an earlier prediction made of them (n), by the
 * names it gives them, as numbers of the model's classes, else by those the model was trained from,
 * else by number, which is told; numbers of LAS that nobody names are none. 0 and nothing done if
 * it has none, 1 if it has. *exact: every label can be told from its class. */
int answers_truth(int32_t *dst, bool *exact, const struct glt_cloud *c, const struct model *m);
void answers_free(struct answers *a);
int64_t answers_bytes(int32_t classes, const struct predict_options *o); /* per point */
/* sum (classes): of `votes` probabilities */
void answers_put(struct answers *a, int64_t row, const float *sum, int32_t votes);
/* Attributes of the cloud. A label without a confidence was no prediction: it becomes `truth`, and
 * `original_classification` where that does not tell it; one with it goes, and all that was
 * predicted with it. */
int answers_store(struct glt_cloud *c, const struct answers *a, const struct model *m);

/* GLT_EMODEL, naming installed models that would do, if the cloud lacks an input of the model's. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m);

/* The cloud as the model sees it; a warning if it is unlike those the model has learned from. */
int predict_item(struct item *x, const struct glt_cloud *c, const struct model *m,
                 const char *name);
int predict_cloud(struct glt_cloud *c, struct model *m, const struct predict_options *o,
                  struct glt_prediction *out, float *probabilities);

#endif
