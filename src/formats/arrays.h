/* Arrays of numbers or text as in scientific files. Datasets packed by numpy (xyz, scale, label,
 * name, ...) are read through them, and NPZ and HDF5 clouds are made of them. */
#ifndef FORMATS_ARRAYS_H
#define FORMATS_ARRAYS_H

#include "gelatto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARRAY_DIMS = 8 };

/* One field of an array's items: all of a plain array, one of several of a structured one. */
struct array_field {
    char *name;          /* "" for a plain array */
    char kind;           /* i u f b(ool) S(bytes) U(UTF-32 text) V(raw) */
    enum glt_type type;  /* of i, u, f, b; meaningless for the others */
    size_t offset, size; /* bytes within an item; size covers `width` values */
    int32_t width;
    bool swap; /* the file is big-endian; data is in host order */
};

struct array {
    char *name;     /* of an archive's member, without .npy; "" for a file */
    int32_t n_dims; /* 0 for a scalar */
    int64_t shape[ARRAY_DIMS];
    int64_t count;    /* items: the product of the shape */
    size_t item_size; /* bytes */
    struct array_field *fields;
    int32_t n_fields; /* 1 for a plain array */
    bool structured;
    unsigned char *data; /* (count) items, row-major, in host byte order */
};

/* All arrays of a file. */
struct arrays {
    struct array *items;
    int32_t n;
};

/* The limit to which all arrays of a compressed file together may unpack: ARRAYS_RATIO times its
 * own bytes, plus ARRAYS_BASE, so that a small file of zeros can be read. */
enum { ARRAYS_RATIO = 64, ARRAYS_BASE = 4 << 20 };
uint64_t arrays_limit(uint64_t file_bytes);

void arrays_free(struct arrays *a);
void arrays_clear(struct array *a);                                        /* one array */
const struct array *arrays_find(const struct arrays *a, const char *name); /* NULL if absent */
bool arrays_is_numeric(const struct array_field *x);
bool arrays_is_plain(const struct array *a); /* items are one number each */
/* Values [begin, begin + n) of a plain numeric array, converted as column_convert does; GLT_EDATA
 * if the array is not numeric or has fewer. */
int arrays_values(void *dst, enum glt_type type, const struct array *a, int64_t begin, int64_t n);
/* Item i of a plain array of bytes (S) or text (U) as UTF-8, at most size - 1 bytes. */
int arrays_text(char *dst, size_t size, const struct array *a, int64_t i);

#endif
