/* Preprocessed items on disk (option `cache`), so that text is parsed and sorted once.
 *
 * A cache file is named by a digest of its sources: the bytes of the cloud and its label file, the
 * classes and the options that shape an item. It ends with a digest of its own. A file that does
 * not verify, or holds an impossible item, is made again. So is one that another user can write to,
 * because a writer can make the digest too. */
#ifndef DATASETS_CACHE_H
#define DATASETS_CACHE_H

#include "datasets/dataset.h"

struct file;

enum { CACHE_KEY = 33 };

/* The name of an entry's cache file. */
int cache_key(char key[CACHE_KEY], const struct dataset *d, const struct entry *e);
/* *found = false, without an error, if there is none that verifies and is an item of this entry. */
int cache_read(struct item *x, bool *found, const struct dataset *d, const struct entry *e,
               const char *key);
/* The same for an open file, into an empty item; call item_clear in any case. */
int cache_read_file(struct item *x, bool *found, struct file *f);
int cache_write(const struct item *x, const char *folder, const char *key);

#endif
