/* HDF5 files. */
#ifndef FORMATS_H5_H
#define FORMATS_H5_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the first bytes of a file are HDF5's, or a user block and HDF5's after it. */
bool h5_probe(const unsigned char *bytes, size_t len);

#endif
