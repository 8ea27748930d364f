/* Items in ready form on disk (option `cache`), so that text is parsed and sorted once.
 *
 * A cache file is named by a digest of what it was made from: the bytes of the cloud and its label
 * file, the classes and the options that shape an item. It ends with a digest of its own; one that
 * does not verify, or holds what no item of the dataset can, is made again. So is one that another
 * user can write to, because whoever writes it can sign it too. */
#ifndef DATASETS_CACHE_H
#define DATASETS_CACHE_H

#include "datasets/dataset.h"

struct file;

enum { CACHE_KEY = 33 };

/* The name an entry's cache file has. */
int cache_key(char key[CACHE_KEY], const struct dataset *d, const struct entry *e);
/* *found = false, without an error, if there is none that verifies and is an item of this entry. */
int cache_read(struct item *x, bool *found, const struct dataset *d, const struct entry *e,
               const char *key);
/* The same of an open file, into an item without content; item_clear it whatever comes. */
int cache_read_file(struct item *x, bool *found, struct file *f);
int cache_write(const struct item *x, const char *folder, const char *key);

#endif
