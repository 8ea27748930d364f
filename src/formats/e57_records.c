/* Records of E57: see e57_records.h.
 *
 * Reference: ASTM E2807-11, 9.3 (compressed vectors) and 9.7 (bit packing). A section is its header
 * and then packets of up to 64 KiB: data, an index, or bytes to be ignored. A data packet has a
 * piece of every field's stream. The pieces of a field make one stream of bits, the lowest bit of a
 * byte first, and need not end between two values; streams may run ahead of each other. */
#include "formats/e57_records.h"

#include "cloud/column.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "formats/e57_pages.h"
#include "formats/little.h"

#include <inttypes.h>
#include <string.h>

enum {
    SECTION = 32, /* bytes of its header */
    PACKET_INDEX = 0,
    PACKET_DATA = 1,
    PACKET_IGNORED = 2,
    PACKET_MAX = 1 << 16,
    REST = 16,   /* bytes before a piece, of a value begun in the last one */
    BLOCK = 1024 /* values that are converted at once */
};

struct stream {
    const struct e57_field *field;
    const struct e57_target *target;
    uint64_t done;            /* values so far */
    unsigned char rest[REST]; /* of the last piece: the bits of the next value */
    size_t rest_len;
    int bit; /* where the next value begins in the first remaining byte */
};

struct section {
    struct e57_pages *pages;
    int64_t at, end; /* logical: the next packet, and the end */
    uint64_t n;      /* records */
    struct stream *streams;
    int32_t n_streams;
    unsigned char *packet, *piece;
    int64_t raw[BLOCK];
};

static int damaged(const struct section *s, int64_t at, const char *what)
{
    int code = error_set(GLT_EFORMAT, "%s (byte %" PRId64 " of the sections): the file is damaged",
                         what, at);
    return e57_pages_place(error_topic(code, GLT_TOPIC_VALUE, NULL), s->pages, at);
}

/* --- values --- */

/* Unpacks integers from bit `bit` of the bytes on, after which 16 more may be read. */
static void unpack(int64_t *raw, const unsigned char *bytes, uint64_t bit, int64_t n,
                   const struct e57_field *x)
{
    uint64_t mask = x->bits < 64 ? ((uint64_t)1 << x->bits) - 1 : UINT64_MAX;
    for (int64_t i = 0; i < n; i++, bit += (uint64_t)x->bits) {
        const unsigned char *from = bytes + bit / 8;
        int shift = (int)(bit % 8);
        uint64_t v = little_get64(from) >> shift;
        if (shift + x->bits > 64)
            v |= (uint64_t)from[8] << (64 - shift);
        raw[i] = (int64_t)((v & mask) + (uint64_t)x->min);
    }
}

/* Stores n values of a block at `raw` in the rows from t->done on. */
static void store(struct stream *t, const void *raw, int64_t n)
{
    enum e57_kind kind = t->field->kind;
    struct column from = {.type = kind == E57_INTEGER  ? GLT_I64
                                  : kind == E57_SINGLE ? GLT_F32
                                                       : GLT_F64,
                          .width = 1,
                          .scale = t->target->scale,
                          .offset = t->target->offset,
                          .data = (void *)(uintptr_t)raw};
    size_t size = type_size(t->target->type);
    column_convert((unsigned char *)t->target->data + t->done * size, t->target->type, 0, &from, 0,
                   n);
    t->done += (uint64_t)n;
}

static void take_reals(struct section *s, struct stream *t, const unsigned char *bytes, int64_t n)
{
    size_t size = t->field->kind == E57_SINGLE ? 4 : 8;
    for (int64_t i = 0, now; i < n; i += now) {
        now = n - i < BLOCK ? n - i : BLOCK;
        memcpy(s->raw, bytes + (size_t)i * size, (size_t)now * size);
        if (file_host_is_big_endian())
            file_swap(s->raw, (size_t)now, size);
        store(t, s->raw, now);
    }
}

static void take_integers(struct section *s, struct stream *t, const unsigned char *bytes,
                          int64_t n)
{
    for (int64_t i = 0, now; i < n; i += now) {
        now = n - i < BLOCK ? n - i : BLOCK;
        unpack(s->raw, bytes, (uint64_t)t->bit + (uint64_t)i * (uint64_t)t->field->bits, now,
               t->field);
        store(t, s->raw, now);
    }
}

/* A field whose limits are equal has no bytes. */
static void take_constant(struct section *s, struct stream *t)
{
    for (int64_t i = 0; i < BLOCK; i++)
        s->raw[i] = t->field->min;
    while (t->done < s->n)
        store(t, s->raw, s->n - t->done < BLOCK ? (int64_t)(s->n - t->done) : BLOCK);
}

/* The values that end in a piece of a stream. */
static void take_piece(struct section *s, struct stream *t, const unsigned char *bytes, size_t len)
{
    int bits = t->field->bits;
    if (!t->target->data || t->field->kind == E57_STRING || t->done == s->n)
        return;
    unsigned char *piece = s->piece + REST - t->rest_len;
    memcpy(piece, t->rest, t->rest_len);
    memcpy(s->piece + REST, bytes, len);
    len += t->rest_len;
    uint64_t has = (8 * (uint64_t)len - (uint64_t)t->bit) / (uint64_t)bits, left = s->n - t->done;
    int64_t n = (int64_t)(has < left ? has : left);
    if (t->field->kind == E57_INTEGER)
        take_integers(s, t, piece, n);
    else
        take_reals(s, t, piece, n);
    uint64_t used = (uint64_t)t->bit + (uint64_t)n * (uint64_t)bits;
    t->bit = (int)(used % 8);
    t->rest_len = t->done < s->n ? len - (size_t)(used / 8) : 0;
    memcpy(t->rest, piece + used / 8, t->rest_len);
}

