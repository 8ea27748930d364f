/* Where the chunks of a dataset are: see h5_chunks.h. Each index is walked once; a chunk that was
 * never written is not called back. */
#include "formats/h5_chunks.h"

#include "core/error.h"
#include "formats/h5_btree2.h"
#include "formats/h5_file.h"
#include "formats/h5_object.h"

#include <string.h>

struct walk {
    struct h5 *file;
    const struct h5_object *object;
    int rank;
    uint64_t grid[H5_RANK_MAX]; /* chunks along each dimension */
    uint64_t n, bytes;          /* chunks of the grid; bytes of one, decoded */
    uint64_t seen;
    h5_chunk_fn *fn;
    void *user;
};

uint64_t h5_chunk_bytes(const struct h5_object *x)
{
    const struct h5_layout *l = &x->layout;
    uint64_t bytes = 1;
    if (l->chunk_rank != x->space.rank + 1 || l->chunk[x->space.rank] != x->type.size)
        return 0;
    for (int i = 0; i < l->chunk_rank; i++)
        if (__builtin_mul_overflow(bytes, l->chunk[i], &bytes))
            return 0;
    return bytes;
}

static int found(struct walk *w, struct h5_chunk *chunk)
{
    if (chunk->address == H5_NONE)
        return 0;
    for (int i = 0; i < w->rank; i++)
        if (chunk->scaled[i] >= w->grid[i])
            return 0; /* left over from before the dataset shrank */
    if (w->seen++ >= w->n)
        return h5_damaged(w->file, chunk->address, "a dataset has more chunks than its shape");
    if (w->object->filters.n == 0)
        chunk->size = w->bytes;
    return w->fn(w->user, chunk);
}

/* --- version 1 B-tree --- */

static int walk_btree1(struct walk *w, uint64_t address, int level)
{
    struct h5 *f = w->file;
    const unsigned char *head, *bytes;
    TRY(h5_block(&head, f, address, 8));
    bool good = !memcmp(head, "TREE", 4) && head[4] == 1 && (level < 0 || head[5] == level);
    int own = head[5];
    uint64_t n = head[6] + 256 * (uint64_t)head[7];
    if (!good)
        return h5_damaged(f, address, "a node of a tree of chunks is not one");
    uint64_t pair = 8 + 8 * (uint64_t)(w->rank + 1) + (uint64_t)f->offset_size;
    TRY(h5_block(&bytes, f, address + 8 + 2 * (uint64_t)f->offset_size, n * pair));
    for (uint64_t i = 0; i < n; i++) {
        struct h5_cursor c = {bytes + i * pair, bytes + (i + 1) * pair, false};
        struct h5_chunk chunk = {.size = h5_take(&c, 4), .mask = (uint32_t)h5_take(&c, 4)};
        for (int d = 0; d < w->rank; d++) {
            uint64_t at = h5_take(&c, 8);
            chunk.scaled[d] = at / w->object->layout.chunk[d];
            if (at % w->object->layout.chunk[d] && own == 0)
                return h5_damaged(f, address, "a chunk does not lie on the grid");
        }
        h5_skip(&c, 8);
        chunk.address = h5_address(&c, f);
        TRY(own ? walk_btree1(w, chunk.address, own - 1) : found(w, &chunk));
    }
    return 0;
}

/* --- indexes by number --- */

/* The position of chunk number i: row-major over the grid of the largest extent, where the
 * dimension `slowest` comes first. */
static void place_of(uint64_t *scaled, const struct walk *w, uint64_t i, int slowest)
{
    const struct h5_object *x = w->object;
    for (int d = w->rank - 1; d >= 0; d--) {
        int axis = d > slowest ? d : d > 0 ? d - 1 : slowest;
        uint64_t limit = x->space.maximum[axis], edge = x->layout.chunk[axis];
        uint64_t chunks = limit == H5_NONE ? w->grid[axis] : limit / edge + (limit % edge != 0);
        chunks = chunks ? chunks : 1;
        scaled[axis] = d > 0 ? i % chunks : i;
        i /= chunks;
    }
}

