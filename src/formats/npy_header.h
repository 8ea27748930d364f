/* The parsed header of one numpy array. */
#ifndef FORMATS_NPY_HEADER_H
#define FORMATS_NPY_HEADER_H

#include "formats/npy.h"

enum { NPY_HEADER_MOST = 1 << 20 }; /* bytes */

struct npy_field {
    char name[256];
    struct array_field field; /* its name stays NULL */
    bool swap;                /* big-endian in the file */
};

struct npy_header {
    struct npy_field *fields;
    int32_t n_fields;
    bool structured, fortran;
    size_t item_size;
    int64_t shape[ARRAY_DIMS], count;
    int32_t n_dims;
};

/* The bytes numpy puts between fields to align them. */
static inline bool npy_is_padding(const char *name, char kind)
{
    return name[0] == 0 && kind == 'V';
}

/* h begins all zero and is cleared by the caller, also of a failure. name stands in messages. */
int npy_parse_header(struct npy_header *h, const char *text, size_t len, const char *name);

void npy_clear_header(struct npy_header *h);

/* Magic, version and literal from a source, which then stands at the data. */
int npy_read_header(struct npy_header *h, struct npy_source *s);

/* --- writing --- */
struct array_field array_field(const struct column *x); /* describes a column; borrows its name */
/* "'<f4'" or "[('x', '<f4'), ...]": what stands behind 'descr': for these fields. */
int npy_describe(char **out, const struct array_field *fields, int32_t n, bool structured);
/* All bytes before the data, padded to 64; release with memory_free. Version 3 if there is UTF-8.
 */
int npy_make_header(char **out, size_t *len, const char *descr, const int64_t *shape,
                    int32_t n_dims);

#endif
