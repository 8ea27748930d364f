/* The paper's Tables 1 to 3 (L228 to L305 of its source) with our own score as the last row, for
 * scores on the paper's datasets. For others nothing is added. */
#ifndef TASK_PAPER_TABLES_H
#define TASK_PAPER_TABLES_H

#include "core/string.h"
#include "datasets/dataset.h"
#include "sampling/part_scores.h"
#include "sampling/scores.h"

/* A model's score on the test split of a dataset: S3DIS with Area 5 held out (all 68 rooms),
 * ModelNet40, ShapeNetPart. parts: NULL unless the task is parts. */
void paper_tables_add(struct string *t, const struct dataset *d, int32_t area,
                      const struct scores *s, const struct part_scores *parts);
/* The pooled score of a cross-validation: S3DIS if there are 6 areas and at least 270 rooms. */
void paper_tables_add_folds(struct string *t, int areas, int64_t rooms, const struct scores *s);

#endif
