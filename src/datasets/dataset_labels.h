/* Labels of files as classes of a dataset: see cloud/labels.h for their meaning. */
#ifndef DATASETS_DATASET_LABELS_H
#define DATASETS_DATASET_LABELS_H

#include "datasets/dataset.h"

/* Sets the labels of an item from its cloud. Without labels in the cloud the item has none;
 * predicted labels are an error if they would serve as ground truth. */
int dataset_label(struct item *x, const struct dataset *d, const struct entry *e,
                  const struct glt_cloud *c, const char *name);
/* The same from the label file beside a cloud of n points. */
int dataset_label_file(struct item *x, const struct dataset *d, const struct entry *e, int64_t n);
/* The class of a name, such as that of a folder; -1: ignored. */
int dataset_map_name(int32_t *class, const struct dataset *d, const char *name, const char *file);

#endif
