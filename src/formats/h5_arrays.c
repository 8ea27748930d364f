/* The values of HDF5 datasets: see h5_arrays.h.
 *
 * A dataset is gathered in its stored form, chunk by chunk, and converted to our types at the end.
 * All arrays together stay within arrays_limit. */
#include "formats/h5_arrays.h"

#include "cloud/type.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/arrays.h"
#include "formats/h5_chunks.h"
#include "formats/h5_file.h"
#include "formats/h5_group.h"
#include "formats/h5_links.h"
#include "formats/h5_object.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { DEPTH_MAX = 16 };
/* A chunk may be larger than its dataset, which can grow. It is unpacked whole, into two buffers if
 * there are filters: up to the limit of arrays, plus a little for small files. zlib inflates a byte
 * to 1032 at most. */
enum { CHUNK_BASE = 32 << 20 };
enum { FILTER_DEFLATE = 1, FILTER_SHUFFLE = 2, FILTER_FLETCHER32 = 3 };

struct reader {
    struct h5 file;
    struct arrays *out;
    uint64_t bytes_left; /* of arrays that may still be made */
    int objects, depth;
    char path[1024]; /* of the current object */
};

/* One dataset being gathered. */
struct gather {
    struct reader *reader;
    const struct h5_object *object;
    unsigned char *data; /* as stored, row-major */
    uint64_t chunk_bytes;
    unsigned char *stored, *decoded; /* (stored_len), (chunk_bytes): a chunk through its filters */
    uint64_t stored_len;
};

static int unsupported(const struct reader *r, const char *what)
{
    return error_topic(error_in(GLT_EUNSUPPORTED, r->file.name,
                                "dataset %s: %s is not read; convert the file to NPZ", r->path,
                                what),
                       GLT_TOPIC_FORMAT, NULL);
}

static int damaged(const struct reader *r, const char *what)
{
    return error_topic(
        error_in(GLT_EFORMAT, r->file.name, "dataset %s is damaged: %s", r->path, what),
        GLT_TOPIC_SYNTAX, NULL);
}

/* --- filters --- */

static int check_filters(const struct reader *r, const struct h5_filters *x)
{
    for (int i = 0; i < x->n; i++) {
        int id = x->list[i].id;
        const char *name = id == 4       ? "szip"
                           : id == 5     ? "nbit"
                           : id == 6     ? "scaleoffset"
                           : id == 32000 ? "lzf"
                                         : NULL;
        char text[64];
        if (id >= FILTER_DEFLATE && id <= FILTER_FLETCHER32)
            continue;
        snprintf(text, sizeof text, "filter %d%s%s%s", id, name ? " (" : "", name ? name : "",
                 name ? ")" : "");
        return unsupported(r, text);
    }
    return 0;
}

/* Inflates a chunk to exactly its size. */
static int inflate_chunk(struct gather *g, unsigned char *dst, uint64_t want,
                         const unsigned char *src, uint64_t len)
{
    z_stream z = {0};
    if (want > UINT32_MAX || len > UINT32_MAX)
        return damaged(g->reader, "a chunk has 4 GB or more");
    if (inflateInit(&z) != Z_OK)
        return error_topic(error_set(GLT_ENOMEM, "out of memory for unpacking a chunk"),
                           GLT_TOPIC_MEMORY, NULL);
    z.next_in = (unsigned char *)src;
    z.avail_in = (uInt)len;
    z.next_out = dst;
    z.avail_out = (uInt)want;
    int result = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    if (result == Z_MEM_ERROR)
        return error_topic(error_set(GLT_ENOMEM, "out of memory for unpacking a chunk"),
                           GLT_TOPIC_MEMORY, NULL);
    return result == Z_STREAM_END && z.avail_out == 0
               ? 0
               : damaged(g->reader, "a chunk cannot be inflated to its size");
}

/* Undoes the grouping of bytes by their position in an item. The size in the file may exceed a
 * chunk: then nothing was grouped. */
static void unshuffle(unsigned char *dst, const unsigned char *src, uint64_t len, uint64_t size)
{
    uint64_t items = len / size;
    for (uint64_t b = 0; items && b < size; b++)
        for (uint64_t i = 0; i < items; i++)
            dst[i * size + b] = src[b * items + i];
    memcpy(dst + items * size, src + items * size, (size_t)(len - items * size));
}

