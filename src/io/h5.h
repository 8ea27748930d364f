/* Arrays in HDF5 files. */
#ifndef IO_H5_H
#define IO_H5_H

#include "io/npy.h"

/* All datasets of integers and reals, named by their paths ("group/name"); GLT_EUNSUPPORTED when
 * built without libhdf5. */
int h5_read_arrays(struct arrays *out, struct file *f);

#endif
