/* COPC files for tests: a square of 2048 m whose nodes, down to a given level, hold a few points
 * each. The hierarchy has a page for the root and one for each quarter. */
#ifndef TESTS_COPC_BYTES_H
#define TESTS_COPC_BYTES_H

#include "core/memory.h"
#include "core/random.h"
#include "formats/las_layout.h"
#include "formats/laz_arith.h"
#include "formats/laz_chunk.h"
#include "formats/little.h"

#include <string.h>

enum { COPC_HALF = 1024, COPC_NODES_MAX = 1365, COPC_RECORD = 30 };

struct copc_node {
    int level, x, y;
    size_t at, len;
};

struct copc_file {
    unsigned char *bytes;
    size_t len, capacity;
    struct copc_node nodes[COPC_NODES_MAX];
    int n, points;    /* nodes, and points in each */
    size_t hierarchy; /* offset of its first page */
};

static inline void copc_add(struct copc_file *f, const void *bytes, size_t len)
{
    if (f->len + len > f->capacity) {
        f->capacity = 2 * (f->len + len);
        f->bytes = memory_resize(f->bytes, f->capacity, 1);
        assert_non_null(f->bytes);
    }
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}

static inline void copc_chunk(struct copc_file *f, struct copc_node *node,
                              const struct laz_layout *l, struct random *r)
{
    unsigned char *records = memory_alloc((size_t)f->points, COPC_RECORD), *packed;
    double side = 2.0 * COPC_HALF / (1 << node->level);
    for (int i = 0; i < f->points; i++) {
        unsigned char *p = records + i * COPC_RECORD;
        double x = -COPC_HALF + side * (node->x + random_u32(r) / 4294967296.0);
        double y = -COPC_HALF + side * (node->y + random_u32(r) / 4294967296.0);
        little_put32(p, (uint32_t)(int32_t)(x * 100));
        little_put32(p + 4, (uint32_t)(int32_t)(y * 100));
        little_put32(p + 8, random_u32(r) % 1000);
        p[14] = 0x11;
    }
    assert_int_equal(laz_chunk_encode(&packed, &node->len, l, records, f->points), 0);
    node->at = f->len;
    copc_add(f, packed, node->len);
    memory_free(packed);
    memory_free(records);
}

/* The table of chunks of different sizes. */
static inline void copc_table(struct copc_file *f)
{
    struct arena measure = arena_measuring(), arena;
    struct laz_integer value = {0};
    struct laz_coder c = {0};
    unsigned char head[8] = {0};
    laz_integer_bind(&value, &measure, 32, 2, true);
    assert_int_equal(arena_init(&arena, measure.used), 0);
    laz_integer_bind(&value, &arena, 32, 2, true);
    laz_coder_write(&c);
    for (int i = 0; i < f->n; i++) {
        laz_integer(&c, &value, i ? f->points : 0, f->points, 0, true);
        laz_integer(&c, &value, i ? (int32_t)f->nodes[i - 1].len : 0, (int32_t)f->nodes[i].len, 1,
                    true);
    }
    laz_coder_finish(&c);
    little_put32(head + 4, (uint32_t)f->n);
    copc_add(f, head, sizeof head);
    copc_add(f, c.bytes, (size_t)(c.at - c.bytes));
    laz_coder_free(&c);
    arena_free(&arena);
}

static inline void copc_entry(struct copc_file *f, const struct copc_node *node, uint64_t at,
                              uint32_t len, uint32_t points)
{
    unsigned char entry[32];
    little_put32(entry, (uint32_t)node->level);
    little_put32(entry + 4, (uint32_t)node->x);
    little_put32(entry + 8, (uint32_t)node->y);
    little_put32(entry + 12, (uint32_t)(1 << node->level) / 2);
    little_put64(entry + 16, at);
    little_put32(entry + 24, len);
    little_put32(entry + 28, points);
    copc_add(f, entry, sizeof entry);
}

static inline bool copc_is_below(const struct copc_node *node, const struct copc_node *quarter)
{
    int up = node->level - 1;
    return up >= 0 && node->x >> up == quarter->x && node->y >> up == quarter->y;
}

