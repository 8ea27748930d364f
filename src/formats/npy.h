/* One numpy array as bytes: the content of an .npy file.
 *
 * Reference: NEP 1 and numpy/lib/format.py, versions 1 to 3. */
#ifndef FORMATS_NPY_H
#define FORMATS_NPY_H

#include "formats/arrays.h"

struct call;
struct column;
struct source;

bool npy_probe(const unsigned char *bytes, size_t len);

/* Reads shape and fields from a source, which is then at the data; *fortran: the first index is the
 * fastest. `a` is zeroed by the caller, who clears it even after a failure. */
int npy_read_header(struct array *a, bool *fortran, struct source *s);
/* The same with the data, row-major; *out is untouched on failure. */
int npy_read_array(struct array *out, struct source *s);

/* The bytes numpy puts between fields to align them. */
bool npy_is_padding(const struct array_field *x);

/* --- writing --- */
struct array_field npy_field(const struct column *x); /* describes a column; borrows its name */
/* Makes the bytes before the data of these fields and shape, padded to 64. */
int npy_make_header(struct call *call, char **out, size_t *len, const struct array *a);

#endif
