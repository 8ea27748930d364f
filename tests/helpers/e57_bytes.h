/* E57 files for tests: any fields, packets that end in the middle of values, streams that run
 * ahead of each other, index and ignored packets between them. Values are a function of field and
 * row (e57_raw), so that a test knows what to expect. */
#ifndef TESTS_E57_BYTES_H
#define TESTS_E57_BYTES_H

#include "core/memory.h"
#include "core/string.h"
#include "formats/e57_pages.h"
#include "formats/e57_xml.h"
#include "formats/little.h"

#include <string.h>

struct e57_file {
    unsigned char *bytes; /* logical while it is made, with checksums afterwards */
    size_t len;
    int64_t page; /* bytes of a page */
    struct string xml;
};

/* The bits of a value: those of an integer without its minimum, or of a real number. */
static inline uint64_t e57_raw(const struct e57_field *x, int k, int64_t row)
{
    uint64_t hash = ((uint64_t)row * 31 + (uint64_t)k + 1) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    if (x->kind == E57_INTEGER)
        return x->bits < 64 ? hash & (((uint64_t)1 << x->bits) - 1) : hash;
    double v = (double)(int64_t)(hash % 2001) / 250 - 4;
    float single = (float)v;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &single, 4);
    memcpy(&bits64, &v, 8);
    return x->kind == E57_SINGLE ? bits32 : bits64;
}

/* The value of those bits. */
static inline double e57_value(const struct e57_field *x, int k, int64_t row)
{
    uint64_t raw = e57_raw(x, k, row);
    uint32_t raw32 = (uint32_t)raw;
    float single;
    double v;
    memcpy(&single, &raw32, 4);
    memcpy(&v, &raw, 8);
    if (x->kind == E57_INTEGER)
        return (double)(int64_t)(raw + (uint64_t)x->min) * x->scale + x->offset;
    return x->kind == E57_SINGLE ? (double)single : v;
}

static inline void e57_add(struct e57_file *f, const void *bytes, size_t len)
{
    f->bytes = memory_resize(f->bytes, f->len + len, 1);
    assert_non_null(f->bytes);
    if (len)
        memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}

static inline uint64_t e57_physical(const struct e57_file *f, size_t logical)
{
    size_t payload = (size_t)f->page - 4;
    return logical / payload * (size_t)f->page + logical % payload;
}

/* All values of a field as one stream; strings are "ab", preceded by their length. */
static inline unsigned char *e57_stream(size_t *len, const struct e57_field *x, int k, int64_t n)
{
    if (x->kind == E57_STRING) {
        unsigned char *text = memory_alloc((size_t)n, 3);
        for (int64_t i = 0; i < n; i++)
            memcpy(text + 3 * i, "\4ab", 3);
        *len = 3 * (size_t)n;
        return text;
    }
    *len = ((size_t)n * (size_t)x->bits + 7) / 8;
    unsigned char *bytes = memory_alloc(*len + 1, 1);
    for (int64_t i = 0; i < n; i++) {
        uint64_t raw = e57_raw(x, k, i);
        for (int b = 0; b < x->bits; b++) {
            size_t at = (size_t)i * (size_t)x->bits + (size_t)b;
            bytes[at / 8] |= (unsigned char)((raw >> b & 1) << at % 8);
        }
    }
    return bytes;
}

/* A packet of type 0 or 2, which readers skip. */
static inline void e57_skipped(struct e57_file *f, unsigned char type)
{
    unsigned char packet[32] = {type, 0, 31};
    packet[4] = 1; /* an index of one entry */
    e57_add(f, packet, sizeof packet);
}

/* One data packet: up to `piece` bytes of every stream, fewer of every second one. */
static inline void e57_data(struct e57_file *f, unsigned char **streams, size_t *at,
                            const size_t *lens, int n, size_t piece)
{
    size_t head = 6 + 2 * (size_t)n, len = head;
    unsigned char *packet = memory_alloc(65536, 1);
    for (int k = 0; k < n; k++) {
        size_t now = lens[k] - at[k], max = k % 2 ? piece / 2 + 1 : piece;
        now = now < max ? now : max;
        little_put16(packet + 6 + 2 * k, (uint16_t)now);
        memcpy(packet + len, streams[k] + at[k], now);
        len += now;
        at[k] += now;
    }
    len = (len + 3) / 4 * 4;
    packet[0] = 1;
    little_put16(packet + 2, (uint16_t)(len - 1));
    little_put16(packet + 4, (uint16_t)n);
    e57_add(f, packet, len);
    memory_free(packet);
}