/* An entry of an array of chunks: an address, and of filtered chunks size and mask. */
static int entry_found(struct walk *w, struct h5_cursor *c, uint64_t entry, uint64_t number,
                       int slowest)
{
    struct h5_chunk chunk = {.address = h5_address(c, w->file)};
    uint64_t offset = (uint64_t)w->file->offset_size;
    if (w->object->filters.n) {
        chunk.size = h5_take(c, (int)(entry - offset - 4));
        chunk.mask = (uint32_t)h5_take(c, 4);
    }
    place_of(chunk.scaled, w, number, slowest);
    return found(w, &chunk);
}

static bool good_entry(const struct walk *w, uint64_t entry)
{
    uint64_t offset = (uint64_t)w->file->offset_size;
    return w->object->filters.n ? entry > offset + 4 && entry <= offset + 12 : entry == offset;
}

/* Consecutive chunks, never filtered. */
static int walk_implicit(struct walk *w)
{
    struct h5_chunk chunk = {.address = w->object->layout.address};
    for (uint64_t i = 0; i < w->n && chunk.address != H5_NONE; i++) {
        place_of(chunk.scaled, w, i, 0);
        TRY(found(w, &chunk));
        if (__builtin_add_overflow(chunk.address, w->bytes, &chunk.address))
            return h5_damaged(w->file, w->object->layout.address, "its chunks have no end");
    }
    return 0;
}

static int walk_single(struct walk *w)
{
    const struct h5_layout *l = &w->object->layout;
    struct h5_chunk chunk = {.address = l->address, .size = l->single_size, .mask = l->single_mask};
    if (w->object->filters.n && !l->single_size) {
        chunk.size = w->bytes;
        chunk.mask = UINT32_MAX;
    }
    return found(w, &chunk);
}

/* Entries first .. first + n - 1. */
static int walk_entries(struct walk *w, struct h5_cursor *c, uint64_t entry, uint64_t first,
                        uint64_t n, int slowest)
{
    for (uint64_t i = 0; i < n; i++)
        TRY(entry_found(w, c, entry, first + i, slowest));
    return c->bad
               ? h5_damaged(w->file, w->object->layout.address, "an index of chunks is too short")
               : 0;
}

/* A page of entries: a block without a signature. */
static int walk_page(struct walk *w, uint64_t address, uint64_t entry, uint64_t first, uint64_t n,
                     int slowest)
{
    struct h5_cursor c;
    TRY(h5_signed_block(&c, w->file, address, n * entry + 4, ""));
    return walk_entries(w, &c, entry, first, n, slowest);
}

/* --- fixed array --- */

static int walk_fixed_block(struct walk *w, uint64_t address, uint64_t entry, uint64_t n, int bits)
{
    struct h5 *f = w->file;
    struct h5_cursor c;
    uint64_t head = 6 + (uint64_t)f->offset_size, page = (uint64_t)1 << bits;
    bool paged = n > page;
    uint64_t pages = paged ? n / page + (n % page != 0) : 0, bitmap = (pages + 7) / 8;
    if (n > f->size || pages > f->size)
        return h5_damaged(f, address, "a dataset has more chunks than the file has bytes");
    uint64_t len = head + (paged ? bitmap : n * entry) + 4;
    TRY(h5_signed_block(&c, f, address, len, "FADB"));
    h5_skip(&c, (size_t)head - 4);
    if (!paged)
        return walk_entries(w, &c, entry, 0, n, 0);
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t first = i * page, count = n - first < page ? n - first : page;
        if (c.at[i / 8] & 0x80 >> i % 8)
            TRY(walk_page(w, address + len + i * (page * entry + 4), entry, first, count, 0));
    }
    return 0;
}

static int walk_fixed(struct walk *w)
{
    struct h5 *f = w->file;
    struct h5_cursor c;
    uint64_t at = w->object->layout.address;
    if (at == H5_NONE)
        return 0;
    TRY(h5_signed_block(&c, f, at, 12 + (uint64_t)f->length_size + (uint64_t)f->offset_size,
                        "FAHD"));
    bool good = h5_take(&c, 1) == 0;
    h5_skip(&c, 1);
    uint64_t entry = h5_take(&c, 1);
    int bits = (int)h5_take(&c, 1);
    uint64_t n = h5_length(&c, f), block = h5_address(&c, f);
    if (!good || !good_entry(w, entry) || bits > 32)
        return h5_damaged(f, at, "the head of an array of chunks makes no sense");
    return block == H5_NONE ? 0 : walk_fixed_block(w, block, entry, n, bits);
}