/* The page of every quarter, then the root's. */
static inline void copc_hierarchy(struct copc_file *f, int levels)
{
    unsigned char head[LAS_EVLR] = {0};
    size_t start = f->len, pages[4], lens[4];
    memcpy(head + 2, "copc", 4);
    little_put16(head + 18, 1000);
    copc_add(f, head, sizeof head);
    for (int q = 0; q < 4 && levels > 0; q++) {
        pages[q] = f->len;
        for (int i = 0; i < f->n; i++)
            if (copc_is_below(&f->nodes[i], &f->nodes[1 + q]))
                copc_entry(f, &f->nodes[i], f->nodes[i].at, (uint32_t)f->nodes[i].len,
                           (uint32_t)f->points);
        lens[q] = f->len - pages[q];
    }
    f->hierarchy = f->len;
    copc_entry(f, &f->nodes[0], f->nodes[0].at, (uint32_t)f->nodes[0].len, (uint32_t)f->points);
    for (int q = 0; q < 4 && levels > 0; q++)
        copc_entry(f, &f->nodes[1 + q], pages[q], (uint32_t)lens[q], UINT32_MAX);
    little_put64(f->bytes + start + 20, f->len - start - LAS_EVLR);
    little_put64(f->bytes + 235, start);
    little_put32(f->bytes + 243, 1);
}

/* The header and the records of COPC and LAZ, up to the offset of the chunk table. */
static inline void copc_head(struct copc_file *f, const struct laz_layout *l)
{
    enum { COPC = LAS_VLR + 160, LAZ = LAS_VLR + 34 + 6 };
    unsigned char head[LAS_HEADER_14 + COPC + LAZ + 8] = {0}, *v = head + LAS_HEADER_14;
    memcpy(head, "LASF", 4);
    head[24] = 1;
    head[25] = 4;
    little_put16(head + 94, LAS_HEADER_14);
    little_put32(head + 96, LAS_HEADER_14 + COPC + LAZ);
    little_put32(head + 100, 2);
    head[104] = 6 | LAS_PACKED_BIT;
    little_put16(head + 105, COPC_RECORD);
    for (int d = 0; d < 3; d++)
        las_layout_put_double(head + 131 + 8 * d, 0.01);
    memcpy(v + 2, "copc", 4);
    little_put16(v + 18, 1);
    little_put16(v + 20, 160);
    las_layout_put_double(v + LAS_VLR + 24, COPC_HALF);
    v += COPC;
    memcpy(v + 2, "laszip encoded", 14);
    little_put16(v + 18, 22204);
    little_put16(v + 20, 34 + 6);
    little_put16(v + LAS_VLR, 3);
    little_put32(v + LAS_VLR + 12, UINT32_MAX);
    little_put16(v + LAS_VLR + 32, 1);
    little_put16(v + LAS_VLR + 34, l->items[0].type);
    little_put16(v + LAS_VLR + 36, COPC_RECORD);
    little_put16(v + LAS_VLR + 38, 3);
    copc_add(f, head, sizeof head);
}

/* Nodes of levels 0 to `levels`, at most 5. */
static inline void copc_make(struct copc_file *f, int levels, int points)
{
    struct random r = random_start(random_stream(7, 0, 0, RANDOM_TEST), 0);
    struct laz_layout l;
    memset(f, 0, sizeof *f);
    f->points = points;
    assert_int_equal(laz_chunk_layout(&l, 6, COPC_RECORD), 0);
    copc_head(f, &l);
    size_t place = f->len - 8;
    for (int level = 0; level <= levels; level++)
        for (int i = 0; i < 1 << 2 * level; i++) {
            struct copc_node *node = &f->nodes[f->n++];
            *node = (struct copc_node){.level = level, .x = i % (1 << level), .y = i >> level};
            copc_chunk(f, node, &l, &r);
        }
    little_put64(f->bytes + place, f->len);
    copc_table(f);
    copc_hierarchy(f, levels);
    little_put64(f->bytes + 247, (uint64_t)f->n * (uint64_t)f->points);
    size_t info = LAS_HEADER_14 + LAS_VLR;
    little_put64(f->bytes + info + 40, f->hierarchy);
    little_put64(f->bytes + info + 48, f->len - f->hierarchy);
}

#endif
