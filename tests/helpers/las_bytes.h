/* LAS files for tests of LAZ: points of any format that change as in scans, a little from point to
 * point and sometimes a lot. */
#ifndef TESTS_LAS_BYTES_H
#define TESTS_LAS_BYTES_H

#include "core/memory.h"
#include "core/random.h"
#include "formats/las_layout.h"
#include "formats/little.h"

#include <string.h>

/* The next record after `last`: any byte may change; whole numbers by small steps. */
static inline void las_bytes_next(unsigned char *to, const unsigned char *last, size_t record,
                                  int format, struct random *r)
{
    size_t base;
    struct las_field fields[LAS_FIELDS];
    int32_t n = las_layout_fields(fields, format, &base);
    memcpy(to, last, record);
    for (int32_t i = 0; i < n; i++) {
        uint32_t what = random_u32(r) % 16;
        size_t size = type_size(fields[i].type) * (size_t)fields[i].width;
        unsigned char *p = to + fields[i].offset;
        if (what < 8 && !fields[i].mask && size <= 8)
            little_put(p, little_get(p, (int)size) + random_u32(r) % 64 - 32, (int)size);
        else if (what < 10)
            p[random_u32(r) % size] = (unsigned char)random_u32(r);
        else if (what == 15 && size == 8)
            little_put(p, (uint64_t)random_u32(r) << 32 | random_u32(r), 8);
    }
    for (size_t i = base; i < record; i++)
        if (random_u32(r) % 8 == 0)
            to[i] = (unsigned char)random_u32(r);
    if (format == 2 || format == 3 || format == 5 || format == 7)
        if (random_u32(r) % 2) { /* grey */
            size_t red = format == 2 ? 20 : format == 7 ? 30 : 28;
            memcpy(to + red + 2, to + red, 2);
            memcpy(to + red + 4, to + red, 2);
        }
}

static inline void las_bytes_records(unsigned char *records, int64_t n, size_t record, int format,
                                     uint64_t seed)
{
    struct random r = random_start(random_stream(seed, 0, 0, RANDOM_TEST), 0);
    for (size_t i = 0; i < record; i++)
        records[i] = (unsigned char)random_u32(&r);
    for (int64_t i = 1; i < n; i++)
        las_bytes_next(records + (size_t)i * record, records + (size_t)(i - 1) * record, record,
                       format, &r);
}

/* A file of n points with undescribed extra bytes, a record of a coordinate system, and, in LAS
 * 1.4, an extended record after the points. */
static inline unsigned char *las_bytes(size_t *len, int format, int64_t n, size_t extra)
{
    struct las_field fields[LAS_FIELDS];
    int minor = format >= 6 ? 4 : format >= 4 ? 3 : 2;
    size_t base, head = las_layout_header_size(minor), points = head + LAS_VLR + 10;
    las_layout_fields(fields, format, &base);
    size_t record = base + extra, end = points + (size_t)n * record;
    *len = end + (minor == 4 ? LAS_EVLR + 7 : 0);
    unsigned char *p = memory_alloc(*len, 1);
    assert_non_null(p);
    memcpy(p, "LASF", 4);
    p[24] = 1;
    p[25] = (unsigned char)minor;
    little_put(p + 94, head, 2);
    little_put(p + 96, points, 4);
    little_put(p + 100, 1, 4);
    p[104] = (unsigned char)format;
    little_put(p + 105, record, 2);
    little_put(p + 107, format < 6 ? (uint64_t)n : 0, 4);
    for (int d = 0; d < 3; d++)
        las_layout_put_double(p + 131 + 8 * d, 0.01);
    memcpy(p + head + 2, "LASF_Projection", 15);
    little_put(p + head + 18, 2112, 2);
    little_put(p + head + 20, 10, 2);
    memcpy(p + head + LAS_VLR, "some WKT..", 10);
    if (n)
        las_bytes_records(p + points, n, record, format, (uint64_t)format);
    if (minor == 4) {
        little_put(p + 247, (uint64_t)n, 8);
        little_put(p + 235, end, 8);
        little_put(p + 243, 1, 4);
        memcpy(p + end + 2, "LASF_Spec", 9);
        little_put(p + end + 20, 7, 8);
        memcpy(p + end + LAS_EVLR, "behind!", 7);
    }
    return p;
}

#endif
