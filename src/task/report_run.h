/* A report on a training run as one HTML file that needs no other. */
#ifndef TASK_REPORT_RUN_H
#define TASK_REPORT_RUN_H

#include "core/file.h"

/* folder: of the run, which may still be training. */
int report_run_print(struct file *f, const char *folder, const char *title);
/* What the score of its validations is called; an error if the folder is no run. */
int report_run_metric(const char **name, const char *folder);
/* A page may lie in the run's folder, but not in the place of what it is about. */
int report_run_place(const char *run, const char *path);

#endif
