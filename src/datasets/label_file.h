/* Labels in a file of their own, one number per point of a cloud: text (one whole number a line),
 * .npy, a cloud with labels as ScanNet has it (.labels.ply), or raw bytes as SemanticKITTI (.label:
 * 32 bits, the class in the lower 16) and SensatUrban (.label: 8 bits) have them. */
#ifndef DATASETS_LABEL_FILE_H
#define DATASETS_LABEL_FILE_H

#include "datasets/dataset.h"

struct file;

/* `names`: what a cloud calls its labels, to be released by the caller; `predicted`: whether they
 * are a network's. */
int label_file_read(int32_t *labels, int64_t n, struct classes *names, bool *predicted,
                    const char *path);
/* The kind of file is told by the extension of its name; all but clouds. */
int label_file_parse(int32_t *labels, int64_t n, struct file *f);

#endif
