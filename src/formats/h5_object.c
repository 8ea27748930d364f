/* Object headers and their messages: see h5_object.h. */
#include "formats/h5_object.h"

#include "core/error.h"
#include "core/file.h"
#include "formats/h5_file.h"
#include "formats/h5_links.h"

#include <inttypes.h>
#include <string.h>

enum {
    MESSAGE_SPACE = 0x01,
    MESSAGE_LINK_INFO = 0x02,
    MESSAGE_TYPE = 0x03,
    MESSAGE_OLD_FILL = 0x04,
    MESSAGE_FILL = 0x05,
    MESSAGE_LINK = 0x06,
    MESSAGE_EXTERNAL = 0x07,
    MESSAGE_LAYOUT = 0x08,
    MESSAGE_GROUP_INFO = 0x0a,
    MESSAGE_FILTERS = 0x0b,
    MESSAGE_CONTINUATION = 0x10,
    MESSAGE_TABLE = 0x11,
    SHARED = 2, /* flag of a message that is stored in another object */
    BLOCKS_MAX = 256,
};

/* --- messages --- */

static void parse_space(struct h5_object *x, struct h5_cursor *c, const struct h5 *f)
{
    struct h5_space *s = &x->space;
    int version = (int)h5_take(c, 1), rank = (int)h5_take(c, 1), flags = (int)h5_take(c, 1);
    int kind = (int)h5_take(c, 1); /* version 2; reserved in version 1 */
    if (version == 1)
        h5_skip(c, 4);
    c->bad |= version < 1 || version > 2 || rank > 32;
    *s = (struct h5_space){.rank = rank, .empty = version == 2 && kind == 2};
    x->has_space = true;
    x->space_rank = rank;
    for (int part = 0; part < 1 + (flags & 1); part++)
        for (int i = 0; i < rank && !c->bad; i++) {
            uint64_t dim = h5_length(c, f);
            uint64_t none = f->length_size == 8 ? H5_NONE : ((uint64_t)1 << 8 * f->length_size) - 1;
            if (i < H5_RANK_MAX && part == 0)
                s->dims[i] = s->maximum[i] = dim;
            else if (i < H5_RANK_MAX)
                s->maximum[i] = dim == none ? H5_NONE : dim;
        }
}

/* IEEE 754 as HDF5 describes it: where exponent and mantissa are, and the bias. */
static bool is_ieee(struct h5_cursor *c, size_t size)
{
    static const struct {
        size_t size;
        uint64_t precision, exponent_at, exponent, mantissa, bias;
    } known[] = {{2, 16, 10, 5, 10, 15}, {4, 32, 23, 8, 23, 127}, {8, 64, 52, 11, 52, 1023}};
    uint64_t offset = h5_take(c, 2), precision = h5_take(c, 2), exponent_at = h5_take(c, 1);
    uint64_t exponent = h5_take(c, 1), mantissa_at = h5_take(c, 1), mantissa = h5_take(c, 1);
    uint64_t bias = h5_take(c, 4);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].size == size)
            return offset == 0 && precision == known[i].precision && mantissa_at == 0 &&
                   exponent_at == known[i].exponent_at && exponent == known[i].exponent &&
                   mantissa == known[i].mantissa && bias == known[i].bias;
    return false;
}

static void parse_type(struct h5_type *t, struct h5_cursor *c)
{
    int head = (int)h5_take(c, 1), class = head & 15, version = head >> 4;
    uint64_t bits = h5_take(c, 3);
    *t = (struct h5_type){.size = (size_t)h5_take(c, 4)};
    bool sized = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
    c->bad |= version < 1 || version > 5;
    if (c->bad || !sized || class > 1)
        return;
    t->big_endian = bits & 1;
    if (class == 1) {
        bool vax = bits >> 6 & 1;
        t->number = t->real = is_ieee(c, t->size) && !vax;
        return;
    }
    t->is_signed = bits >> 3 & 1;
    t->offset = (int)h5_take(c, 2);
    t->precision = (int)h5_take(c, 2);
    t->number = t->precision >= 1 && t->offset + t->precision <= 8 * (int)t->size;
}

