/* A report on a predicted cloud as one HTML file that needs no other. */
#ifndef TASK_REPORT_CLOUD_H
#define TASK_REPORT_CLOUD_H

#include "core/file.h"
#include "gelatto.h"

/* The cloud must have labels. width, height: of one panel, in pixels. */
int report_cloud_print(struct file *f, const struct glt_cloud *c, const char *title, int width,
                       int height);

#endif
