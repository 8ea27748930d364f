/* A chunk of LAZ: see laz_chunk.h.
 *
 * A chunk is its first record, uncompressed, then one stream for all items; or, if layered, the
 * number of points, the size of every layer and the layers. */
#include "formats/laz_chunk.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"
#include "formats/las_layout.h"
#include "formats/laz_arith.h"
#include "formats/laz_items.h"
#include "formats/little.h"

#include <string.h>

extern const struct laz_kind laz_item_point10_v1, laz_item_point10_v2, laz_item_time_v1,
    laz_item_time_v2, laz_item_colour_v1, laz_item_colour_v2, laz_item_wave13, laz_item_wave13_v2,
    laz_item_bytes_v1, laz_item_bytes_v2, laz_item_point14, laz_item_rgb14, laz_item_rgbnir14,
    laz_item_wave14, laz_item_bytes14;

static const struct laz_kind *const kinds[] = {
    &laz_item_point10_v1, &laz_item_point10_v2, &laz_item_time_v1, &laz_item_time_v2,
    &laz_item_colour_v1,  &laz_item_colour_v2,  &laz_item_wave13,  &laz_item_wave13_v2,
    &laz_item_bytes_v1,   &laz_item_bytes_v2,   &laz_item_point14, &laz_item_rgb14,
    &laz_item_rgbnir14,   &laz_item_wave14,     &laz_item_bytes14,
};

struct laz_chunk {
    struct laz_part parts[LAZ_ITEMS_MAX];
    struct laz_layout layout;
    struct arena arena;       /* all models */
    struct laz_coder *coders; /* (n_coders), of all items in order */
    bool *used;               /* (n_coders) */
    size_t n_coders;
    const unsigned char *bytes; /* decoding */
    size_t len, head;           /* head: bytes before the streams */
    bool started;               /* the first record is done */
};

/* --- layouts --- */

int laz_chunk_version(struct laz_item *item, unsigned version)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->type == item->type && kinds[i]->version == version) {
            item->version = (uint16_t)version;
            item->kind = kinds[i];
            return 0;
        }
    return error_topic(
        error_set(version == 4 ? GLT_EUNSUPPORTED : GLT_EFORMAT,
                  "LAZ item %d has version %u, which is not read (1 to 3 are, by item): store "
                  "the points as LAS, or as LAZ of version 3",
                  item->type, version),
        GLT_TOPIC_FORMAT, "laz version");
}

static int add_item(struct laz_layout *l, unsigned type, size_t size, unsigned version)
{
    struct laz_item *item = &l->items[l->n++];
    *item = (struct laz_item){.type = (uint16_t)type, .size = (uint16_t)size};
    return laz_chunk_version(item, version);
}

