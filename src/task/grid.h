/* Grids: YAML files with the rows of an ablation. docs/how-to/cross-validate-and-ablate.md has the
 * keys, grids/ the shipped ones. Unknown keys and options are refused by line; every row's options
 * are checked when it is read. */
#ifndef TASK_GRID_H
#define TASK_GRID_H

#include "config/config.h"
#include "core/yaml.h"

enum { GRID_NAME = 64, GRID_METRICS = 3, GRID_PATH = 4096 };

struct grid_row {
    const char *name;
    char folder[GRID_NAME];     /* the name in a form for file names */
    const struct yaml *set;     /* NULL: nothing */
    int64_t seeds;              /* those of the grid unless the row has its own */
    double paper[GRID_METRICS]; /* in the order of grid_metric, in per cent; NaN: not reported */
};

struct grid {
    struct yaml *root; /* owns all strings */
    char name[GRID_NAME];
    const char *title, *about, *data, *fetch;
    int32_t task;
    bool init; /* needs an initial model */
    int64_t seeds, steps;
    const struct yaml *set; /* NULL: nothing */
    struct grid_row *rows;
    int n;
};

/* A file, or the name of a grid that is shipped. */
int grid_open(struct grid *out, const char *word);
void grid_close(struct grid *g);
/* Settings of a row: the grid's, overridden by `given`, overridden by the row's. GLT_EARGUMENT if
 * the row varies an option that was given. */
int grid_config(struct config *out, const struct grid *g, const struct grid_row *row,
                const struct config *given);
/* Key and title of the i-th score of a task; false after the last. */
bool grid_metric(const char **key, const char **title, int32_t task, int i);

#endif