/* Version 1 and 2 of the layout: sizes of 4 bytes, the address before them. */
static void parse_old_layout(struct h5_layout *l, struct h5_cursor *c, const struct h5 *f)
{
    l->chunk_rank = (int)h5_take(c, 1);
    l->storage = (enum h5_storage)(h5_take(c, 1) + 1);
    h5_skip(c, 5);
    if (l->storage != H5_COMPACT)
        l->address = h5_address(c, f);
    c->bad |= l->chunk_rank > 33;
    l->size = H5_NONE; /* not stored for contiguous layout */
    for (int i = 0; i < l->chunk_rank && !c->bad; i++) {
        uint64_t dim = h5_take(c, 4);
        if (i <= H5_RANK_MAX)
            l->chunk[i] = dim;
    }
    if (l->storage == H5_COMPACT)
        l->size = h5_take(c, 4);
}

static void parse_chunk_index(struct h5_layout *l, struct h5_cursor *c, const struct h5 *f)
{
    int flags = (int)h5_take(c, 1), bytes;
    l->chunk_rank = (int)h5_take(c, 1);
    bytes = (int)h5_take(c, 1);
    c->bad |= l->chunk_rank > 33 || bytes < 1 || bytes > 8;
    for (int i = 0; i < l->chunk_rank && !c->bad; i++) {
        uint64_t dim = h5_take(c, bytes);
        if (i <= H5_RANK_MAX)
            l->chunk[i] = dim;
    }
    l->index = (enum h5_index)h5_take(c, 1);
    if (l->index == H5_INDEX_SINGLE && flags & 2) {
        l->single_size = h5_length(c, f);
        l->single_mask = (uint32_t)h5_take(c, 4);
        c->bad |= l->single_size == 0;
    } else if (l->index == H5_INDEX_FIXED) {
        h5_skip(c, 1);
    } else if (l->index == H5_INDEX_EXTENSIBLE) {
        h5_skip(c, 5);
    } else if (l->index == H5_INDEX_BTREE2) {
        h5_skip(c, 6);
    }
    c->bad |= l->index < H5_INDEX_SINGLE || l->index > H5_INDEX_BTREE2;
    l->address = h5_address(c, f);
}

static void parse_new_layout(struct h5_layout *l, struct h5_cursor *c, const struct h5 *f,
                             int version)
{
    l->storage = (enum h5_storage)(h5_take(c, 1) + 1);
    if (l->storage == H5_COMPACT) {
        l->size = h5_take(c, 2);
    } else if (l->storage == H5_CONTIGUOUS) {
        l->address = h5_address(c, f);
        l->size = h5_length(c, f);
    } else if (l->storage == H5_CHUNKED && version >= 4) {
        parse_chunk_index(l, c, f);
    } else if (l->storage == H5_CHUNKED) {
        l->chunk_rank = (int)h5_take(c, 1);
        l->address = h5_address(c, f);
        c->bad |= l->chunk_rank > 33;
        for (int i = 0; i < l->chunk_rank && !c->bad; i++) {
            uint64_t dim = h5_take(c, 4);
            if (i <= H5_RANK_MAX)
                l->chunk[i] = dim;
        }
    }
}

static void parse_layout(struct h5_layout *l, struct h5_cursor *c, const struct h5 *f)
{
    int version = (int)h5_take(c, 1);
    *l = (struct h5_layout){.address = H5_NONE};
    if (version < 1 || version > 5)
        c->bad = true;
    else if (version < 3)
        parse_old_layout(l, c, f);
    else
        parse_new_layout(l, c, f, version);
    c->bad |= l->storage < H5_COMPACT || l->storage > H5_VIRTUAL;
    if (l->storage == H5_COMPACT)
        l->compact = h5_bytes(c, (size_t)l->size);
}

static void parse_filters(struct h5_filters *x, struct h5_cursor *c)
{
    int version = (int)h5_take(c, 1);
    x->n = (int)h5_take(c, 1);
    c->bad |= version < 1 || version > 2 || x->n > H5_FILTERS_MAX;
    if (version == 1)
        h5_skip(c, 6);
    for (int i = 0; i < x->n && !c->bad; i++) {
        x->list[i].id = (int)h5_take(c, 2);
        size_t name = version == 1 || x->list[i].id >= 256 ? (size_t)h5_take(c, 2) : 0;
        h5_skip(c, 2);
        int values = (int)h5_take(c, 2);
        h5_skip(c, version == 1 ? (name + 7) & ~(size_t)7 : name);
        for (int k = 0; k < values && !c->bad; k++) {
            uint32_t value = (uint32_t)h5_take(c, 4);
            x->list[i].value = k == 0 ? value : x->list[i].value;
        }
        if (version == 1 && values % 2)
            h5_skip(c, 4);
    }
    if (c->bad)
        x->n = 0;
}