/* --- packets --- */

static int take_data(struct section *s, size_t len)
{
    const unsigned char *lens = s->packet + 6;
    size_t n = len >= 6 ? little_get16(s->packet + 4) : 0, at = 6 + 2 * n;
    if (n != (size_t)s->n_streams || at > len)
        return damaged(s, s->at, "the streams of a data packet do not match the fields");
    for (size_t i = 0; i < n; i++) {
        size_t now = little_get16(lens + 2 * i);
        if (now > len - at)
            return damaged(s, s->at, "a stream is longer than its data packet");
        take_piece(s, &s->streams[i], s->packet + at, now);
        at += now;
    }
    return 0;
}

static int take_packet(struct section *s)
{
    unsigned char head[4];
    if (s->end - s->at < (int64_t)sizeof head)
        return damaged(s, s->at, "the section ends within a packet");
    TRY(e57_pages_read(s->pages, head, s->at, sizeof head));
    size_t len = (size_t)little_get16(head + 2) + 1;
    if ((int64_t)len > s->end - s->at || len < sizeof head || len % 4)
        return damaged(s, s->at, "a packet has an impossible length");
    if (head[0] == PACKET_DATA) {
        TRY(e57_pages_read(s->pages, s->packet, s->at, len));
        TRY(take_data(s, len));
    } else if (head[0] != PACKET_INDEX && head[0] != PACKET_IGNORED) {
        return damaged(s, s->at, "a packet has an unknown type");
    }
    s->at += (int64_t)len;
    return 0;
}

static bool is_complete(const struct section *s)
{
    for (int32_t i = 0; i < s->n_streams; i++) {
        const struct stream *t = &s->streams[i];
        if (t->target->data && t->field->kind != E57_STRING && t->done < s->n)
            return false;
    }
    return true;
}

/* --- sections --- */

/* Opens the section: where its packets begin and end. */
static int open_section(struct section *s, struct e57_pages *p, const struct e57_scan *scan)
{
    unsigned char head[SECTION];
    int64_t start;
    *s = (struct section){.pages = p, .n = scan->n};
    TRY(e57_pages_logical(&start, p, scan->offset, "a section of records"));
    int64_t left = e57_pages_length(p) - start;
    if (left < SECTION)
        return damaged(s, start, "the file ends in the header of a section");
    TRY(e57_pages_read(p, head, start, SECTION));
    uint64_t len = little_get64(head + 8);
    if (head[0] != 1 || len < SECTION || len > (uint64_t)left)
        return damaged(s, start, "this is not a section of records that fits the file");
    s->end = start + (int64_t)len;
    TRY(e57_pages_logical(&s->at, p, little_get64(head + 16), "the first data packet"));
    if (s->at < start + SECTION || s->at > s->end)
        return damaged(s, s->at, "the first data packet is outside its section");
    return 0;
}

int e57_records_check(int64_t *bytes, struct e57_pages *p, const struct e57_scan *scan)
{
    struct section s;
    uint64_t bits = 0;
    TRY(open_section(&s, p, scan));
    for (int32_t i = 0; i < scan->n_fields; i++)
        bits += (uint64_t)scan->fields[i].bits;
    *bytes += s.end - s.at;
    /* equal records take no bits at all: accept as many as if they had one */
    if (scan->n > 8 * (uint64_t)(s.end - s.at) / (bits ? bits : 1)) {
        int code =
            error_set(GLT_EFORMAT,
                      "%" PRIu64 " records of %" PRIu64 " bits are declared, but only %" PRId64
                      " bytes follow: the file is damaged",
                      scan->n, bits, s.end - s.at);
        return e57_pages_place(error_topic(code, GLT_TOPIC_TRUNCATED, NULL), p, s.at);
    }
    return 0;
}

int e57_records_read(struct call *call, struct e57_pages *p, const struct e57_scan *scan,
                     const struct e57_target *targets)
{
    struct section s;
    TRY(open_section(&s, p, scan));
    s.n_streams = scan->n_fields;
    s.streams = call_alloc(call, (size_t)scan->n_fields, sizeof *s.streams);
    s.packet = call_alloc(call, PACKET_MAX, 1);
    s.piece = call_alloc(call, REST + PACKET_MAX + REST, 1);
    if (!s.streams || !s.packet || !s.piece)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < s.n_streams; i++) {
        struct stream *t = &s.streams[i];
        *t = (struct stream){.field = &scan->fields[i], .target = &targets[i]};
        if (t->target->data && t->field->kind == E57_INTEGER && t->field->bits == 0)
            take_constant(&s, t);
    }
    while (!is_complete(&s)) {
        if (s.at == s.end)
            return damaged(&s, s.at - 1, "the section ends before its last record");
        TRY(take_packet(&s));
    }
    return 0;
}
