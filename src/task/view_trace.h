/* A forward pass in a viewer page: the points of one sample as a separate cloud, in network order,
 * followed by the data of every level, block and head. */
#ifndef TASK_VIEW_TRACE_H
#define TASK_VIEW_TRACE_H

#include "core/file.h"
#include "core/json.h"
#include "gelatto.h"

#include <stdint.h>

/* Runs the sample that prediction draws around `point` and writes its sections. *out: the cloud of
 * the sample with a member "tile", which the caller frees. number: of the cloud in the page. */
int view_trace_write(struct json **out, struct file *f, const struct glt_cloud *c,
                     const struct glt_model *m, int64_t point, int number);

#endif