static void parse_fill(struct h5_object *x, struct h5_cursor *c, int type)
{
    int version = type == MESSAGE_OLD_FILL ? 0 : (int)h5_take(c, 1);
    bool defined = true;
    if (version == 1 || version == 2) {
        h5_skip(c, 2);
        defined = h5_take(c, 1) || version == 1;
    } else if (version == 3) {
        defined = h5_take(c, 1) & 0x20;
    }
    size_t size = defined && !c->bad ? (size_t)h5_take(c, 4) : 0;
    const unsigned char *value = size ? h5_bytes(c, size) : NULL;
    c->bad |= version > 3;
    if (value && size <= sizeof x->fill)
        memcpy(x->fill, value, size);
}

/* A group with dense links; flags say which numbers precede the addresses. */
static void parse_link_info(struct h5_object *x, struct h5_cursor *c, const struct h5 *f)
{
    c->bad |= h5_take(c, 1) != 0;
    if (h5_take(c, 1) & 1)
        h5_skip(c, 8);
    x->dense_heap = h5_address(c, f);
    x->dense_tree = h5_address(c, f);
    x->is_group = true;
}

static int parse_message(struct h5_object *x, int type, struct h5_cursor *c, struct h5 *f)
{
    switch (type) {
    case MESSAGE_SPACE:
        parse_space(x, c, f);
        break;
    case MESSAGE_TYPE:
        parse_type(&x->type, c);
        x->has_type = true;
        break;
    case MESSAGE_LAYOUT:
        parse_layout(&x->layout, c, f);
        break;
    case MESSAGE_FILTERS:
        parse_filters(&x->filters, c);
        break;
    case MESSAGE_OLD_FILL:
    case MESSAGE_FILL:
        parse_fill(x, c, type);
        break;
    case MESSAGE_EXTERNAL:
        x->external = true;
        break;
    case MESSAGE_TABLE:
        x->table_tree = h5_address(c, f);
        x->table_heap = h5_address(c, f);
        x->has_table = x->is_group = true;
        break;
    case MESSAGE_LINK_INFO:
        parse_link_info(x, c, f);
        break;
    case MESSAGE_GROUP_INFO:
        x->is_group = true;
        break;
    case MESSAGE_LINK:
        x->is_group = true;
        return h5_link_parse(&x->links, c, f);
    default:
        break;
    }
    return 0;
}

/* --- object headers --- */

struct header {
    struct h5_object *object;
    struct h5 *file;
    uint64_t address;
    int version;
    bool ordered; /* version 2: messages have a number */
    bool named;   /* only its type is read: a shared type may not be shared again */
    struct {
        uint64_t address, len;
    } blocks[BLOCKS_MAX]; /* continuations */
    int n_blocks;
};

static int read_header(struct header *h);

/* A type that is an object of its own, which several datasets share. */
static int read_shared_type(struct header *h, struct h5_cursor *c)
{
    struct h5 *f = h->file;
    int version = (int)h5_take(c, 1), kind = (int)h5_take(c, 1);
    if (version == 1)
        h5_skip(c, 6);
    uint64_t address = h5_address(c, f);
    if (c->bad || version < 1 || version > 3 || h->named)
        return h5_damaged(f, h->address, "a shared message makes no sense");
    if (version == 3 && kind == 1)
        return error_topic(
            error_in(GLT_EUNSUPPORTED, f->name, "HDF5 messages in a shared heap are not read"),
            GLT_TOPIC_FORMAT, NULL);
    struct h5_object other = {.dense_heap = H5_NONE};
    struct header *named = call_alloc(f->call, 1, sizeof *named);
    if (!named)
        return GLT_ENOMEM;
    *named = (struct header){.object = &other, .file = f, .address = address, .named = true};
    TRY(read_header(named));
    h->object->type = other.type;
    h->object->has_type = other.has_type;
    return 0;
}

