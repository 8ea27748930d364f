/* HDF5 files. */
#ifndef FORMATS_H5_H
#define FORMATS_H5_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file begins with the signature of HDF5, or with a user block before it. */
bool h5_probe(const unsigned char *bytes, size_t len);

#endif
