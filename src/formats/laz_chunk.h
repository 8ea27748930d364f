/* A chunk of LAZ: bytes in, LAS records out, and back. Nothing here knows files or clouds. */
#ifndef FORMATS_LAZ_CHUNK_H
#define FORMATS_LAZ_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct laz_chunk;
struct laz_kind;

enum {
    LAZ_ITEMS_MAX = 5,   /* point, time, colours, waveform, extra bytes */
    LAZ_EXTRA_MAX = 4096 /* extra bytes of a point: each has models of its own */
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
/* Sets an item's version; GLT_EUNSUPPORTED if it is none that is read. */
int laz_chunk_version(struct laz_item *item, unsigned version);

/* Decodes n > 0 records from the bytes of a chunk, which must stay until it is closed. An error
 * names what is wrong, and the caller the place. */
int laz_chunk_open(struct laz_chunk **out, const struct laz_layout *l, const unsigned char *bytes,
                   size_t len);
/* The next n records; whatever the bytes are, only `records` is written. */
void laz_chunk_read(struct laz_chunk *c, unsigned char *records, int64_t n);
/* Whether the bytes were not enough for what was read so far, or no encoder has made them. */
bool laz_chunk_is_damaged(const struct laz_chunk *c);
/* The end, after all records, or after some of a damaged chunk: *used = bytes the chunk has.
 * GLT_EFORMAT if they were not enough or no encoder has made them. Frees the chunk. */
int laz_chunk_close(struct laz_chunk *c, size_t *used);
/* How many points a layered chunk says it has; 0 if the bytes are too few to say so. */
uint32_t laz_chunk_count(const struct laz_layout *l, const unsigned char *bytes, size_t len);

/* The bytes of n > 0 records, of memory_alloc. */
int laz_chunk_encode(unsigned char **out, size_t *len, const struct laz_layout *l,
                     const unsigned char *records, int64_t n);

#endif
