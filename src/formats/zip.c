/* Zip archives: see zip.h. Reading relies on the central directory alone. When writing, a local
 * header has zeros for values not known yet and is patched at the end of its member. */
#include "formats/zip.h"

#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/memory.h"
#include "formats/little.h"
#include "formats/source.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum {
    CHUNK = 1 << 16,
    PIECE = 1 << 30, /* bytes per call of zlib, which counts in 32 bits */
    TRUST = 1 << 23, /* bytes that are allocated without a test walk */
    LOCAL = 30,      /* bytes of a local header */
    CENTRAL = 46     /* of an entry of the directory */
};

static void *zlib_alloc(void *user, uInt count, uInt size)
{
    (void)user;
    return memory_alloc(count, size);
}

static void zlib_free(void *user, void *block)
{
    (void)user;
    memory_free(block);
}

/* Makes zlib use our allocator. */
static void use_memory(z_stream *stream)
{
    stream->zalloc = zlib_alloc;
    stream->zfree = zlib_free;
}

static uint32_t add_crc(uint32_t crc, const unsigned char *bytes, size_t len)
{
    for (size_t at = 0; at < len; at += PIECE)
        crc = (uint32_t)crc32(crc, bytes + at, (uInt)(len - at < PIECE ? len - at : PIECE));
    return crc;
}

/* --- reading --- */

struct member_source {
    struct source source;
    struct file *f;
    z_stream z;
    bool deflated;
    uint64_t packed_left;
    uint32_t crc, expected;
};

static int damaged(const struct file *f, const char *what)
{
    return error_topic(error_in(GLT_EFORMAT, file_name(f), "damaged archive: %s", what),
                       GLT_TOPIC_SYNTAX, NULL);
}

/* The record at the end of the archive: the number of members and the offset of their directory. */
static int find_directory(struct file *f, uint64_t *n, uint64_t *offset, uint64_t *len)
{
    unsigned char tail[22 + 20 + 4096];
    uint64_t size = (uint64_t)file_size(f);
    size_t have = size < sizeof tail ? (size_t)size : sizeof tail;
    if (have < 22)
        return damaged(f, "too short for a zip");
    TRY(file_seek(f, (int64_t)(size - have)));
    TRY(file_read(f, tail, have));
    size_t at = have - 22;
    while (little_get(tail + at, 4) != 0x06054b50 && at > 0)
        at--;
    if (little_get(tail + at, 4) != 0x06054b50)
        return damaged(f, "no end record");
    *n = little_get(tail + at + 10, 2);
    *len = little_get(tail + at + 12, 4);
    *offset = little_get(tail + at + 16, 4);
    if (at < 20 || little_get(tail + at - 20, 4) != 0x07064b50)
        return 0;
    unsigned char wide[56];
    uint64_t where = little_get(tail + at - 12, 8);
    if (size < sizeof wide || where > size - sizeof wide)
        return damaged(f, "the zip64 record lies outside the file");
    TRY(file_seek(f, (int64_t)where));
    TRY(file_read(f, wide, sizeof wide));
    if (little_get(wide, 4) != 0x06064b50)
        return damaged(f, "no zip64 record");
    *n = little_get(wide + 32, 8);
    *len = little_get(wide + 40, 8);
    *offset = little_get(wide + 48, 8);
    return 0;
}

/* Sizes that do not fit 32 bits are in the zip64 field, in this order, only those needed. */
static int widen(struct zip_member *m, const unsigned char *extra, size_t len, const struct file *f)
{
    for (size_t at = 0; at + 4 <= len;) {
        size_t tag = (size_t)little_get(extra + at, 2),
               size = (size_t)little_get(extra + at + 2, 2);
        if (size > len - at - 4)
            return damaged(f, "an extra field is too long");
        const unsigned char *p = extra + at + 4, *end = p + size;
        uint64_t *wide[] = {&m->size, &m->packed, &m->header};
        for (int i = 0; tag == 1 && i < 3; i++)
            if (*wide[i] == 0xffffffff) {
                if (end - p < 8)
                    return damaged(f, "a zip64 field is too short");
                *wide[i] = little_get(p, 8);
                p += 8;
            }
        at += 4 + size;
    }
    return 0;
}

