/* Scores a model on a split, by the protocol of its task (docs/how-to/evaluate-a-model.md): scenes
 * are covered tile by tile and soft-max outputs summed per point; shapes are taken whole, and parts
 * chosen among those of the shape's category. Training and `gelatto eval` share it. */
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
    int32_t *first;  /* predicted classes of the points of item 0, on the rank that scored it; NULL:
                      * not requested, or shapes are classified whole */
};

/* GLT_EMODEL if task or number of classes of model and dataset differ. */
int score_fits(const struct dataset *d, const struct model *m);

struct score_options {
    struct sampling_settings sampling;
    int64_t seed;    /* of the draws */
    int32_t overlap; /* additional tilings of a scene, by shifted grids */
    enum inference_protocol protocol;
    bool keep_first; /* fill score.first */
};

/* Fills `out`, which the caller frees; the same bits for any number of threads. */
int score_model(struct score *out, struct model *m, struct dataset *d, enum split s,
                const struct score_options *o);
/* Bytes that a run will take, besides the clouds. Loads every cloud: an error here would end
 * the run. */
int score_bytes(int64_t *bytes, struct model *m, struct dataset *d, enum split s,
                const struct score_options *o);

void score_free(struct score *s);
/* The split of a name; NULL: the test split, or if there is none the validation split. */
int score_split(enum split *out, const struct dataset *d, const char *name);
const char *score_metric_name(int32_t task); /* "mIoU", "instance mIoU", "overall accuracy" */
/* A score as a cell of a table, in per cent; NaN, for a missing class, as "-". */
void score_cell(struct string *table, double x);

#endif
