/* Between the files of the HDF5 reader.
 *
 *   h5_object.c   superblock, object headers and the messages in them
 *   h5_group.c    the links of a group: symbol tables, compact links, dense links
 *   h5_chunks.c   where the chunks of a dataset are: five kinds of index
 *   h5_arrays.c   the values of a dataset; walks the groups
 *
 * Reference: The HDF Group, "HDF5 File Format Specification Version 3.0". We read the subset that
 * datasets use: superblocks 0 to 3, groups of both kinds, compact, contiguous and chunked layout,
 * the filters deflate, shuffle and fletcher32, integers and IEEE reals. External and virtual
 * storage, links to other files and all other filters are refused: nothing but this file is read.
 *
 * The file is hostile until shown otherwise. Every address is checked against the file's size
 * before bytes are read. A budget of metadata bytes ends walks that go in circles, and the stored
 * bytes of all chunks together may not exceed the file's size, which bounds the work of inflating
 * them. */
#ifndef FORMATS_H5_INTERNAL_H
#define FORMATS_H5_INTERNAL_H

#include "core/call.h"
#include "formats/arrays.h"

struct file;

#define H5_NONE UINT64_MAX /* an address that is not defined */

enum {
    H5_RANK_MAX = ARRAY_DIMS,
    H5_FILTERS_MAX = 32,
    H5_OBJECTS_MAX = 4096,
    H5_DEPTH_MAX = 16,
};

struct h5 {
    const struct file *file;
    const char *name; /* of the file, for messages */
    uint64_t size;    /* of the file, in bytes */
    uint64_t base;    /* all addresses count from here */
    uint64_t root;    /* address of the root group's header */
    int offset_size, length_size;
    struct call *call;      /* holds all metadata */
    uint64_t metadata_left; /* bytes of metadata that may still be read */
    uint64_t chunks_left;   /* stored bytes of chunks that may still be read */
};

/* Bytes being parsed. Reading past the end gives zeros and sets `bad`, so that a parser looks at it
 * once, at its end. */
struct h5_cursor {
    const unsigned char *at, *end;
    bool bad;
};
uint64_t h5_take(struct h5_cursor *c, int bytes); /* little-endian, up to 8 bytes */
void h5_skip(struct h5_cursor *c, size_t bytes);
const unsigned char *h5_bytes(struct h5_cursor *c, size_t bytes); /* NULL if they are not there */
uint64_t h5_address(struct h5_cursor *c, const struct h5 *f);     /* H5_NONE if undefined */
uint64_t h5_length(struct h5_cursor *c, const struct h5 *f);

/* Everything that is read of the file but the values of arrays lives as long as the call. */
int h5_open(struct h5 *out, struct file *f, struct call *call);
/* len bytes of metadata from the address. */
int h5_block(const unsigned char **out, struct h5 *f, uint64_t address, uint64_t len);
/* The same, of a block that begins with a signature ("": with none) and ends with a checksum of all
 * before it. *c stands behind the signature and ends before the checksum. */
int h5_signed_block(struct h5_cursor *c, struct h5 *f, uint64_t address, uint64_t len,
                    const char *signature);
int h5_damaged(const struct h5 *f, uint64_t address, const char *what);

/* --- objects --- */

struct h5_link {
    char *name;
    uint64_t address; /* of the object's header */
};
struct h5_links {
    struct h5_link *list;
    int64_t n;
};

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
    enum h5_index index;          /* chunked: */
    int chunk_rank;               /* dimensions of a chunk, the last is the size of an item */
    uint64_t chunk[H5_RANK_MAX + 1];
    uint64_t single_size; /* of a single chunk that is filtered; 0: it is not */
    uint32_t single_mask;
};

struct h5_filters {
    int n;
    struct {
        int id;
        uint32_t value; /* the first client value */
    } list[H5_FILTERS_MAX];
};

/* What the messages of an object header say. */
struct h5_object {
    bool has_table;
    uint64_t table_tree, table_heap; /* a group of the old kind */
    uint64_t dense_heap, dense_tree; /* a group of the new kind with many links; H5_NONE: few */
    bool is_group;
    struct h5_links links;
    bool has_space, has_type, external;
    int space_rank; /* as the file says: may be more than we read */
    struct h5_space space;
    struct h5_type type;
    struct h5_layout layout;
    struct h5_filters filters;
    unsigned char fill[8]; /* in the file's type */
};

int h5_object_read(struct h5_object *out, struct h5 *f, uint64_t address);

/* Fills group->links with all hard links of a group, sorted by name. */
int h5_group_links(struct h5_object *group, struct h5 *f);
int h5_links_add(struct h5_links *to, struct h5 *f, const unsigned char *name, size_t len,
                 uint64_t address);
/* A link message, as it stands in an object header or in a heap of dense links. */
int h5_link_parse(struct h5_links *to, struct h5_cursor *c, struct h5 *f);

/* --- version 2 B-trees, which hold dense links and chunks --- */
typedef int h5_record_fn(void *user, struct h5_cursor *record);
/* Calls back with every record, in order; the tree must be of this type. */
int h5_btree2_each(struct h5 *f, uint64_t address, int type, h5_record_fn *fn, void *user);

/* --- chunks --- */
struct h5_chunk {
    uint64_t scaled[H5_RANK_MAX]; /* place in the grid of chunks */
    uint64_t address, size;       /* stored bytes */
    uint32_t mask;                /* filters that were left out */
};
typedef int h5_chunk_fn(void *user, const struct h5_chunk *chunk);
/* Bytes of one chunk when it is decoded; 0 if the layout makes no sense. */
uint64_t h5_chunk_bytes(const struct h5_object *x);
int h5_chunks_each(struct h5 *f, const struct h5_object *x, h5_chunk_fn *fn, void *user);

#endif