static int read_entry(struct zip_member *m, struct file *f)
{
    unsigned char head[CENTRAL], extra[512];
    TRY(file_read(f, head, sizeof head));
    if (little_get(head, 4) != 0x02014b50)
        return damaged(f, "a directory entry does not begin as one");
    size_t name = (size_t)little_get(head + 28, 2), more = (size_t)little_get(head + 30, 2);
    unsigned method = (unsigned)little_get(head + 10, 2);
    *m = (struct zip_member){.deflated = method == 8,
                             .crc = (uint32_t)little_get(head + 16, 4),
                             .packed = little_get(head + 20, 4),
                             .size = little_get(head + 24, 4),
                             .header = little_get(head + 42, 4)};
    if (little_get(head + 8, 2) & 1)
        return error_topic(error_file(error_set(GLT_EUNSUPPORTED,
                                                "%s is encrypted: unpack it first", file_name(f)),
                                      file_name(f)),
                           GLT_TOPIC_FORMAT, NULL);
    if (name >= sizeof m->name || more > sizeof extra)
        return damaged(f, "a member's name or extra field is too long");
    TRY(file_read(f, m->name, name));
    TRY(file_read(f, extra, more));
    TRY(widen(m, extra, more, f));
    TRY(file_skip(f, (int64_t)little_get(head + 32, 2)));
    uint64_t size = (uint64_t)file_size(f);
    if (m->header > size || m->packed > size - m->header)
        return damaged(f, "a member lies outside the file");
    if (method != 0 && method != 8)
        return error_topic(error_in(GLT_EUNSUPPORTED, file_name(f),
                                    "member %s is packed by method %u; only stored and "
                                    "deflated ones are read",
                                    m->name, method),
                           GLT_TOPIC_FORMAT, NULL);
    if (m->deflated ? m->size / 1032 > m->packed : m->size != m->packed)
        return damaged(f, "a member claims more bytes than it can hold");
    return 0;
}