static int add_block(struct header *h, struct h5_cursor *c)
{
    uint64_t address = h5_address(c, h->file), len = h5_length(c, h->file);
    if (h->n_blocks == BLOCKS_MAX)
        return h5_damaged(h->file, h->address, "an object header has too many continuations");
    h->blocks[h->n_blocks].address = address;
    h->blocks[h->n_blocks++].len = len;
    return 0;
}

static int read_messages(struct header *h, struct h5_cursor *c)
{
    ptrdiff_t head = h->version == 1 ? 8 : 4 + 2 * h->ordered;
    while (c->end - c->at >= head) { /* less than that is a gap */
        int type = (int)h5_take(c, h->version == 1 ? 2 : 1);
        size_t len = (size_t)h5_take(c, 2);
        int flags = (int)h5_take(c, 1);
        h5_skip(c, h->version == 1 ? 3 : h->ordered ? 2 : 0);
        const unsigned char *body = h5_bytes(c, len);
        if (!body)
            return h5_damaged(h->file, h->address, "a message is longer than its header");
        struct h5_cursor m = {body, body + len, false};
        bool wanted = !h->named || type == MESSAGE_TYPE;
        int code = 0;
        if (type == MESSAGE_CONTINUATION)
            code = add_block(h, &m);
        else if (wanted && flags & SHARED)
            code = type == MESSAGE_TYPE ? read_shared_type(h, &m) : 0;
        else if (wanted)
            code = parse_message(h->object, type, &m, h->file);
        TRY(code);
        if (m.bad)
            return h5_damaged(h->file, h->address, "a message of an object header makes no sense");
    }
    return 0;
}

static int read_block(struct header *h, uint64_t address, uint64_t len)
{
    const unsigned char *bytes;
    struct h5_cursor c;
    if (h->version == 2) {
        TRY(h5_signed_block(&c, h->file, address, len, "OCHK"));
    } else {
        TRY(h5_block(&bytes, h->file, address, len));
        c = (struct h5_cursor){bytes, bytes + len, false};
    }
    return read_messages(h, &c);
}

/* The first block of a version 2 header: its length follows flags and times. */
static int read_version2(struct header *h, int version, int flags)
{
    uint64_t before = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
    int bytes = 1 << (flags & 3);
    const unsigned char *head;
    if (version != 2)
        return h5_damaged(h->file, h->address, "an object header has an unknown version");
    TRY(h5_block(&head, h->file, h->address, before + (uint64_t)bytes));
    struct h5_cursor c = {head + before, head + before + bytes, false};
    uint64_t size = h5_take(&c, bytes);
    if (size > h->file->size)
        return h5_damaged(h->file, h->address, "an object header is longer than the file");
    h->version = 2;
    h->ordered = flags & 4;
    before += (uint64_t)bytes;
    TRY(h5_signed_block(&c, h->file, h->address, before + size + 4, "OHDR"));
    h5_skip(&c, (size_t)before - 4);
    return read_messages(h, &c);
}

static int read_header(struct header *h)
{
    const unsigned char *head;
    TRY(h5_block(&head, h->file, h->address, 16));
    if (!memcmp(head, "OHDR", 4)) {
        TRY(read_version2(h, head[4], head[5]));
    } else if (head[0] == 1) {
        struct h5_cursor c = {head + 8, head + 16, false};
        h->version = 1;
        TRY(read_block(h, h->address + 16, h5_take(&c, 4)));
    } else {
        return h5_damaged(h->file, h->address, "there is no object header");
    }
    for (int i = 0; i < h->n_blocks; i++) /* a continuation may add another */
        TRY(read_block(h, h->blocks[i].address, h->blocks[i].len));
    return 0;
}

int h5_object_read(struct h5_object *out, struct h5 *f, uint64_t address)
{
    struct header *h = call_alloc(f->call, 1, sizeof *h);
    if (!h)
        return GLT_ENOMEM;
    *out = (struct h5_object){.dense_heap = H5_NONE, .dense_tree = H5_NONE};
    *h = (struct header){.object = out, .file = f, .address = address};
    return read_header(h);
}
