/* Digests of what a data set is made of (XXH3-128, in hex), for caches, checkpoints and cards. */
#ifndef DATASETS_DIGEST_H
#define DATASETS_DIGEST_H

#include "datasets/dataset.h"

enum { DIGEST_SIZE = 33 }; /* 32 digits and a NUL */

/* Of a file's bytes, or of the names and bytes of all files under a folder. */
int digest_path(char hex[DIGEST_SIZE], int64_t *bytes, const char *path);
/* Of a data set: classes (of a folder of shapes their categories too), and for every split the
 * names of its clouds in their order with the sizes and digests of the files behind them. Where the
 * data lies does not matter. */
int dataset_fingerprint(char hex[DIGEST_SIZE], const struct dataset *d);

/* Pieces to one digest; every piece counts with its length. */
struct digest;
int digest_begin(struct digest **out);
void digest_add(struct digest *x, const void *bytes, size_t len);
void digest_text(struct digest *x, const char *text);
void digest_labels(struct digest *x, const struct dataset *d); /* what labels of its files become */
void digest_end(char hex[DIGEST_SIZE], struct digest *x);      /* releases it */

#endif