/* --- extensible array: an index block, data blocks of growing size, super blocks of them --- */

struct extensible {
    struct walk *walk;
    uint64_t entry, first_entries; /* entries in the index block */
    uint64_t least;                /* entries of the smallest data block */
    uint64_t page;                 /* entries of a page */
    int offset_bytes, slowest;
};

/* Super block s: 2^(s/2) data blocks of least * 2^((s+1)/2) entries, after least * (2^s - 1). */
static int walk_data_block(const struct extensible *e, uint64_t address, uint64_t first, uint64_t n,
                           const unsigned char *pages)
{
    struct walk *w = e->walk;
    struct h5 *f = w->file;
    struct h5_cursor c;
    if (address == H5_NONE)
        return 0;
    if (n > f->size)
        return h5_damaged(f, address, "a block of chunks is larger than the file");
    bool paged = n > e->page;
    uint64_t head = 6 + (uint64_t)f->offset_size + (uint64_t)e->offset_bytes;
    uint64_t len = head + (paged ? 0 : n * e->entry) + 4;
    TRY(h5_signed_block(&c, f, address, len, "EADB"));
    h5_skip(&c, (size_t)head - 4);
    if (!paged)
        return walk_entries(w, &c, e->entry, first, n, e->slowest);
    for (uint64_t i = 0; i < n / e->page; i++)
        if (!pages || pages[i / 8] & 0x80 >> i % 8)
            TRY(walk_page(w, address + len + i * (e->page * e->entry + 4), e->entry,
                          first + i * e->page, e->page, e->slowest));
    return 0;
}

static int walk_super_block(const struct extensible *e, uint64_t address, uint64_t first,
                            uint64_t blocks, uint64_t n)
{
    struct h5 *f = e->walk->file;
    struct h5_cursor c;
    if (address == H5_NONE)
        return 0;
    uint64_t bitmap = n > e->page ? (n / e->page + 7) / 8 : 0;
    uint64_t head = 6 + (uint64_t)f->offset_size + (uint64_t)e->offset_bytes;
    if (blocks > f->size || bitmap > f->size)
        return h5_damaged(f, address, "a block of chunks is larger than the file");
    uint64_t len = head + blocks * (bitmap + (uint64_t)f->offset_size) + 4;
    TRY(h5_signed_block(&c, f, address, len, "EASB"));
    h5_skip(&c, (size_t)head - 4);
    const unsigned char *pages = h5_bytes(&c, (size_t)(blocks * bitmap));
    for (uint64_t i = 0; i < blocks; i++)
        TRY(walk_data_block(e, h5_address(&c, f), first + i * n, n,
                            bitmap ? pages + i * bitmap : NULL));
    return 0;
}

static int walk_index_block(const struct extensible *e, uint64_t address, int bits, uint64_t least)
{
    struct h5 *f = e->walk->file;
    struct h5_cursor c;
    int supers = 1 + bits - __builtin_ctzll(e->least), inside = 2 * __builtin_ctzll(least);
    uint64_t data = 2 * (least - 1), rest = supers > inside ? (uint64_t)(supers - inside) : 0;
    uint64_t offset = (uint64_t)f->offset_size, head = 6 + offset;
    uint64_t len = head + e->first_entries * e->entry + (data + rest) * offset + 4;
    TRY(h5_signed_block(&c, f, address, len, "EAIB"));
    h5_skip(&c, (size_t)head - 4);
    TRY(walk_entries(e->walk, &c, e->entry, 0, e->first_entries, e->slowest));
    for (int s = 0; s < supers; s++) {
        uint64_t first = e->first_entries + e->least * (((uint64_t)1 << s) - 1);
        uint64_t blocks = (uint64_t)1 << s / 2, n = e->least << (s + 1) / 2;
        if (s >= inside)
            TRY(walk_super_block(e, h5_address(&c, f), first, blocks, n));
        for (uint64_t i = 0; s < inside && i < blocks; i++)
            TRY(walk_data_block(e, h5_address(&c, f), first + i * n, n, NULL));
    }
    return 0;
}

