/* Labels of files as classes of a dataset: cloud/labels.h says what they mean. */
#ifndef DATASETS_DATASET_LABELS_H
#define DATASETS_DATASET_LABELS_H

#include "datasets/dataset.h"

/* The labels of the points a cloud gave an item. A cloud without labels leaves the item without;
 * predicted ones are an error where they are to be compared with. */
int dataset_label(struct item *x, const struct dataset *d, const struct entry *e,
                  const struct glt_cloud *c, const char *name);
/* The same of the label file beside a cloud of n points. */
int dataset_label_file(struct item *x, const struct dataset *d, const struct entry *e, int64_t n);
/* The class when only a name is known, such as that of a folder; -1: ignored. */
int dataset_map_name(int32_t *class, const struct dataset *d, const char *name, const char *file);

#endif
