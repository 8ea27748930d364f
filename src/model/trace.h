/* Traces: everything that one pass of an engine used and computed, as one safetensors file.
 * docs/reference/model-files.md names its tensors. */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "core/file.h"
#include "model/engine.h"

/* Data about the points in a trace besides the engine's input, by rows of the caller. */
struct trace_input {
    const int32_t *rows;   /* (n) row of the file for each point; NULL: they count up */
    const int32_t *labels; /* (n) ground truth, -1 for none; NULL without */
};

/* After engine_run of an engine made with ENGINE_TRACE. */
int trace_write(const struct engine *e, const struct model *m, const struct trace_input *in,
                const char *path);
/* The same, into a file that the caller commits. */
int trace_put(struct file *f, const struct engine *e, const struct model *m,
              const struct trace_input *in);

#endif