int zip_list(struct call *call, struct zip_member **out, size_t *n, struct file *f)
{
    uint64_t count, offset, len, claimed = 0, size = (uint64_t)file_size(f);
    TRY(find_directory(f, &count, &offset, &len));
    if (offset > size || len > size - offset || count > len / CENTRAL)
        return damaged(f, "the directory lies outside the file");
    if (count > ZIP_MEMBERS)
        return error_topic(error_in(GLT_ELIMIT, file_name(f),
                                    "%" PRIu64 " members, but at most %d are read: join arrays",
                                    count, ZIP_MEMBERS),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    *n = (size_t)count;
    *out = call_alloc(call, *n, sizeof **out);
    if (!*out)
        return GLT_ENOMEM;
    TRY(file_seek(f, (int64_t)offset));
    for (size_t i = 0; i < *n; i++) {
        TRY(read_entry(&(*out)[i], f));
        claimed += LOCAL + (*out)[i].packed;
        if (claimed > size) /* overlapping members: a zip bomb */
            return damaged(f, "its members overlap");
    }
    return 0;
}

static int inflate_member(struct member_source *s, unsigned char *to, size_t len)
{
    while (len > 0) {
        const unsigned char *bytes;
        size_t have, now = len < PIECE ? len : PIECE;
        TRY(file_peek(s->f, &bytes, &have, 1));
        have = have < CHUNK ? have : CHUNK;
        have = have < s->packed_left ? have : (size_t)s->packed_left;
        s->z.next_in = (Bytef *)(uintptr_t)bytes;
        s->z.avail_in = (uInt)have;
        s->z.next_out = to;
        s->z.avail_out = (uInt)now;
        int result = inflate(&s->z, Z_NO_FLUSH);
        size_t got = now - s->z.avail_out, used = have - s->z.avail_in;
        to += got;
        len -= got;
        s->packed_left -= used;
        TRY(file_skip(s->f, (int64_t)used));
        if (result != Z_OK && !(result == Z_STREAM_END && len == 0))
            return result == Z_MEM_ERROR ? GLT_ENOMEM /* reported by memory_alloc */
                                         : damaged(s->f, "bad deflate data");
    }
    return 0;
}

static int read_member(struct source *base, void *dst, size_t len)
{
    struct member_source *s = (struct member_source *)base;
    TRY(s->deflated ? inflate_member(s, dst, len) : file_read(s->f, dst, len));
    s->crc = add_crc(s->crc, dst, len);
    if (len == base->left && s->crc != s->expected)
        return damaged(s->f, "a member's check sum is wrong");
    return 0;
}

/* Seeks to a member's data and makes a source of it. */
static int start_member(struct member_source *s, const struct zip_member *m, struct file *f)
{
    unsigned char head[LOCAL];
    TRY(file_seek(f, (int64_t)m->header));
    TRY(file_read(f, head, sizeof head));
    if (little_get(head, 4) != 0x04034b50)
        return damaged(f, "a member does not begin as one");
    TRY(file_skip(f, (int64_t)(little_get(head + 26, 2) + little_get(head + 28, 2))));
    if (m->packed > (uint64_t)file_left(f))
        return damaged(f, "a member is cut short");
    *s = (struct member_source){.source = {read_member, m->size, m->name},
                                .f = f,
                                .packed_left = m->packed,
                                .expected = m->crc};
    use_memory(&s->z);
    if (m->deflated && inflateInit2(&s->z, -MAX_WBITS) != Z_OK)
        return error_topic(error_set(GLT_ENOMEM, "out of memory for unpacking %s", m->name),
                           GLT_TOPIC_MEMORY, NULL);
    s->deflated = m->deflated;
    return 0;
}

/* Whether a member really unpacks to the size it claims. */
static int walk_member(struct source *s)
{
    unsigned char scrap[CHUNK];
    while (s->left > 0)
        TRY(source_take(s, scrap, s->left < CHUNK ? (size_t)s->left : CHUNK));
    return 0;
}

int zip_open(struct source **out, const struct zip_member *m, struct file *f)
{
    struct member_source *s = memory_alloc(1, sizeof *s);
    if (!s)
        return GLT_ENOMEM;
    int code = start_member(s, m, f);
    if (code < 0)
        zip_close(&s->source);
    else
        *out = &s->source;
    return code;
}

int zip_check(const struct zip_member *m, struct file *f)
{
    struct source *s;
    if (!m->deflated || m->size <= TRUST)
        return 0;
    TRY(zip_open(&s, m, f));
    int code = walk_member(s);
    zip_close(s);
    return code;
}

void zip_close(struct source *s)
{
    struct member_source *m = (struct member_source *)s;
    if (m->deflated)
        inflateEnd(&m->z);
    memory_free(m);
}

/* --- writing --- */

enum { DATE = 0x21 /* 1980-01-01: a constant, so that output is reproducible */ };

struct entry {
    char name[256];
    uint32_t mark; /* hash of the name, for zip_has: names may have long common prefixes */
    uint32_t crc;
    uint64_t packed, size, header;
};

struct zip {
    struct file *f;
    bool deflate, open;
    z_stream stream;
    struct entry *entries;
    size_t n;
    unsigned char chunk[CHUNK];
};

int zip_create(struct zip **out, struct file *f, bool deflate)
{
    struct zip *z = memory_alloc(1, sizeof *z);
    if (!z)
        return GLT_ENOMEM;
    z->f = f;
    z->deflate = deflate;
    *out = z;
    return 0;
}

/* Bit 11 says that a name is UTF-8; without it, readers assume code page 437. */
static uint64_t flags_of(const char *name)
{
    for (const char *s = name; *s; s++)
        if ((unsigned char)*s >= 0x80)
            return json_holds(name) ? 0x800 : 0;
    return 0;
}

/* The 30 bytes of a local header, its name, and the zip64 field. */
static int write_local(struct zip *z, const struct entry *e)
{
    unsigned char head[LOCAL] = {0}, wide[20] = {0};
    size_t len = strlen(e->name);
    little_put(head, 0x04034b50, 4);
    little_put(head + 4, 45, 2);
    little_put(head + 6, flags_of(e->name), 2);
    little_put(head + 8, z->deflate ? 8 : 0, 2);
    little_put(head + 12, DATE, 2);
    little_put(head + 14, e->crc, 4);
    little_put(head + 18, 0xffffffff, 4);
    little_put(head + 22, 0xffffffff, 4);
    little_put(head + 26, len, 2);
    little_put(head + 28, sizeof wide, 2);
    little_put(wide, 1, 2);
    little_put(wide + 2, 16, 2);
    little_put(wide + 4, e->size, 8);
    little_put(wide + 12, e->packed, 8);
    if (!z->open) {
        TRY(file_write(z->f, head, sizeof head));
        TRY(file_write(z->f, e->name, len));
        return file_write(z->f, wide, sizeof wide);
    }
    TRY(file_patch(z->f, (int64_t)e->header, head, sizeof head));
    return file_patch(z->f, (int64_t)(e->header + sizeof head + len), wide, sizeof wide);
}

static uint32_t mark_of(const char *name)
{
    return (uint32_t)crc32(0, (const Bytef *)name, (uInt)strlen(name));
}

size_t zip_count(const struct zip *z)
{
    return z->n;
}

bool zip_has(const struct zip *z, const char *name)
{
    uint32_t mark = mark_of(name);
    for (size_t i = 0; i < z->n; i++)
        if (z->entries[i].mark == mark && strcmp(z->entries[i].name, name) == 0)
            return true;
    return false;
}

int zip_begin(struct zip *z, const char *name)
{
    if (z->n == ZIP_MEMBERS)
        return error_topic(error_set(GLT_ELIMIT,
                                     "an archive of more than %d members would not be read again",
                                     ZIP_MEMBERS),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    TRY(array_reserve(&z->entries, (int64_t)z->n, 1, sizeof *z->entries));
    struct entry *e = &z->entries[z->n];
    size_t len = strlen(name);
    len = len < sizeof e->name ? len : sizeof e->name - 1;
    memcpy(e->name, name, len);
    e->mark = mark_of(e->name);
    e->header = (uint64_t)file_offset(z->f);
    TRY(write_local(z, e));
    if (z->deflate) {
        z->stream = (z_stream){0};
        use_memory(&z->stream);
        if (deflateInit2(&z->stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return error_topic(error_set(GLT_ENOMEM, "out of memory for packing %s", name),
                               GLT_TOPIC_MEMORY, NULL);
    }
    z->open = true;
    z->n++;
    return 0;
}

/* Writes the output of deflate; with Z_FINISH all that is left. */
static int drain(struct zip *z, int flush)
{
    int result;
    do {
        z->stream.next_out = z->chunk;
        z->stream.avail_out = CHUNK;
        result = deflate(&z->stream, flush);
        size_t len = CHUNK - z->stream.avail_out;
        z->entries[z->n - 1].packed += len;
        TRY(file_write(z->f, z->chunk, len));
    } while (z->stream.avail_in > 0 || (flush == Z_FINISH && result != Z_STREAM_END) ||
             z->stream.avail_out == 0);
    return 0;
}

int zip_put(struct zip *z, const void *bytes, size_t len)
{
    struct entry *e = &z->entries[z->n - 1];
    const unsigned char *from = bytes;
    while (len > 0) {
        size_t now = len < PIECE ? len : PIECE;
        e->crc = add_crc(e->crc, from, now);
        e->size += now;
        if (z->deflate) {
            z->stream.next_in = (Bytef *)(uintptr_t)from;
            z->stream.avail_in = (uInt)now;
            TRY(drain(z, Z_NO_FLUSH));
        } else {
            e->packed += now;
            TRY(file_write(z->f, from, now));
        }
        from += now;
        len -= now;
    }
    return 0;
}

int zip_end(struct zip *z)
{
    if (z->deflate)
        TRY(drain(z, Z_FINISH));
    TRY(write_local(z, &z->entries[z->n - 1]));
    if (z->deflate)
        deflateEnd(&z->stream);
    z->open = false;
    return 0;
}

static int write_central(struct zip *z, const struct entry *e)
{
    unsigned char head[CENTRAL] = {0}, wide[28] = {0};
    little_put(head, 0x02014b50, 4);
    little_put(head + 4, 45, 2);
    little_put(head + 6, 45, 2);
    little_put(head + 8, flags_of(e->name), 2);
    little_put(head + 10, z->deflate ? 8 : 0, 2);
    little_put(head + 14, DATE, 2);
    little_put(head + 16, e->crc, 4);
    little_put(head + 20, 0xffffffff, 4);
    little_put(head + 24, 0xffffffff, 4);
    little_put(head + 28, strlen(e->name), 2);
    little_put(head + 30, sizeof wide, 2);
    little_put(head + 42, 0xffffffff, 4);
    little_put(wide, 1, 2);
    little_put(wide + 2, 24, 2);
    little_put(wide + 4, e->size, 8);
    little_put(wide + 12, e->packed, 8);
    little_put(wide + 20, e->header, 8);
    TRY(file_write(z->f, head, sizeof head));
    TRY(file_write(z->f, e->name, strlen(e->name)));
    return file_write(z->f, wide, sizeof wide);
}

int zip_finish(struct zip *z)
{
    uint64_t begin = (uint64_t)file_offset(z->f);
    for (size_t i = 0; i < z->n; i++)
        TRY(write_central(z, &z->entries[i]));
    uint64_t end = (uint64_t)file_offset(z->f), len = end - begin;
    unsigned char tail[56 + 20 + 22] = {0};
    little_put(tail, 0x06064b50, 4);
    little_put(tail + 4, 44, 8);
    little_put(tail + 12, 45, 2);
    little_put(tail + 14, 45, 2);
    little_put(tail + 24, z->n, 8);
    little_put(tail + 32, z->n, 8);
    little_put(tail + 40, len, 8);
    little_put(tail + 48, begin, 8);
    little_put(tail + 56, 0x07064b50, 4);
    little_put(tail + 64, end, 8);
    little_put(tail + 72, 1, 4);
    little_put(tail + 76, 0x06054b50, 4);
    little_put(tail + 84, z->n < 0xffff ? z->n : 0xffff, 2);
    little_put(tail + 86, z->n < 0xffff ? z->n : 0xffff, 2);
    little_put(tail + 88, len < 0xffffffff ? len : 0xffffffff, 4);
    little_put(tail + 92, begin < 0xffffffff ? begin : 0xffffffff, 4);
    return file_write(z->f, tail, sizeof tail);
}

void zip_free(struct zip *z)
{
    if (!z)
        return;
    if (z->open && z->deflate)
        deflateEnd(&z->stream);
    memory_free(z->entries);
    memory_free(z);
}
