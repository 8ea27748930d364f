/* Explaining a cloud: the sample that prediction would draw around one point, run with everything
 * kept (docs/reference/model-files.md, "Trace"). */
#ifndef TASK_EXPLAIN_H
#define TASK_EXPLAIN_H

#include "core/file.h"
#include "gelatto.h"

#include <stdint.h>

/* Writes the trace of the sample around a row of the cloud into a file that the caller commits. */
int explain_put(struct file *f, const struct glt_cloud *c, const struct glt_model *m,
                int64_t point);

#endif
