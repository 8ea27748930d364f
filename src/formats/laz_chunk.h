/* A chunk of LAZ: bytes in, LAS records out, and back. It is independent of files and clouds. */
#ifndef FORMATS_LAZ_CHUNK_H
#define FORMATS_LAZ_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laz_chunk;
struct laz_kind;

enum {
    LAZ_ITEMS_MAX = 5,   /* point, time, colours, waveform, extra bytes */
    LAZ_EXTRA_MAX = 4096 /* extra bytes of a point, each with models of its own */
};

struct laz_item {
    uint16_t type, size, version;
    const struct laz_kind *kind;
};

/* The items of a record, one after the other. */
struct laz_layout {
    struct laz_item items[LAZ_ITEMS_MAX];
    int n;
    size_t record;
    bool layered; /* point formats 6 to 10 */
};

/* The items of a point format with records of `record` bytes, in the versions that are written.
 * GLT_ELIMIT for more than LAZ_EXTRA_MAX extra bytes. */
int laz_chunk_layout(struct laz_layout *l, int format, size_t record);
/* Sets an item's version; GLT_EUNSUPPORTED if it cannot be read. */
int laz_chunk_version(struct laz_item *item, unsigned version);

/* Decodes n > 0 records from the bytes of a chunk, which must stay until it is closed. An error
 * says what is wrong; the caller adds the place. */
int laz_chunk_open(struct laz_chunk **out, const struct laz_layout *l, const unsigned char *bytes,
                   size_t len);
/* The next n records; whatever the bytes, only `records` is written. */
void laz_chunk_read(struct laz_chunk *c, unsigned char *records, int64_t n);
/* Whether the bytes were too few for the records read so far, or not made by an encoder. */
bool laz_chunk_is_damaged(const struct laz_chunk *c);
/* Closes and frees a chunk after all its records, or after some of a damaged one: *used = its
 * bytes. GLT_EFORMAT if they were too few or not made by an encoder. */
int laz_chunk_close(struct laz_chunk *c, size_t *used);
/* The number of points stored in a layered chunk; 0 if the bytes are too few. */
uint32_t laz_chunk_count(const struct laz_layout *l, const unsigned char *bytes, size_t len);

/* Encodes n > 0 records into a block of memory_alloc. */
int laz_chunk_encode(unsigned char **out, size_t *len, const struct laz_layout *l,
                     const unsigned char *records, int64_t n);

#endif
