/* The records of a run read back, and its curves: loss and learning rate of its steps and
 * attention of its validations (metrics.jsonl), scores of its epochs (results.csv). A line that a
 * kill has torn is left out. */
#ifndef TASK_RUN_CURVES_H
#define TASK_RUN_CURVES_H

#include "core/file.h"
#include "task/run.h"

/* Cells that are not there are NaN. */
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
    RUN_ENTROPY, /* of attention: one per row of it */
    RUN_SATURATION = RUN_ENTROPY + GLT_ATTENTION_ROWS,
    RUN_COLUMNS = RUN_SATURATION + GLT_ATTENTION_ROWS
};
struct run_table {
    double *column[RUN_COLUMNS]; /* (n) */
    int n;
};
int run_read_epochs(struct run_table *out, const struct run *r); /* results.csv */
/* Entropy and saturation of attention at the last validation that saw any: their mean over all
 * levels, blocks and heads, and the largest. NaN: attention was not looked at. */
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
