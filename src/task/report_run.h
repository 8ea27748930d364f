/* A report on a training run as one HTML file that needs no other. */
#ifndef TASK_REPORT_RUN_H
#define TASK_REPORT_RUN_H

#include "core/file.h"

/* folder: of the run, which may still be training. */
int report_run_print(struct file *f, const char *folder, const char *title);
/* The name of its validation metric; an error if the folder is not a run. */
int report_run_metric(const char **name, const char *folder);
/* Checks that an output in the run's folder does not overwrite a file of the run. */
int report_run_place(const char *run, const char *path);

#endif
