/* A model as a single safetensors file with everything needed to predict;
 * docs/reference/model-files.md names its metadata. */
#ifndef MODEL_MODEL_FILE_H
#define MODEL_MODEL_FILE_H

#include "model/model.h"
#include "model/safetensors.h"

/* half: matrices as F16, norms and biases as F32. `more` tensors and the strings of `notes` (may be
 * NULL) are added: a checkpoint is a model file with Adam's moments and counters. */
/* Writes into a file that the caller commits; model_save creates one. */
int model_put(struct file *f, const struct model *m, bool half, const struct st_source *more,
              int n_more, const struct json *notes);
int model_save(const struct model *m, const char *path, bool half, const struct st_source *more,
               int n_more, const struct json *notes);
/* The strings of its metadata: configuration, task, classes, and those of `notes`. */
int model_metadata(struct json *meta, const struct model *m, const struct json *notes);
int model_load(struct model **out, const char *path);
int model_load_file(struct model **out, struct file *f);
/* The classes in the metadata of a model or a trace. */
int model_read_classes(struct classes *out, const struct safetensors *st);
/* Reads an open safetensors file; tensors named adam.* are left to the caller. */
int model_read(struct model **out, const struct safetensors *st);

#endif