static bool is_power(uint64_t x)
{
    return x && !(x & (x - 1));
}

static int walk_extensible(struct walk *w)
{
    struct h5 *f = w->file;
    struct h5_cursor c;
    uint64_t at = w->object->layout.address;
    struct extensible e = {.walk = w};
    if (at == H5_NONE)
        return 0;
    TRY(h5_signed_block(&c, f, at, 16 + 6 * (uint64_t)f->length_size + (uint64_t)f->offset_size,
                        "EAHD"));
    bool good = h5_take(&c, 1) == 0;
    h5_skip(&c, 1);
    e.entry = h5_take(&c, 1);
    int bits = (int)h5_take(&c, 1);
    e.first_entries = h5_take(&c, 1);
    e.least = h5_take(&c, 1);
    uint64_t least_blocks = h5_take(&c, 1);
    int page_bits = (int)h5_take(&c, 1);
    h5_skip(&c, 6 * (size_t)f->length_size);
    uint64_t block = h5_address(&c, f);
    good &= good_entry(w, e.entry) && is_power(e.least) && bits >= __builtin_ctzll(e.least) &&
            bits <= 56 && is_power(least_blocks) && page_bits <= 32;
    if (!good)
        return h5_damaged(f, at, "the head of a growing array of chunks makes no sense");
    e.page = (uint64_t)1 << page_bits;
    e.offset_bytes = (bits + 7) / 8;
    for (int i = 0; i < w->rank; i++)
        e.slowest = w->object->space.maximum[i] == H5_NONE ? i : e.slowest;
    return block == H5_NONE ? 0 : walk_index_block(&e, block, bits, least_blocks);
}

/* --- version 2 B-tree --- */

static int add_record(void *user, struct h5_cursor *record)
{
    struct walk *w = user;
    struct h5_chunk chunk = {.address = h5_address(record, w->file)};
    ptrdiff_t left = record->end - record->at - 8 * (ptrdiff_t)w->rank;
    if (w->object->filters.n) {
        if (left < 5 || left > 12) {
            record->bad = true;
            return 0;
        }
        chunk.size = h5_take(record, (int)left - 4);
        chunk.mask = (uint32_t)h5_take(record, 4);
    }
    for (int i = 0; i < w->rank; i++)
        chunk.scaled[i] = h5_take(record, 8);
    return record->bad ? 0 : found(w, &chunk);
}

int h5_chunks_each(struct h5 *f, const struct h5_object *x, h5_chunk_fn *fn, void *user)
{
    enum { PLAIN = 10, FILTERED = 11 }; /* types of trees of chunks */
    struct walk w = {.file = f, .object = x, .rank = x->space.rank, .n = 1, .fn = fn, .user = user};
    w.bytes = h5_chunk_bytes(x);
    if (w.bytes == 0 || w.rank == 0)
        return h5_damaged(f, x->layout.address, "the shape of its chunks makes no sense");
    for (int i = 0; i < w.rank; i++) {
        w.grid[i] =
            x->space.dims[i] / x->layout.chunk[i] + (x->space.dims[i] % x->layout.chunk[i] != 0);
        if (__builtin_mul_overflow(w.n, w.grid[i], &w.n))
            return h5_damaged(f, x->layout.address, "it has more chunks than can be counted");
    }
    switch (x->layout.index) {
    case H5_INDEX_BTREE1:
        return x->layout.address == H5_NONE ? 0 : walk_btree1(&w, x->layout.address, -1);
    case H5_INDEX_SINGLE:
        return walk_single(&w);
    case H5_INDEX_IMPLICIT:
        return walk_implicit(&w);
    case H5_INDEX_FIXED:
        return walk_fixed(&w);
    case H5_INDEX_EXTENSIBLE:
        return walk_extensible(&w);
    case H5_INDEX_BTREE2:
        return x->layout.address == H5_NONE
                   ? 0
                   : h5_btree2_each(f, x->layout.address, x->filters.n ? FILTERED : PLAIN,
                                    add_record, &w);
    }
    return 0;
}
