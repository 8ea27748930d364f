/* Arrays in HDF5 files. */
#ifndef FORMATS_H5_H
#define FORMATS_H5_H

#include "formats/arrays.h"

struct file;

/* Whether the first bytes of a file are HDF5's, or a user block and HDF5's behind it. */
bool h5_probe(const unsigned char *bytes, size_t len);
/* All datasets of integers and reals, named by their paths ("group/name"), in the order of their
 * names. */
int h5_read_arrays(struct arrays *out, struct file *f);

#endif
