/* Traces: everything one pass of an engine used and made, as one safetensors file.
 * docs/formats.md names its tensors. */
#ifndef MODEL_TRACE_H
#define MODEL_TRACE_H

#include "model/engine.h"

/* After engine_run of an engine made with trace = true; xyz and features as they were given to it.
 * rows (n): row of the file behind each of them, NULL: they count up. */
int trace_write(const struct engine *e, const struct model *m, const float *xyz,
                const float *features, const int32_t *rows, const char *path);

#endif
