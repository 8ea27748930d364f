/* Version 2 B-trees, which hold dense links and chunks. */
#ifndef FORMATS_H5_BTREE2_H
#define FORMATS_H5_BTREE2_H

#include "formats/h5_file.h"

#include <stdint.h>

typedef int h5_record_fn(void *user, struct h5_cursor *record);
/* Calls back with every record, in order; the tree must be of this type. */
int h5_btree2_each(struct h5 *f, uint64_t address, int type, h5_record_fn *fn, void *user);

#endif
