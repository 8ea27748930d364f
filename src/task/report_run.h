/* A report on a training run as one HTML file that needs no other. */
#ifndef TASK_REPORT_RUN_H
#define TASK_REPORT_RUN_H

#include "core/file.h"

/* folder: of the run, which may still be training. */
int report_run_print(struct file *f, const char *folder, const char *title);

#endif