/* The section of n records; `piece` bytes of a stream in a packet. Returns its physical offset. */
static inline uint64_t e57_section(struct e57_file *f, const struct e57_field *fields, int n_fields,
                                   int64_t n, size_t piece)
{
    unsigned char head[32] = {1}, *streams[64];
    size_t start = f->len, lens[64], at[64] = {0};
    bool left = true;
    e57_add(f, head, sizeof head);
    for (int k = 0; k < n_fields; k++)
        streams[k] = e57_stream(&lens[k], &fields[k], k, n);
    for (int packets = 0; left; packets++) {
        e57_data(f, streams, at, lens, n_fields, piece);
        if (packets == 0) {
            e57_skipped(f, 0);
            e57_skipped(f, 2);
        }
        left = false;
        for (int k = 0; k < n_fields; k++)
            left = left || at[k] < lens[k];
    }
    for (int k = 0; k < n_fields; k++)
        memory_free(streams[k]);
    little_put64(f->bytes + start + 8, f->len - start);
    little_put64(f->bytes + start + 16, e57_physical(f, start + 32));
    return e57_physical(f, start);
}

static inline void e57_field_xml(struct string *xml, const struct e57_field *x)
{
    if (x->kind == E57_STRING)
        string_add(xml, "<%s type=\"String\"/>", x->name);
    else if (x->kind != E57_INTEGER)
        string_add(xml, "<%s type=\"Float\"%s/>", x->name,
                   x->kind == E57_SINGLE ? " precision=\"single\"" : "");
    else if (x->bits == 64)
        string_add(xml, "<%s type=\"Integer\"/>", x->name);
    else
        string_add(xml,
                   "<%s type=\"ScaledInteger\" minimum=\"%lld\" maximum=\"%lld\" scale=\"%.17g\" "
                   "offset=\"%.17g\">0</%s>",
                   x->name, (long long)x->min,
                   (long long)(x->min + (int64_t)(((uint64_t)1 << x->bits) - 1)), x->scale,
                   x->offset, x->name);
}

static inline void e57_begin(struct e57_file *f, int64_t page)
{
    static const unsigned char head[E57_HEADER] = "ASTM-E57\1";
    *f = (struct e57_file){.page = page};
    e57_add(f, head, sizeof head);
    string_add(&f->xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<e57Root type=\"Structure\" "
                        "xmlns:nor=\"http://www.libe57.org/E57_NOR_surface_normals.txt\">\n"
                        "<data3D type=\"Vector\">");
}

/* A scan; more = further XML elements: pose, name, limits. */
static inline void e57_scan_of(struct e57_file *f, const struct e57_field *fields, int n_fields,
                               int64_t n, size_t piece, const char *more)
{
    uint64_t at = e57_section(f, fields, n_fields, n, piece);
    string_add(&f->xml,
               "<vectorChild type=\"Structure\">%s\n<points type=\"CompressedVector\" "
               "fileOffset=\"%llu\" recordCount=\"%lld\"><prototype type=\"Structure\">",
               more, (unsigned long long)at, (long long)n);
    for (int k = 0; k < n_fields; k++)
        e57_field_xml(&f->xml, &fields[k]);
    string_add(&f->xml, "</prototype><codecs type=\"Vector\"></codecs></points></vectorChild>\n");
}

/* Corrects the checksum of every page. */
static inline void e57_sign(unsigned char *bytes, size_t len, size_t page)
{
    uint32_t table[8][256];
    e57_pages_table(table);
    for (; len >= page; bytes += page, len -= page) {
        uint32_t sum = e57_pages_sum(table, bytes, page - 4);
        for (int i = 0; i < 4; i++)
            bytes[page - 1 - (size_t)i] = (unsigned char)(sum >> 8 * i);
    }
}

/* The XML section at the end, then pages with checksums. */
static inline void e57_pack(struct e57_file *f)
{
    size_t payload = (size_t)f->page - 4, xml = f->len, len = (size_t)f->xml.len;
    e57_add(f, f->xml.bytes, len);
    string_free(&f->xml);
    size_t pages = (f->len + payload - 1) / payload;
    unsigned char *out = memory_alloc(pages, (size_t)f->page);
    for (size_t i = 0; i < pages; i++) {
        size_t left = f->len - i * payload;
        memcpy(out + i * (size_t)f->page, f->bytes + i * payload, left < payload ? left : payload);
    }
    memory_free(f->bytes);
    f->bytes = out;
    f->len = pages * (size_t)f->page;
    little_put64(out + 16, f->len);
    little_put64(out + 24, e57_physical(f, xml));
    little_put64(out + 32, len);
    little_put64(out + 40, (uint64_t)f->page);
    e57_sign(out, f->len, (size_t)f->page);
}

static inline void e57_finish(struct e57_file *f)
{
    string_add(&f->xml, "</data3D></e57Root>\n");
    e57_pack(f);
}

#endif
