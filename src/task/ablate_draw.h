/* The learning curves of an ablation: what each row reaches after as many epochs, and after as much
 * time. */
#ifndef TASK_ABLATE_DRAW_H
#define TASK_ABLATE_DRAW_H

#include "task/run.h"

struct ablate_row {
    const char *name;
    struct run *runs; /* (n) finished ones, one a seed */
    int n;
};

/* Means over the runs of a row, as SVG. */
int ablate_draw(const char *path, const char *metric, const struct ablate_row *rows, int n);

#endif
