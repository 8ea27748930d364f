/* The links of a group: see h5_internal.h. Links that are not hard (soft ones, links to other
 * files) are left out. */
#include "core/array.h"
#include "core/error.h"
#include "formats/h5_internal.h"

#include <stdlib.h>
#include <string.h>

enum { BTREE2_DEPTH_MAX = 16, HEAP_DEPTH_MAX = 16 };

int h5_links_add(struct h5_links *to, struct h5 *f, const unsigned char *name, size_t len,
                 uint64_t address)
{
    if (to->n == H5_OBJECTS_MAX)
        return error_set(GLT_ELIMIT, "%s: a group of more than %d objects", f->name,
                         H5_OBJECTS_MAX);
    char *copy = call_alloc(f->call, len + 1, 1);
    if (!copy)
        return GLT_ENOMEM;
    memcpy(copy, name, len);
    TRY(array_reserve(&to->list, to->n, 1, sizeof *to->list));
    to->list[to->n++] = (struct h5_link){copy, address};
    return 0;
}

int h5_link_parse(struct h5_links *to, struct h5_cursor *c, struct h5 *f)
{
    int version = (int)h5_take(c, 1), flags = (int)h5_take(c, 1);
    int kind = flags & 8 ? (int)h5_take(c, 1) : 0;
    h5_skip(c, (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0));
    size_t len = (size_t)h5_take(c, 1 << (flags & 3));
    const unsigned char *name = h5_bytes(c, len);
    c->bad |= version != 1 || len == 0;
    if (c->bad || kind != 0)
        return 0;
    uint64_t address = h5_address(c, f);
    return c->bad ? 0 : h5_links_add(to, f, name, len, address);
}

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

/* level: what the node must have; -1: any, of the root. */
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

/* --- version 2 B-trees --- */

struct btree2 {
    struct h5 *file;
    int type, count_size;                 /* bytes of a child's count of records */
    int total_size[BTREE2_DEPTH_MAX + 1]; /* bytes of the count of all records below a child */
    uint64_t record_size;
    h5_record_fn *fn;
    void *user;
};

static int bytes_for(uint64_t limit)
{
    int bytes = 1;
    while (bytes < 8 && limit >> 8 * bytes)
        bytes++;
    return bytes;
}

static int visit_record(const struct btree2 *t, uint64_t node, struct h5_cursor *c)
{
    const unsigned char *record = h5_bytes(c, (size_t)t->record_size);
    struct h5_cursor r = {record, record + t->record_size, false};
    TRY(t->fn(t->user, &r));
    return r.bad ? h5_damaged(t->file, node, "a record of a tree is too short") : 0;
}

static int walk_btree2(const struct btree2 *t, uint64_t address, uint64_t n, int depth)
{
    struct h5 *f = t->file;
    struct h5_cursor c;
    uint64_t pointer =
        depth ? (uint64_t)(f->offset_size + t->count_size + t->total_size[depth - 1]) : 0;
    uint64_t len = 10 + n * t->record_size + (depth ? (n + 1) * pointer : 0);
    TRY(h5_signed_block(&c, f, address, len, depth ? "BTIN" : "BTLF"));
    h5_skip(&c, 1);
    if ((int)h5_take(&c, 1) != t->type)
        return h5_damaged(f, address, "a node of a tree is of another type");
    struct h5_cursor children = c;
    h5_skip(&children, (size_t)(n * t->record_size));
    for (uint64_t i = 0; i < n + (depth > 0); i++) {
        if (depth) {
            uint64_t child = h5_address(&children, f), count = h5_take(&children, t->count_size);
            h5_skip(&children, (size_t)t->total_size[depth - 1]);
            TRY(walk_btree2(t, child, count, depth - 1));
        }
        if (i < n)
            TRY(visit_record(t, address, &c));
    }
    return 0;
}

/* How wide the counts beside a child's address are follows from how many records fit below it. */
static bool measure_btree2(struct btree2 *t, uint64_t node_size, int depth)
{
    if (t->record_size == 0 || node_size < 10 + t->record_size || depth > BTREE2_DEPTH_MAX)
        return false;
    uint64_t total = (node_size - 10) / t->record_size;
    t->count_size = bytes_for(total);
    for (int d = 1; d <= depth; d++) {
        uint64_t pointer = (uint64_t)(t->file->offset_size + t->count_size + t->total_size[d - 1]);
        if (node_size < 10 + pointer)
            return false;
        uint64_t n = (node_size - 10 - pointer) / (t->record_size + pointer);
        if (__builtin_mul_overflow(n + 1, total, &total) ||
            __builtin_add_overflow(total, n, &total))
            total = UINT64_MAX;
        t->total_size[d] = bytes_for(total);
    }
    return true;
}

int h5_btree2_each(struct h5 *f, uint64_t address, int type, h5_record_fn *fn, void *user)
{
    struct h5_cursor c;
    struct btree2 t = {.file = f, .type = type, .fn = fn, .user = user};
    TRY(h5_signed_block(&c, f, address, 22 + (uint64_t)f->offset_size + (uint64_t)f->length_size,
                        "BTHD"));
    bool good = h5_take(&c, 1) == 0;
    good &= (int)h5_take(&c, 1) == type;
    uint64_t node_size = h5_take(&c, 4);
    t.record_size = h5_take(&c, 2);
    int depth = (int)h5_take(&c, 2);
    h5_skip(&c, 2);
    uint64_t root = h5_address(&c, f), n = h5_take(&c, 2);
    if (!good || !measure_btree2(&t, node_size, depth))
        return h5_damaged(f, address, "the head of a tree makes no sense");
    return root == H5_NONE ? 0 : walk_btree2(&t, root, n, depth);
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
        return error_set(GLT_EUNSUPPORTED,
                         "%s: HDF5 groups whose links are packed by filters are "
                         "not read",
                         f->name);
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

/* A record of a group's tree of names: a hash and the link's place in the heap. */
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
        return error_set(GLT_EUNSUPPORTED, "%s: HDF5 links outside of a heap's blocks are not read",
                         f->name);
    TRY(find_in_heap(&address, h, offset));
    TRY(h5_block(&bytes, f, address, len));
    struct h5_cursor c = {bytes, bytes + len, false};
    TRY(h5_link_parse(h->links, &c, f));
    return c.bad ? h5_damaged(f, address, "a link makes no sense") : 0;
}

static int read_dense(struct h5_object *group, struct h5 *f)
{
    enum { NAMES = 5 }; /* the type of such a tree */
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
