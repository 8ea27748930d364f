/* The links of a group: see h5_group.h. Links that are not hard (soft ones, links to other
 * files) are left out. */
#include "formats/h5_group.h"

#include "core/error.h"
#include "formats/h5_btree2.h"
#include "formats/h5_file.h"
#include "formats/h5_links.h"
#include "formats/h5_object.h"

#include <stdlib.h>
#include <string.h>

enum { HEAP_DEPTH_MAX = 16 };

/* --- groups of the old kind: a B-tree of symbol nodes, names in a local heap --- */

struct table {
    struct h5 *file;
    struct h5_links *links;
    const unsigned char *names; /* (names_len) */
    uint64_t names_len;
};

static int read_local_heap(struct table *t, uint64_t address)
{
    struct h5 *f = t->file;
    const unsigned char *head;
    uint64_t len = 8 + 2 * (uint64_t)f->length_size + (uint64_t)f->offset_size;
    TRY(h5_block(&head, f, address, len));
    struct h5_cursor c = {head + 8, head + len, false};
    bool good = !memcmp(head, "HEAP", 4) && head[4] == 0;
    t->names_len = h5_length(&c, f);
    h5_length(&c, f);
    uint64_t data = h5_address(&c, f);
    if (!good)
        return h5_damaged(f, address, "a group has no heap of names");
    return h5_block(&t->names, f, data, t->names_len);
}

static int read_symbols(struct table *t, uint64_t address)
{
    struct h5 *f = t->file;
    const unsigned char *head, *bytes;
    TRY(h5_block(&head, f, address, 8));
    uint64_t entry = 2 * (uint64_t)f->offset_size + 24, n = head[6] + 256 * (uint64_t)head[7];
    bool good = !memcmp(head, "SNOD", 4) && head[4] == 1;
    if (!good)
        return h5_damaged(f, address, "a node of symbols is not one");
    TRY(h5_block(&bytes, f, address + 8, n * entry));
    for (uint64_t i = 0; i < n; i++) {
        struct h5_cursor c = {bytes + i * entry, bytes + (i + 1) * entry, false};
        uint64_t at = h5_take(&c, f->offset_size), object = h5_address(&c, f);
        bool soft = h5_take(&c, 4) == 2;
        const unsigned char *name = at < t->names_len ? t->names + at : NULL;
        const unsigned char *end = name ? memchr(name, 0, (size_t)(t->names_len - at)) : NULL;
        if (!end || end == name)
            return h5_damaged(f, address, "the name of an object is missing");
        if (!soft)
            TRY(h5_links_add(t->links, f, name, (size_t)(end - name), object));
    }
    return 0;
}

/* level: the expected level of the node; -1: any, for the root. */
static int walk_symbol_tree(struct table *t, uint64_t address, int level)
{
    struct h5 *f = t->file;
    const unsigned char *head, *bytes;
    TRY(h5_block(&head, f, address, 8));
    bool good = !memcmp(head, "TREE", 4) && head[4] == 0 && (level < 0 || head[5] == level);
    int own = head[5];
    uint64_t n = head[6] + 256 * (uint64_t)head[7];
    if (!good)
        return h5_damaged(f, address, "a node of a group's tree is not one");
    uint64_t pair = (uint64_t)f->length_size + (uint64_t)f->offset_size;
    TRY(h5_block(&bytes, f, address + 8 + 2 * (uint64_t)f->offset_size, n * pair));
    for (uint64_t i = 0; i < n; i++) {
        struct h5_cursor c = {bytes + i * pair, bytes + (i + 1) * pair, false};
        h5_length(&c, f);
        uint64_t child = h5_address(&c, f);
        TRY(own ? walk_symbol_tree(t, child, own - 1) : read_symbols(t, child));
    }
    return 0;
}

static int read_table(struct h5_object *group, struct h5 *f)
{
    struct table t = {.file = f, .links = &group->links};
    if (group->table_tree == H5_NONE)
        return 0;
    TRY(read_local_heap(&t, group->table_heap));
    return walk_symbol_tree(&t, group->table_tree, -1);
}

/* --- groups with many links: names in a version 2 B-tree, links in a fractal heap --- */

struct heap {
    struct h5 *file;
    struct h5_links *links;
    int offset_bytes, length_bytes; /* of a heap ID */
    uint64_t width, start, direct;  /* blocks of a row, smallest and largest direct block */
    uint64_t root;
    int rows; /* of the root's indirect block; 0: the root is a direct block */
};

static int log2_of(uint64_t x)
{
    return x ? 63 - __builtin_clzll(x) : 0;
}

static bool power_of_2(uint64_t x)
{
    return x && !(x & (x - 1));
}

