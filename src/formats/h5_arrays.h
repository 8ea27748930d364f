/* Arrays in HDF5 files. */
#ifndef FORMATS_H5_ARRAYS_H
#define FORMATS_H5_ARRAYS_H

#include "formats/arrays.h"

struct file;

/* All datasets of integers and reals, named by their paths ("group/name"), in the order of their
 * names. */
int h5_read_arrays(struct arrays *out, struct file *f);

#endif
