/* Object headers and the messages in them. */
#ifndef FORMATS_H5_OBJECT_H
#define FORMATS_H5_OBJECT_H

#include "formats/arrays.h"
#include "formats/h5_file.h"
#include "formats/h5_links.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { H5_RANK_MAX = ARRAY_DIMS, H5_FILTERS_MAX = 32 };

struct h5_type {
    bool number; /* an integer or an IEEE real of 1, 2, 4 or 8 bytes; else nothing below is set */
    bool real, is_signed, big_endian;
    size_t size;           /* bytes in the file */
    int offset, precision; /* of an integer's bits */
};

struct h5_space {
    int rank;                                         /* 0: a scalar */
    bool empty;                                       /* the null dataspace: no value at all */
    uint64_t dims[H5_RANK_MAX], maximum[H5_RANK_MAX]; /* H5_NONE: unlimited */
};

enum h5_storage { H5_NO_STORAGE, H5_COMPACT, H5_CONTIGUOUS, H5_CHUNKED, H5_VIRTUAL };
enum h5_index {
    H5_INDEX_BTREE1,
    H5_INDEX_SINGLE,
    H5_INDEX_IMPLICIT,
    H5_INDEX_FIXED,
    H5_INDEX_EXTENSIBLE,
    H5_INDEX_BTREE2
};

struct h5_layout {
    enum h5_storage storage;
    uint64_t address, size;       /* of the data, or of the index of chunks; size: contiguous */
    const unsigned char *compact; /* (size) compact storage */
    enum h5_index index;          /* for chunked layout: */
    int chunk_rank;               /* dimensions of a chunk, the last is the size of an item */
    uint64_t chunk[H5_RANK_MAX + 1];
    uint64_t single_size; /* of a single filtered chunk; 0: it is not filtered */
    uint32_t single_mask;
};

struct h5_filters {
    int n;
    struct {
        int id;
        uint32_t value; /* the first client value */
    } list[H5_FILTERS_MAX];
};

/* The contents of an object header's messages. */
struct h5_object {
    bool has_table;
    uint64_t table_tree, table_heap; /* a group of the old kind */
    uint64_t dense_heap, dense_tree; /* a group of the new kind with many links; H5_NONE: few */
    bool is_group;
    struct h5_links links;
    bool has_space, has_type, external;
    int space_rank; /* as in the file: may be more than we read */
    struct h5_space space;
    struct h5_type type;
    struct h5_layout layout;
    struct h5_filters filters;
    unsigned char fill[8]; /* in the file's type */
};

int h5_object_read(struct h5_object *out, struct h5 *f, uint64_t address);

#endif
