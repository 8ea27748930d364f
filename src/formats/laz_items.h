/* The items of a LAZ record: how each part of a point is predicted from the points before it.
 *
 * A record is a list of items (a point, a time, colours, a waveform packet, extra bytes). The first
 * record of a chunk is uncompressed; for the others, items code the changes. Items of point formats
 * 0 to 5 share one stream. Those of formats 6 to 10 have streams of their own, one for each layer,
 * and models for each of the four scanner channels; the point selects the channel. */
#ifndef FORMATS_LAZ_ITEMS_H
#define FORMATS_LAZ_ITEMS_H

#include "core/arena.h"
#include "formats/laz_arith.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAZ_BYTE = 0,
    LAZ_POINT10 = 6,
    LAZ_GPSTIME11 = 7,
    LAZ_RGB12 = 8,
    LAZ_WAVEPACKET13 = 9,
    LAZ_POINT14 = 10,
    LAZ_RGB14 = 11,
    LAZ_RGBNIR14 = 12,
    LAZ_WAVEPACKET14 = 13,
    LAZ_BYTE14 = 14
};
enum { LAZ_CHANNELS = 4 };

struct laz_part;

/* Codes one item at `bytes`, in the direction of the function's name. *channel is set by the point
 * and used by the items after it. */
typedef void laz_code_fn(struct laz_part *p, unsigned char *bytes, uint32_t *channel);

/* decode_v2 and encode_v2 of an inline function code_v2, which has the direction as its last
 * argument: each is compiled separately. */
#define LAZ_DIRECTIONS(version)                                                                    \
    static void decode##version(struct laz_part *p, unsigned char *bytes, uint32_t *channel)       \
    {                                                                                              \
        code##version(p, bytes, channel, false);                                                   \
    }                                                                                              \
    static void encode##version(struct laz_part *p, unsigned char *bytes, uint32_t *channel)       \
    {                                                                                              \
        code##version(p, bytes, channel, true);                                                    \
    }

/* A type and version of item. */
struct laz_kind {
    uint16_t type, version;
    uint16_t size; /* bytes in a record; 0: any */
    size_t state;  /* bytes of its state */
    /* Takes the models of an item of `size` bytes from an arena, which may be measuring. */
    void (*bind)(void *state, struct arena *a, size_t size, bool encode);
    /* Called with the first point, before the second is coded. */
    void (*start)(struct laz_part *p, const unsigned char *first, uint32_t *channel);
    laz_code_fn *decode, *encode;
    int layers; /* streams of its own, LAZ_LAYER_PER_BYTE, or 0: all items share one */
};
enum { LAZ_LAYER_PER_BYTE = -1 };

/* An item while a chunk is coded. */
struct laz_part {
    const struct laz_kind *kind;
    void *state;
    size_t size;
    struct laz_coder *coders; /* the shared stream, or (layers) streams of its own */
    /* (layers): decoding: the layer has bytes; without them nothing changes in this chunk.
     * Encoding: something changed, so the layer is written. NULL without layers. */
    bool *used;
};

/* The median of the last five values, kept sorted; the largest and the smallest are dropped in
 * turn. */
struct laz_median {
    int32_t values[5];
    bool low; /* the smallest is dropped next, else the largest */
};

static inline void laz_median_add(struct laz_median *m, int32_t v)
{
    int32_t *x = m->values;
    if (!m->low) { /* drop the largest */
        int i = 4;
        for (; i > 0 && v < x[i - 1]; i--)
            x[i] = x[i - 1];
        m->low = i > 2;
        x[i] = v;
    } else {
        int i = 0;
        for (; i < 4 && x[i + 1] < v; i++)
            x[i] = x[i + 1];
        m->low = i >= 2;
        x[i] = v;
    }
}

#endif
