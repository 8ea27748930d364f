/* Labels in a file of their own, one number per point of a cloud: text (one whole number a line),
 * .npy, a cloud with labels as in ScanNet (.labels.ply), or raw bytes as in SemanticKITTI (.label:
 * 32 bits, the class in the lower 16) and SensatUrban (.label: 8 bits). */
#ifndef DATASETS_LABEL_FILE_H
#define DATASETS_LABEL_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct file;

bool label_file_is_cloud(const char *path); /* by the extension of its name */
/* Reads n labels from any of these except clouds. */
int label_file_read(int32_t *labels, int64_t n, const char *path);
int label_file_parse(int32_t *labels, int64_t n, struct file *f);
/* The error for a file whose number of labels differs from the points of its cloud. */
int label_file_refuse(const char *path, int64_t found, int64_t n);

#endif
