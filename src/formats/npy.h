/* Numpy arrays: .npy files and the .npz archives of them, as arrays rather than clouds. Data sets
 * packed by numpy (xyz, scale, label, name, ...) are read through this. */
#ifndef FORMATS_NPY_H
#define FORMATS_NPY_H

#include "cloud/cloud.h"

struct file;

enum { ARRAY_DIMS = 8 };

/* One field of an array's items: all of a plain array, one of several of a structured one. */
struct array_field {
    char *name;          /* "" for a plain array */
    char kind;           /* i u f b(ool) S(bytes) U(UTF-32 text) V(raw) */
    enum glt_type type;  /* of i, u, f, b; meaningless for the others */
    size_t offset, size; /* bytes within an item; size covers `width` values */
    int32_t width;
};

struct array {
    char *name;     /* of an archive's member, without .npy; "" of a file */
    int32_t n_dims; /* 0 for a scalar */
    int64_t shape[ARRAY_DIMS];
    int64_t count;    /* items: the product of the shape */
    size_t item_size; /* bytes */
    struct array_field *fields;
    int32_t n_fields; /* 1 for a plain array */
    bool structured;
    unsigned char *data; /* (count) items, row-major, in our byte order */
};

struct arrays {
    struct array *items;
    int32_t n;
};

/* All arrays of a .npy, .npz or HDF5 file; pickled objects are GLT_EUNSUPPORTED. */
int arrays_read(struct arrays *out, const char *path);
int arrays_read_file(struct arrays *out, struct file *f);
void arrays_free(struct arrays *a);
const struct array *arrays_find(const struct arrays *a, const char *name); /* NULL if absent */
/* Values [begin, begin + n) of a plain numeric array, converted as column_convert does; GLT_EDATA
 * if the array is not of numbers or has fewer. */
int array_values(void *dst, enum glt_type type, const struct array *a, int64_t begin, int64_t n);
/* Item i of a plain array of bytes (S) or text (U) as UTF-8, at most size - 1 bytes. */
int array_text(char *dst, size_t size, const struct array *a, int64_t i);
void array_clear(struct array *a);

/* --- between the files of this module --- */
/* A byte source of `left` bytes: a file or a member of an archive being inflated. */
struct npy_source {
    int (*read)(struct npy_source *s, void *dst, size_t len);
    uint64_t left;
    const char *name; /* for messages */
};
struct npy_file { /* a source that is a file from its offset on */
    struct npy_source source;
    struct file *f;
};
struct npy_file npy_file(struct file *f);
int npy_read_array(struct array *out, struct npy_source *s);
int npz_read_arrays(struct arrays *out, struct file *f);

#endif
