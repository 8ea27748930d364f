/* Arrays in HDF5 files. */
#ifndef FORMATS_H5_H
#define FORMATS_H5_H

#include "formats/npy.h"

/* All datasets of integers and reals, named by their paths ("group/name"); GLT_EUNSUPPORTED when
 * built without libhdf5. */
int h5_read_arrays(struct arrays *out, struct file *f);

#endif