static int open_heap(struct heap *h, uint64_t address)
{
    struct h5 *f = h->file;
    struct h5_cursor c;
    uint64_t offset = (uint64_t)f->offset_size, length = (uint64_t)f->length_size;
    TRY(h5_signed_block(&c, f, address, 26 + 3 * offset + 12 * length, "FRHP"));
    bool good = h5_take(&c, 1) == 0;
    h5_skip(&c, 2);
    bool filtered = h5_take(&c, 2) != 0;
    h5_skip(&c, 1);
    uint64_t largest = h5_take(&c, 4);
    h5_skip(&c, (size_t)(2 * length + 2 * offset + 8 * length));
    h->width = h5_take(&c, 2);
    h->start = h5_length(&c, f);
    h->direct = h5_length(&c, f);
    int bits = (int)h5_take(&c, 2);
    h5_skip(&c, 2);
    h->root = h5_address(&c, f);
    h->rows = (int)h5_take(&c, 2);
    good &= !c.bad && power_of_2(h->width) && power_of_2(h->start) && power_of_2(h->direct) &&
            h->start <= h->direct && h->direct <= (uint64_t)1 << 40 && bits >= 1 && bits <= 64 &&
            h->rows <= 64;
    if (!good)
        return h5_damaged(f, address, "the head of a heap makes no sense");
    if (filtered)
        return error_topic(error_in(GLT_EUNSUPPORTED, f->name,
                                    "HDF5 groups whose links are packed by filters are "
                                    "not read"),
                           GLT_TOPIC_FORMAT, NULL);
    h->offset_bytes = (bits + 7) / 8;
    h->length_bytes = (log2_of(h->direct) + 7) / 8;
    int other = (log2_of(largest) + 7) / 8;
    h->length_bytes = other < h->length_bytes ? other : h->length_bytes;
    return 0;
}

/* The address of a byte of the heap, through indirect blocks of the doubling table. */
static int find_in_heap(uint64_t *out, struct heap *h, uint64_t offset)
{
    struct h5 *f = h->file;
    uint64_t block = h->root;
    int rows = h->rows;
    for (int depth = 0; depth < HEAP_DEPTH_MAX; depth++) {
        uint64_t first = h->width * h->start, size = h->start, before = 0;
        int row = 0;
        if (rows == 0) {
            if (block == H5_NONE || __builtin_add_overflow(block, offset, out))
                break;
            return 0;
        }
        if (offset >= first) { /* row r begins at width * start * 2^(r - 1) */
            row = log2_of(offset / first) + 1;
            size = h->start << (row - 1);
            before = first << (row - 1);
        }
        if (row >= rows || row > 60)
            break;
        uint64_t column = (offset - before) / size;
        int direct_rows = log2_of(h->direct / h->start) + 2;
        uint64_t head = 5 + (uint64_t)f->offset_size + (uint64_t)h->offset_bytes;
        uint64_t len = head + (uint64_t)rows * h->width * (uint64_t)f->offset_size + 4;
        struct h5_cursor c;
        TRY(h5_signed_block(&c, f, block, len, "FHIB"));
        h5_skip(&c, (size_t)(head - 4 +
                             ((uint64_t)row * h->width + column) * (uint64_t)f->offset_size));
        block = h5_address(&c, f);
        offset -= before + column * size;
        rows = row < direct_rows ? 0 : log2_of(size) - log2_of(first) + 1;
        if (row >= direct_rows && rows < 1)
            break;
    }
    return h5_damaged(f, h->root, "an object lies outside of its heap");
}

/* A record of a group's tree of names: a hash and the link's position in the heap. */
static int add_dense_link(void *user, struct h5_cursor *record)
{
    struct heap *h = user;
    struct h5 *f = h->file;
    h5_skip(record, 4);
    int flags = (int)h5_take(record, 1);
    uint64_t offset = h5_take(record, h->offset_bytes), len = h5_take(record, h->length_bytes);
    uint64_t address = 0;
    const unsigned char *bytes;
    if (record->bad)
        return 0;
    if (flags & 0xf0)
        return error_topic(error_in(GLT_EUNSUPPORTED, f->name,
                                    "HDF5 links outside of a heap's blocks are not read"),
                           GLT_TOPIC_FORMAT, NULL);
    TRY(find_in_heap(&address, h, offset));
    TRY(h5_block(&bytes, f, address, len));
    struct h5_cursor c = {bytes, bytes + len, false};
    TRY(h5_link_parse(h->links, &c, f));
    return c.bad ? h5_damaged(f, address, "a link makes no sense") : 0;
}

static int read_dense(struct h5_object *group, struct h5 *f)
{
    enum { NAMES = 5 }; /* the type of a tree of names */
    struct heap h = {.file = f, .links = &group->links};
    TRY(open_heap(&h, group->dense_heap));
    return group->dense_tree == H5_NONE
               ? 0
               : h5_btree2_each(f, group->dense_tree, NAMES, add_dense_link, &h);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct h5_link *)a)->name, ((const struct h5_link *)b)->name);
}

int h5_group_links(struct h5_object *group, struct h5 *f)
{
    if (group->has_table)
        TRY(read_table(group, f));
    if (group->dense_heap != H5_NONE)
        TRY(read_dense(group, f));
    if (group->links.n)
        qsort(group->links.list, (size_t)group->links.n, sizeof *group->links.list, by_name);
    return 0;
}
