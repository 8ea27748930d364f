/* Where the chunks of a dataset are. */
#ifndef FORMATS_H5_CHUNKS_H
#define FORMATS_H5_CHUNKS_H

#include "formats/h5_file.h"
#include "formats/h5_object.h"

#include <stdint.h>

struct h5_chunk {
    uint64_t scaled[H5_RANK_MAX]; /* position in the grid of chunks */
    uint64_t address, size;       /* stored bytes */
    uint32_t mask;                /* filters that were skipped */
};
typedef int h5_chunk_fn(void *user, const struct h5_chunk *chunk);
/* Bytes of one chunk when it is decoded; 0 if the layout makes no sense. */
uint64_t h5_chunk_bytes(const struct h5_object *x);
int h5_chunks_each(struct h5 *f, const struct h5_object *x, h5_chunk_fn *fn, void *user);

#endif
