/* An HDF5 file as bytes: superblock, checked blocks, a cursor. The files of the module:
 *
 *   h5_file     this
 *   h5_links    the links of a group while they are collected
 *   h5_object   object headers and the messages in them
 *   h5_btree2   version 2 B-trees, which hold dense links and chunks
 *   h5_group    finds the links: symbol tables, compact links, dense links
 *   h5_chunks   where the chunks of a dataset are: five kinds of index
 *   h5_arrays   the values of a dataset; walks the groups
 *   h5          the format: clouds out of arrays
 *
 * Reference: The HDF Group, "HDF5 File Format Specification Version 3.0". We read the subset that
 * datasets use: superblocks 0 to 3, groups of both kinds, compact, contiguous and chunked layout,
 * the filters deflate, shuffle and fletcher32, integers and IEEE reals. External and virtual
 * storage, links to other files and all other filters are refused: nothing but this file is read.
 *
 * The file is not trusted. Every address is checked against the file's size before bytes are read.
 * A budget of metadata bytes ends cyclic walks, and the stored bytes of all chunks together may not
 * exceed the file's size, which bounds the work of inflating them. */
#ifndef FORMATS_H5_FILE_H
#define FORMATS_H5_FILE_H

#include "core/call.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

#define H5_NONE UINT64_MAX /* an undefined address */

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

/* Bytes being parsed. Reading past the end gives zeros and sets `bad`, which a parser checks once,
 * at its end. */
struct h5_cursor {
    const unsigned char *at, *end;
    bool bad;
};
uint64_t h5_take(struct h5_cursor *c, int bytes); /* little-endian, up to 8 bytes */
void h5_skip(struct h5_cursor *c, size_t bytes);
const unsigned char *h5_bytes(struct h5_cursor *c, size_t bytes); /* NULL if there are too few */
uint64_t h5_address(struct h5_cursor *c, const struct h5 *f);     /* H5_NONE if undefined */
uint64_t h5_length(struct h5_cursor *c, const struct h5 *f);

/* All metadata read from the file lives as long as the call. */
int h5_open(struct h5 *out, struct file *f, struct call *call);
/* len bytes of metadata from the address. */
int h5_block(const unsigned char **out, struct h5 *f, uint64_t address, uint64_t len);
/* The same for a block that begins with a signature ("": none) and ends with a checksum of all
 * before it. *c covers the bytes between the two. */
int h5_signed_block(struct h5_cursor *c, struct h5 *f, uint64_t address, uint64_t len,
                    const char *signature);
int h5_damaged(const struct h5 *f, uint64_t address, const char *what);

#endif