/* Fletcher's checksum over big-endian 16-bit words. */
static uint32_t fletcher32(const unsigned char *p, uint64_t len)
{
    uint32_t a = 0, b = 0;
    for (uint64_t i = 0; i < len; i += 2) {
        a += (uint32_t)p[i] << 8 | (i + 1 < len ? p[i + 1] : 0u);
        a = (a & 0xffff) + (a >> 16);
        b += a;
        b = (b & 0xffff) + (b >> 16);
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
    return b << 16 | a;
}

/* Undoes the filters, the last one first. g->stored and g->decoded swap roles; the chunk ends in
 * *out. Only inflating adds bytes, so each buffer has the larger size. */
static int undo_filters(const unsigned char **out, struct gather *g, uint64_t len, uint32_t mask)
{
    const struct h5_filters *x = &g->object->filters;
    unsigned char *from = g->stored, *to = g->decoded;
    for (int i = x->n - 1; i >= 0; i--) {
        int id = x->list[i].id;
        if (mask >> i & 1)
            continue;
        if (id == FILTER_FLETCHER32) {
            struct h5_cursor c = {from + len - 4, from + len, false};
            if (len < 4 || h5_take(&c, 4) != fletcher32(from, len - 4))
                return damaged(g->reader, "a chunk's checksum does not match");
            len -= 4;
            continue;
        }
        if (id == FILTER_DEFLATE) {
            uint64_t more = 0; /* checksums that earlier filters have appended to the chunk */
            for (int k = 0; k < i; k++)
                more += x->list[k].id == FILTER_FLETCHER32 && !(mask >> k & 1) ? 4 : 0;
            TRY(inflate_chunk(g, to, g->chunk_bytes + more, from, len));
            len = g->chunk_bytes + more;
        } else {
            uint64_t size = x->list[i].value ? x->list[i].value : g->object->type.size;
            unshuffle(to, from, len, size);
        }
        unsigned char *last = from;
        from = to;
        to = last;
    }
    if (len != g->chunk_bytes)
        return damaged(g->reader, "a chunk has another size than its shape");
    *out = from;
    return 0;
}

/* --- storage --- */

/* Copies the part of a chunk that is inside the dataset, in runs of the last dimension. */
static void place_chunk(struct gather *g, const uint64_t *scaled, const unsigned char *chunk)
{
    const struct h5_space *s = &g->object->space;
    const uint64_t *edge = g->object->layout.chunk;
    uint64_t first[H5_RANK_MAX], n[H5_RANK_MAX], at[H5_RANK_MAX] = {0};
    size_t size = g->object->type.size;
    int last = s->rank - 1;
    for (int d = 0; d <= last; d++) {
        first[d] = scaled[d] * edge[d];
        n[d] = s->dims[d] - first[d] < edge[d] ? s->dims[d] - first[d] : edge[d];
    }
    for (;;) {
        uint64_t from = 0, to = 0;
        for (int d = 0; d <= last; d++) {
            from = from * edge[d] + at[d];
            to = to * s->dims[d] + first[d] + at[d];
        }
        memcpy(g->data + to * size, chunk + from * size, (size_t)n[last] * size);
        int d = last - 1;
        while (d >= 0 && ++at[d] == n[d])
            at[d--] = 0;
        if (d < 0)
            return;
    }
}

static int add_chunk(void *user, const struct h5_chunk *chunk)
{
    struct gather *g = user;
    struct h5 *f = &g->reader->file;
    const unsigned char *bytes;
    uint64_t from;
    if (__builtin_add_overflow(chunk->address, f->base, &from) || from > f->size ||
        chunk->size > f->size - from)
        return damaged(g->reader, "a chunk lies outside of the file");
    if (chunk->size > f->chunks_left)
        return damaged(g->reader, "its chunks overlap, or it has many names");
    if (chunk->size > g->stored_len)
        return damaged(g->reader, "a chunk is much larger than its shape");
    f->chunks_left -= chunk->size;
    TRY(file_read_at(&bytes, g->stored, f->file, (int64_t)from, (size_t)chunk->size));
    if (bytes != g->stored)
        memcpy(g->stored, bytes, (size_t)chunk->size);
    TRY(undo_filters(&bytes, g, chunk->size, chunk->mask));
    place_chunk(g, chunk->scaled, bytes);
    return 0;
}

/* Filters may make a chunk a little larger: deflate by a thousandth, checksums by 4 bytes each. */
static int gather_chunks(struct gather *g)
{
    struct reader *r = g->reader;
    struct call call = {0};
    g->chunk_bytes = h5_chunk_bytes(g->object);
    if (g->chunk_bytes == 0 || g->chunk_bytes / 1032 > r->file.size ||
        g->chunk_bytes > (uint64_t)1 << 32)
        return damaged(r, "the shape of its chunks makes no sense");
    if (g->chunk_bytes > CHUNK_BASE && g->chunk_bytes - CHUNK_BASE > arrays_limit(r->file.size))
        return damaged(r, "a chunk would have more than the file can hold");
    g->stored_len = g->chunk_bytes + g->chunk_bytes / 512 + 1024;
    g->stored = call_alloc(&call, (size_t)g->stored_len, 1);
    g->decoded = call_alloc(&call, (size_t)g->stored_len, 1);
    int code =
        g->stored && g->decoded ? h5_chunks_each(&r->file, g->object, add_chunk, g) : GLT_ENOMEM;
    call_free(&call);
    return code;
}

static void fill(unsigned char *data, uint64_t n, const unsigned char *value, size_t size)
{
    static const unsigned char zero[8];
    if (!memcmp(value, zero, size))
        return;
    for (uint64_t i = 0; i < n; i++)
        memcpy(data + i * size, value, size);
}

static int gather(struct gather *g, uint64_t n)
{
    const struct h5_layout *l = &g->object->layout;
    struct h5 *f = &g->reader->file;
    size_t size = g->object->type.size;
    uint64_t bytes = n * size, from;
    fill(g->data, n, g->object->fill, size);
    if (l->storage == H5_CHUNKED)
        return gather_chunks(g);
    if (l->storage == H5_COMPACT) {
        if (l->size < bytes)
            return damaged(g->reader, "its values are not all there");
        memcpy(g->data, l->compact, (size_t)bytes);
        return 0;
    }
    if (l->address == H5_NONE) /* never written */
        return 0;
    if (l->size < bytes || __builtin_add_overflow(l->address, f->base, &from) || from > f->size ||
        bytes > f->size - from)
        return damaged(g->reader, "its values are not all there");
    const unsigned char *there;
    TRY(file_read_at(&there, g->data, f->file, (int64_t)from, (size_t)bytes));
    if (there != g->data)
        memcpy(g->data, there, (size_t)bytes);
    return 0;
}

/* --- conversion to our types --- */

static enum glt_type type_of(const struct h5_type *t)
{
    if (t->real)
        return t->size == 8 ? GLT_F64 : GLT_F32;
    enum glt_type base = t->size == 1   ? GLT_I8
                         : t->size == 2 ? GLT_I16
                         : t->size == 4 ? GLT_I32
                                        : GLT_I64;
    return t->is_signed ? base : (enum glt_type)(base + 1);
}

/* Integers with fewer bits than their bytes. */
static uint64_t take_bits(uint64_t raw, const struct h5_type *t)
{
    int above = 64 - t->precision;
    uint64_t value = raw >> t->offset << above;
    return t->is_signed ? (uint64_t)((int64_t)value >> above) : value >> above;
}

static void narrow_integers(unsigned char *data, uint64_t n, const struct h5_type *t)
{
    if (t->offset == 0 && t->precision == 8 * (int)t->size)
        return;
    for (uint64_t i = 0; i < n; i++) {
        unsigned char *p = data + i * t->size;
        uint64_t raw = 0;
        for (size_t b = 0; b < t->size; b++)
            raw |= (uint64_t)p[b] << 8 * b;
        raw = take_bits(raw, t);
        for (size_t b = 0; b < t->size; b++)
            p[b] = (unsigned char)(raw >> 8 * b);
    }
}

static float from_half(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    uint32_t bits;
    float value;
    if (exponent == 0) { /* a multiple of 2^-24 */
        value = (float)mantissa * 0x1p-24f;
        return sign ? -value : value;
    }
    bits = exponent == 31 ? 0x7f800000 : (exponent + 112) << 23;
    bits |= sign | mantissa << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* In place, from last to first: a float takes twice the bytes of a half. */
static void widen_halves(unsigned char *data, uint64_t n)
{
    for (uint64_t i = n; i-- > 0;) {
        uint16_t half = (uint16_t)(data[2 * i] | data[2 * i + 1] << 8);
        float value = from_half(half);
        memcpy(data + 4 * i, &value, sizeof value);
    }
}

/* Converts to little-endian values first, then to host byte order. */
static void convert(unsigned char *data, uint64_t n, const struct h5_type *t)
{
    bool half = t->real && t->size == 2;
    if (t->big_endian)
        file_swap(data, (size_t)n, t->size);
    if (!t->real)
        narrow_integers(data, n, t);
    if (half)
        widen_halves(data, n);
    else if (file_host_is_big_endian())
        file_swap(data, (size_t)n, t->size);
}

/* --- datasets --- */

static int describe(struct array *a, struct array_field *field, const struct h5_object *x)
{
    enum glt_type type = type_of(&x->type);
    *field = (struct array_field){.type = type, .size = type_size(type), .width = 1};
    field->kind = x->type.real ? 'f' : x->type.is_signed ? 'i' : 'u';
    *a = (struct array){.n_dims = x->space.rank, .count = 1, .item_size = field->size};
    for (int d = 0; d < a->n_dims; d++) {
        if (x->space.dims[d] > INT64_MAX)
            return GLT_EFORMAT;
        a->shape[d] = (int64_t)x->space.dims[d];
        if (__builtin_mul_overflow(a->count, a->shape[d], &a->count))
            return GLT_EFORMAT;
    }
    return 0;
}

static int fill_array(struct array *a, const struct array_field *field, struct reader *r,
                      const struct h5_object *x)
{
    uint64_t bytes;
    if (__builtin_mul_overflow((uint64_t)a->count, a->item_size, &bytes) || bytes > r->bytes_left)
        return error_topic(error_in(GLT_EFORMAT, r->file.name,
                                    "dataset %s declares more than the file can hold", r->path),
                           GLT_TOPIC_TRUNCATED, NULL);
    r->bytes_left -= bytes;
    a->name = memory_string(r->path);
    a->fields = memory_alloc(1, sizeof *a->fields);
    a->data = memory_alloc((size_t)bytes, 1);
    if (!a->name || !a->fields || !a->data)
        return GLT_ENOMEM;
    a->n_fields = 1;
    a->fields[0] = *field;
    if (!(a->fields[0].name = memory_string("")))
        return GLT_ENOMEM;
    if (a->count == 0)
        return 0;
    struct gather g = {.reader = r, .object = x, .data = a->data};
    TRY(gather(&g, (uint64_t)a->count));
    convert(a->data, (uint64_t)a->count, &x->type);
    return 0;
}

/* A dataset that is not numeric is skipped. */
static int read_dataset(struct reader *r, const struct h5_object *x)
{
    struct array a;
    struct array_field field;
    if (x->external)
        return unsupported(r, "storage in other files");
    if (x->layout.storage == H5_VIRTUAL)
        return unsupported(r, "virtual storage, which refers to other files,");
    if (!x->type.number || x->space.empty || x->space_rank > H5_RANK_MAX ||
        x->layout.storage == H5_NO_STORAGE)
        return 0;
    TRY(check_filters(r, &x->filters));
    if (describe(&a, &field, x) < 0)
        return damaged(r, "its shape is too large");
    TRY(array_reserve(&r->out->items, r->out->n, 1, sizeof a));
    int code = fill_array(&a, &field, r, x);
    if (code < 0)
        arrays_clear(&a);
    else
        r->out->items[r->out->n++] = a;
    return code;
}

static int visit(struct reader *r, uint64_t address);

static int visit_links(struct reader *r, const struct h5_links *links)
{
    size_t len = strlen(r->path);
    for (int64_t i = 0; i < links->n; i++) {
        const char *name = links->list[i].name;
        if (++r->objects > H5_OBJECTS_MAX || r->depth == DEPTH_MAX ||
            len + strlen(name) + 2 > sizeof r->path)
            return error_topic(error_in(GLT_EFORMAT, r->file.name,
                                        "more than %d objects or %d groups in each other",
                                        H5_OBJECTS_MAX, DEPTH_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        snprintf(r->path + len, sizeof r->path - len, "%s%s", len ? "/" : "", name);
        r->depth++;
        TRY(visit(r, links->list[i].address));
        r->depth--;
        r->path[len] = 0;
    }
    return 0;
}

static int visit(struct reader *r, uint64_t address)
{
    struct h5_object *x = call_alloc(r->file.call, 1, sizeof *x);
    if (!x)
        return GLT_ENOMEM;
    int code = h5_object_read(x, &r->file, address);
    if (code == 0 && x->is_group)
        code = h5_group_links(x, &r->file);
    if (code == 0 && x->is_group)
        code = visit_links(r, &x->links);
    else if (code == 0 && x->has_space && x->has_type)
        code = read_dataset(r, x);
    memory_free(x->links.list);
    return code;
}

int h5_read_arrays(struct arrays *out, struct file *f)
{
    struct arrays all = {0};
    struct call call = {0};
    struct reader r = {.out = &all};
    int code = h5_open(&r.file, f, &call);
    if (code == 0) {
        r.bytes_left = arrays_limit(r.file.size);
        code = visit(&r, r.file.root);
    }
    call_free(&call);
    if (code < 0)
        arrays_free(&all);
    else
        *out = all;
    return code;
}
