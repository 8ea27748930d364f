/* The digest of a dataset, for caches, checkpoints and cards. */
#ifndef DATASETS_DATASET_FINGERPRINT_H
#define DATASETS_DATASET_FINGERPRINT_H

#include "datasets/dataset.h"
#include "datasets/digest.h"

/* Classes (of a folder of shapes their categories too), and for every split the names of its clouds
 * in their order with the sizes and digests of the files behind them. Where the data lies does not
 * matter. */
int dataset_fingerprint(char hex[DIGEST_SIZE], const struct dataset *d);
/* Adds what labels of its files become. */
void dataset_fingerprint_labels(struct digest *x, const struct dataset *d, const struct classes *c);

#endif
