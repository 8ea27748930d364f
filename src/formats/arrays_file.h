/* The arrays of a file, whatever its format. */
#ifndef FORMATS_ARRAYS_FILE_H
#define FORMATS_ARRAYS_FILE_H

#include "formats/arrays.h"

struct file;

/* All arrays of a .npy, .npz or HDF5 file; pickled objects are GLT_EUNSUPPORTED. */
int arrays_read(struct arrays *out, const char *path);
int arrays_read_file(struct arrays *out, struct file *f);

#endif
