/* Prediction: a class for every point of a cloud, or one for the whole of a shape.
 *
 * A scene is cut into columns of the model's size whose points are dealt into samples until each
 * was drawn (sampling/blocks.h); soft-max outputs are added per point. A point belongs to one
 * column of a cut, so columns run beside each other and their votes are complete when they end:
 * memory grows with the points of a column, not of the scene. The labels depend on the set of
 * points alone. */
#ifndef TASK_PREDICT_H
#define TASK_PREDICT_H

#include "gelatto.h"
#include "model/model.h"
#include "sampling/blocks.h"

struct predict_options {
    bool probabilities, second, margin, votes; /* attributes to add besides label and confidence */
    const char *category;                      /* parts; NULL: the one with the largest sum */
    int32_t overlap;                           /* scenes: further cuts, by shifted grids */
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

/* All columns of a scene; *samples: how many the network saw. */
int predict_scene(struct answers *a, int64_t *samples, struct model *m, const struct item *x,
                  const struct predict_options *o);
/* The whole of a shape; `out` tells the class or the category. probabilities (classes): of a
 * classification. */
int predict_shape(struct answers *a, struct glt_prediction *out, float *probabilities,
                  struct model *m, const struct item *x, const struct predict_options *o);

/* GLT_EMODEL, naming installed models that would do, if the cloud lacks an input of the model's. */
int predict_check_inputs(const struct glt_cloud *c, const struct model *m);
/* Bytes one engine for samples of this many points takes. */
int predict_engine_bytes(int64_t *bytes, struct model *m, int64_t points);
/* GLT_ELIMIT, naming what to change, if `more` bytes would pass the limit; the size it tells counts
 * those needed later too, lest the next check tells another. */
int predict_afford(const struct predict_options *o, int64_t more, int64_t later);

int predict_cloud(struct glt_cloud *c, struct model *m, const struct predict_options *o,
                  struct glt_prediction *out, float *probabilities);

#endif
