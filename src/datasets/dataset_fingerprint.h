/* The digest of a dataset, for caches, checkpoints and cards. */
#ifndef DATASETS_DATASET_FINGERPRINT_H
#define DATASETS_DATASET_FINGERPRINT_H

#include "datasets/dataset.h"
#include "datasets/digest.h"

/* The digest of the classes (for a folder of shapes, the categories too), and for every split of
 * the names of its clouds in their order, with the sizes and digests of their files. The location
 * of the data does not matter. */
int dataset_fingerprint(char hex[DIGEST_SIZE], const struct dataset *d);
/* Adds the classes of the labels in its files. */
void dataset_fingerprint_labels(struct digest *x, const struct dataset *d, const struct classes *c);

#endif
