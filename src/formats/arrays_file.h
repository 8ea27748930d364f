/* The arrays of a file, whatever its format. */
#ifndef FORMATS_ARRAYS_FILE_H
#define FORMATS_ARRAYS_FILE_H

#include "formats/arrays.h"

struct file;

/* All arrays of a .npy, .npz or HDF5 file; pickled objects are GLT_EUNSUPPORTED, and more bytes
 * than arrays_limit allows are GLT_ELIMIT. */
int arrays_read(struct arrays *out, const char *path);
int arrays_read_file(struct arrays *out, struct file *f);

/* The arrays of an .npz file. Only those that are wanted are unpacked: the others have names and
 * shapes, but no data. `wanted` is called once for each, in order, after the shapes of all are
 * known. */
typedef bool arrays_wanted(void *user, const struct arrays *all, int32_t i);
int arrays_read_wanted(struct arrays *out, struct file *f, arrays_wanted *wanted, void *user);

#endif
