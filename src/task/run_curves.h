/* The records of a run read back, and its curves: loss and learning rate of its steps and attention
 * of its validations (metrics.jsonl), scores of its epochs (results.csv). A line torn by a kill is
 * skipped. */
#ifndef TASK_RUN_CURVES_H
#define TASK_RUN_CURVES_H

#include "core/file.h"
#include "task/run.h"

/* Missing cells are NaN. */
enum {
    RUN_STEP,
    RUN_EPOCH,
    RUN_LOSS,
    RUN_MAIN,
    RUN_METRIC,
    RUN_MIOU,
    RUN_MACC,
    RUN_OA,
    RUN_RATE,
    RUN_SECONDS,
    RUN_ENTROPY, /* of attention: one for each of its rows */
    RUN_SATURATION = RUN_ENTROPY + GLT_ATTENTION_ROWS,
    RUN_COLUMNS = RUN_SATURATION + GLT_ATTENTION_ROWS
};
struct run_table {
    double *column[RUN_COLUMNS]; /* (n) */
    int n;
};
int run_read_epochs(struct run_table *out, const struct run *r); /* results.csv */
/* Attention at the last validation that measured it: the mean entropy over all levels, blocks and
 * heads, and the largest saturation. NaN: not measured. */
struct run_attention {
    double entropy, saturation;
};
int run_read_attention(struct run_attention *out, const struct run *r); /* metrics.jsonl */
void run_table_free(struct run_table *t);                               /* accepts a zeroed one */
/* Loss, scores, learning rate and attention over the steps, as SVG: into a report, or as
 * curves.svg. */
int run_print_curves(struct file *f, const struct run *r, const char *metric);
int run_write_curves(const struct run *r, const char *metric);

#endif
