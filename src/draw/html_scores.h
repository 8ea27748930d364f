/* The scores of classes in an HTML report. */
#ifndef DRAW_HTML_SCORES_H
#define DRAW_HTML_SCORES_H

#include "cloud/classes.h"
#include "core/file.h"
#include "sampling/confusion.h"

#include <stdbool.h>

struct html_classes {
    const struct classes *classes;
    bool shapes;                       /* what is counted: whole shapes, not points */
    const int64_t *predicted;          /* (classes) points; NULL: as the matrix has them, and a row
                                        * for classes that have none too */
    const double *confidence;          /* (classes) means, NaN for none; NULL: no column */
    const struct confusion *confusion; /* NULL: no ground truth, no scores */
};
/* A row per class, and with a truth the means and the matrix. */
int html_scores(struct file *f, const struct html_classes *x);

#endif
