/* How good a model is on a split, by the protocol of its task (docs/how-to/evaluate-a-model.md):
 * scenes are covered tile by tile and soft-max outputs summed per point; shapes are seen whole,
 * parts chosen among those of the shape's category. Training and `gelatto eval` share it. */
#ifndef TASK_SCORE_H
#define TASK_SCORE_H

#include "core/string.h"
#include "datasets/dataset.h"
#include "model/model.h"
#include "sampling/confusion.h"
#include "sampling/part_scores.h"
#include "sampling/scores.h"
#include "task/inference.h"

struct score {
    struct confusion confusion;
    struct scores scores;
    struct part_scores parts; /* parts only */
    double *constant;         /* (classes) parts only: see part_scores_constant */
    int64_t items, samples;
    int64_t guessed; /* parts only: shapes whose category the network predicts correctly */
    double metric;   /* mIoU, instance mIoU or overall accuracy, by task */
    int32_t *first;  /* predicted classes of the points of item 0, on the rank that has scored it;
                      * NULL: not asked for, or shapes are classified whole */
};

/* A model of another task or number of classes has no score on a dataset: GLT_EMODEL. */
int score_fits(const struct dataset *d, const struct model *m);

struct score_options {
    struct sampling_settings sampling;
    int64_t seed;    /* of the draws */
    int32_t overlap; /* additional tilings of a scene, by shifted grids */
    enum inference_protocol protocol;
    bool keep_first; /* score.first is wanted */
};

/* Fills `out`, which the caller frees; the same bits for any number of threads. */
int score_model(struct score *out, struct model *m, struct dataset *d, enum split s,
                const struct score_options *o);
/* Bytes that a run will take besides the clouds. Looks at every cloud: what it finds wrong would
 * end the run. */
int score_bytes(int64_t *bytes, struct model *m, struct dataset *d, enum split s,
                const struct score_options *o);

void score_free(struct score *s);
/* The split of a name; NULL: the test split, or the one for validation where there is no other. */
int score_split(enum split *out, const struct dataset *d, const char *name);
const char *score_metric_name(int32_t task); /* "mIoU", "instance mIoU", "overall accuracy" */
/* A score as a cell of a table, in per cent; NaN, of a class that is not there, as "-". */
void score_cell(struct string *table, double x);

#endif