int laz_chunk_layout(struct laz_layout *l, int format, size_t record)
{
    struct las_field fields[LAS_FIELDS];
    size_t base;
    bool gps = false, rgb = false, nir = false, wave = false;
    int32_t n = las_layout_fields(fields, format, &base);
    for (int32_t i = 0; i < n; i++) {
        gps = gps || !strcmp(fields[i].name, "gps_time");
        rgb = rgb || !strcmp(fields[i].name, "red");
        nir = nir || !strcmp(fields[i].name, "nir");
        wave = wave || !strcmp(fields[i].name, "waveform");
    }
    ASSERT(record >= base);
    if (record - base > LAZ_EXTRA_MAX)
        return error_topic(
            error_set(GLT_ELIMIT,
                      "%zu extra bytes for each point are more than the %d that LAZ files may "
                      "have here: leave some attributes out, or use LAS",
                      record - base, LAZ_EXTRA_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    *l = (struct laz_layout){.record = record, .layered = format >= 6};
    TRY(add_item(l, l->layered ? LAZ_POINT14 : LAZ_POINT10, l->layered ? 30 : 20,
                 l->layered ? 3 : 2));
    if (gps && !l->layered)
        TRY(add_item(l, LAZ_GPSTIME11, 8, 2));
    if (rgb && !l->layered)
        TRY(add_item(l, LAZ_RGB12, 6, 2));
    if (rgb && l->layered)
        TRY(add_item(l, nir ? LAZ_RGBNIR14 : LAZ_RGB14, nir ? 8 : 6, 3));
    if (wave)
        TRY(add_item(l, l->layered ? LAZ_WAVEPACKET14 : LAZ_WAVEPACKET13, LAS_WAVEFORM,
                     l->layered ? 3 : 1));
    if (record > base)
        TRY(add_item(l, l->layered ? LAZ_BYTE14 : LAZ_BYTE, record - base, l->layered ? 3 : 2));
    return 0;
}

/* --- both directions --- */

static size_t layers_of(const struct laz_item *item)
{
    return item->kind->layers == LAZ_LAYER_PER_BYTE ? item->size : (size_t)item->kind->layers;
}

static size_t streams_of(const struct laz_layout *l)
{
    size_t n = 0;
    for (int i = 0; i < l->n; i++)
        n += layers_of(&l->items[i]);
    return l->layered ? n : 1;
}

static void bind_parts(struct laz_chunk *c, struct arena *a, bool encode)
{
    c->coders = arena_take(a, c->n_coders, sizeof *c->coders);
    c->used = arena_take(a, c->n_coders, sizeof *c->used);
    for (int i = 0; i < c->layout.n; i++) {
        const struct laz_item *item = &c->layout.items[i];
        c->parts[i].kind = item->kind;
        c->parts[i].size = item->size;
        item->kind->bind(c->parts[i].state, a, item->size, encode);
    }
}

/* Gives every item its streams. */
static void share_streams(struct laz_chunk *c)
{
    size_t at = 0;
    for (int i = 0; i < c->layout.n; i++) {
        struct laz_part *p = &c->parts[i];
        p->coders = c->coders + (c->layout.layered ? at : 0);
        p->used = c->layout.layered ? c->used + at : NULL;
        at += layers_of(&c->layout.items[i]);
    }
}

static void close_chunk(struct laz_chunk *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->layout.n; i++)
        memory_free(c->parts[i].state);
    arena_free(&c->arena);
    memory_free(c);
}

static int make_states(struct laz_chunk *c)
{
    for (int i = 0; i < c->layout.n; i++) {
        c->parts[i].state = memory_alloc(1, c->layout.items[i].kind->state);
        if (!c->parts[i].state)
            return GLT_ENOMEM;
    }
    return 0;
}

static int new_chunk(struct laz_chunk **out, const struct laz_layout *l, bool encode)
{
    struct laz_chunk *c = memory_alloc(1, sizeof *c);
    struct arena measure = arena_measuring();
    if (!c)
        return GLT_ENOMEM;
    c->layout = *l;
    c->n_coders = streams_of(l);
    int code = make_states(c);
    if (code == 0) {
        bind_parts(c, &measure, encode);
        code = arena_init(&c->arena, measure.used);
    }
    if (code < 0) {
        close_chunk(c);
        return code;
    }
    bind_parts(c, &c->arena, encode);
    memset(c->coders, 0, c->n_coders * sizeof *c->coders);
    memset(c->used, 0, c->n_coders * sizeof *c->used);
    share_streams(c);
    *out = c;
    return 0;
}

/* Starts every item with the first record. */
static void start_parts(struct laz_chunk *c, const unsigned char *record)
{
    uint32_t channel = 0;
    size_t at = 0;
    for (int i = 0; i < c->layout.n; at += c->parts[i++].size)
        c->parts[i].kind->start(&c->parts[i], record + at, &channel);
    c->started = true;
}

static void code_record(struct laz_chunk *c, unsigned char *record, bool encode)
{
    /* 0 if the point does not change its channel, whichever that is, as in all implementations of
     * version 3 */
    uint32_t channel = 0;
    for (int i = 0; i < c->layout.n; i++) {
        struct laz_part *p = &c->parts[i];
        (encode ? p->kind->encode : p->kind->decode)(p, record, &channel);
        record += p->size;
    }
}

/* --- decoding --- */

/* Bytes before the streams. */
static size_t head_size(const struct laz_layout *l)
{
    return l->record + (l->layered ? 4 + 4 * streams_of(l) : 0);
}

static int open_layers(struct laz_chunk *c)
{
    size_t at = c->head;
    const unsigned char *sizes = c->bytes + c->layout.record + 4;
    for (size_t i = 0; i < c->n_coders; i++) {
        size_t size = little_get32(sizes + 4 * i);
        if (size > c->len - at)
            return error_set(GLT_EFORMAT,
                             "layer %zu of %zu should have %zu bytes, but %zu are left: it is cut "
                             "short or damaged",
                             i + 1, c->n_coders, size, c->len - at);
        laz_coder_read(&c->coders[i], c->bytes + at, size);
        c->used[i] = size > 0;
        if (size == 0) /* nothing is read from it */
            c->coders[i].missing = 0;
        at += size;
    }
    return 0;
}

static int open_streams(struct laz_chunk *c)
{
    if (c->len < c->head)
        return error_set(GLT_EFORMAT,
                         "%zu bytes are too few for a first point of %zu: it is cut short or "
                         "damaged",
                         c->len, c->head);
    if (c->layout.layered)
        return open_layers(c);
    laz_coder_read(&c->coders[0], c->bytes + c->head, c->len - c->head);
    return 0;
}

int laz_chunk_open(struct laz_chunk **out, const struct laz_layout *l, const unsigned char *bytes,
                   size_t len)
{
    struct laz_chunk *c = NULL;
    TRY(new_chunk(&c, l, false));
    c->bytes = bytes;
    c->len = len;
    c->head = head_size(l);
    int code = open_streams(c);
    if (code < 0)
        close_chunk(c);
    else
        *out = c;
    return code;
}

void laz_chunk_read(struct laz_chunk *c, unsigned char *records, int64_t n)
{
    size_t record = c->layout.record;
    if (!c->started && n > 0) {
        memcpy(records, c->bytes, record);
        start_parts(c, records);
        records += record;
        n--;
    }
    for (int64_t i = 0; i < n; i++)
        code_record(c, records + (size_t)i * record, false);
}

bool laz_chunk_is_damaged(const struct laz_chunk *c)
{
    bool damaged = false;
    for (size_t i = 0; i < c->n_coders; i++)
        damaged |= c->coders[i].missing || c->coders[i].bad;
    return damaged;
}

/* The error that a stream found. */
static int judge(const struct laz_chunk *c, size_t *used)
{
    *used = c->head;
    for (size_t i = 0; i < c->n_coders; i++) {
        const struct laz_coder *x = &c->coders[i];
        if (x->missing)
            return error_set(GLT_EFORMAT, "its bytes end too early: it is cut short or damaged");
        if (x->bad)
            return error_set(GLT_EFORMAT, "its bytes are damaged");
        *used = c->layout.layered ? (c->used[i] ? (size_t)(x->end - c->bytes) : *used)
                                  : (size_t)(x->at - c->bytes);
    }
    return 0;
}

int laz_chunk_close(struct laz_chunk *c, size_t *used)
{
    int code = judge(c, used);
    close_chunk(c);
    return code;
}

uint32_t laz_chunk_count(const struct laz_layout *l, const unsigned char *bytes, size_t len)
{
    return l->layered && len >= l->record + 4 ? little_get32(bytes + l->record) : 0;
}

/* --- encoding --- */

static int finish_streams(struct laz_chunk *c, size_t *size)
{
    *size = c->head;
    for (size_t i = 0; i < c->n_coders; i++) {
        struct laz_coder *x = &c->coders[i];
        if (!c->used[i])
            continue;
        laz_coder_finish(x);
        if (x->bad)
            return GLT_ENOMEM;
        *size += (size_t)(x->at - x->bytes);
        if (*size > UINT32_MAX)
            return error_topic(error_set(GLT_ELIMIT, "a chunk of LAZ would have more than 4 GiB"),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
    }
    return 0;
}

static int join_streams(unsigned char **out, struct laz_chunk *c, const unsigned char *first,
                        uint32_t n, size_t size)
{
    unsigned char *bytes = memory_alloc_raw(size, 1);
    if (!bytes)
        return GLT_ENOMEM;
    unsigned char *sizes = bytes + c->layout.record + 4, *at = bytes + c->head;
    memcpy(bytes, first, c->layout.record);
    if (c->layout.layered)
        little_put32(bytes + c->layout.record, n);
    for (size_t i = 0; i < c->n_coders; i++) {
        size_t len = c->used[i] ? (size_t)(c->coders[i].at - c->coders[i].bytes) : 0;
        if (len)
            memcpy(at, c->coders[i].bytes, len);
        if (c->layout.layered)
            little_put32(sizes + 4 * i, (uint32_t)len);
        at += len;
    }
    *out = bytes;
    return 0;
}

int laz_chunk_encode(unsigned char **out, size_t *len, const struct laz_layout *l,
                     const unsigned char *records, int64_t n)
{
    struct laz_chunk *c = NULL;
    TRY(new_chunk(&c, l, true));
    c->head = head_size(l);
    for (size_t i = 0; i < c->n_coders; i++)
        laz_coder_write(&c->coders[i]);
    c->used[0] = true; /* the first stream is always written, */
    if (l->layered)
        c->used[1] = true; /* and so is that of z */
    start_parts(c, records);
    for (int64_t i = 1; i < n; i++) /* encoding reads records only */
        code_record(c, (unsigned char *)records + (size_t)i * l->record, true);
    int code = finish_streams(c, len);
    if (code == 0)
        code = join_streams(out, c, records, (uint32_t)n, *len);
    for (size_t i = 0; i < c->n_coders; i++)
        laz_coder_free(&c->coders[i]);
    close_chunk(c);
    return code;
}
