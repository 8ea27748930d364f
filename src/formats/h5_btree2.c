/* Version 2 B-trees: see h5_btree2.h. */
#include "formats/h5_btree2.h"

#include "core/error.h"

#include <string.h>

enum { BTREE2_DEPTH_MAX = 16 };

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
        return h5_damaged(f, address, "a node of a tree has an unexpected type");
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

/* The width of the counts beside a child's address follows from how many records fit below it. */
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
