/* The archive of an .npz file: a zip of .npy members, stored or deflated, also zip64.
 *
 * Reference: PKWARE APPNOTE 6.3.9; RFC 1951 through zlib. The central directory is the truth; sizes
 * in it are compared with the file, each and their sum, and a member that claims more than deflate
 * can hold in its bytes (1032 to 1) is refused unread. A large deflated member is walked once to
 * count its bytes before memory is asked for. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/little.h"
#include "formats/npy.h"
#include "formats/zip.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { TRUST = 1 << 23, CHUNK = 1 << 16, LOCAL = 30 };

struct member {
    char name[256];
    unsigned method;
    uint32_t crc;
    uint64_t packed, size, header; /* bytes in the file, unpacked, offset of the local header */
};

struct member_source {
    struct npy_source source;
    struct file *f;
    z_stream z;
    bool deflated;
    uint64_t packed_left;
    uint32_t crc;
};

static int damaged(const struct file *f, const char *what)
{
    return error_set(GLT_EFORMAT, "%s: damaged archive: %s", file_name(f), what);
}

/* The record at the end of the archive: how many members, where their directory begins. */
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

/* Sizes that did not fit 32 bits stand in the zip64 field, in this order, only those needed. */
static int widen(struct member *m, const unsigned char *extra, size_t len, const struct file *f)
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

static int read_entry(struct member *m, struct file *f)
{
    unsigned char head[46], extra[512];
    TRY(file_read(f, head, sizeof head));
    if (little_get(head, 4) != 0x02014b50)
        return damaged(f, "a directory entry does not begin as one");
    size_t name = (size_t)little_get(head + 28, 2), more = (size_t)little_get(head + 30, 2);
    *m = (struct member){.method = (unsigned)little_get(head + 10, 2),
                         .crc = (uint32_t)little_get(head + 16, 4),
                         .packed = little_get(head + 20, 4),
                         .size = little_get(head + 24, 4),
                         .header = little_get(head + 42, 4)};
    if (little_get(head + 8, 2) & 1)
        return error_set(GLT_EUNSUPPORTED, "%s is encrypted: unpack it first", file_name(f));
    if (name >= sizeof m->name || more > sizeof extra)
        return damaged(f, "a member's name or extra field is too long");
    TRY(file_read(f, m->name, name));
    TRY(file_read(f, extra, more));
    TRY(widen(m, extra, more, f));
    TRY(file_skip(f, (int64_t)little_get(head + 32, 2)));
    uint64_t size = (uint64_t)file_size(f);
    if (m->header > size || m->packed > size - m->header)
        return damaged(f, "a member lies outside the file");
    if (m->method != 0 && m->method != 8)
        return error_set(GLT_EUNSUPPORTED,
                         "%s: member %s is packed by method %u; only stored and "
                         "deflated ones are read",
                         file_name(f), m->name, m->method);
    if (m->method == 0 ? m->size != m->packed : m->size / 1032 > m->packed)
        return damaged(f, "a member claims more bytes than it can hold");
    return 0;
}

static int read_member(struct npy_source *base, void *dst, size_t len)
{
    struct member_source *s = (struct member_source *)base;
    unsigned char *to = dst;
    if (!s->deflated) {
        TRY(file_read(s->f, dst, len));
        for (size_t at = 0; at < len; at += 1 << 30)
            s->crc =
                (uint32_t)crc32(s->crc, to + at, (uInt)(len - at < 1 << 30 ? len - at : 1 << 30));
        return 0;
    }
    while (len > 0) {
        const unsigned char *bytes;
        size_t have, now = len < 1 << 30 ? len : 1 << 30;
        TRY(file_peek(s->f, &bytes, &have, 1));
        have = have < CHUNK ? have : CHUNK;
        have = have < s->packed_left ? have : (size_t)s->packed_left;
        s->z.next_in = (Bytef *)(uintptr_t)bytes;
        s->z.avail_in = (uInt)have;
        s->z.next_out = to;
        s->z.avail_out = (uInt)now;
        int result = inflate(&s->z, Z_NO_FLUSH);
        size_t got = now - s->z.avail_out, used = have - s->z.avail_in;
        s->crc = (uint32_t)crc32(s->crc, to, (uInt)got);
        to += got;
        len -= got;
        s->packed_left -= used;
        TRY(file_skip(s->f, (int64_t)used));
        if (result != Z_OK && !(result == Z_STREAM_END && len == 0))
            return result == Z_MEM_ERROR ? GLT_ENOMEM /* memory_alloc has said so */
                                         : damaged(s->f, "bad deflate data");
    }
    return 0;
}

/* Goes to a member's data and makes a source of it; inflateEnd when deflated. */
static int open_member(struct member_source *s, const struct member *m, struct file *f)
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
                                .deflated = m->method == 8,
                                .packed_left = m->packed};
    zip_memory(&s->z);
    if (s->deflated && inflateInit2(&s->z, -MAX_WBITS) != Z_OK)
        return error_set(GLT_ENOMEM, "out of memory for unpacking %s", m->name);
    return 0;
}

static void close_member(struct member_source *s)
{
    if (s->deflated)
        inflateEnd(&s->z);
}

/* Whether a member really unpacks to the size it claims. */
static int walk_member(const struct member *m, struct file *f)
{
    struct member_source s;
    unsigned char *scrap = memory_alloc(CHUNK, 1);
    if (!scrap)
        return GLT_ENOMEM;
    int code = open_member(&s, m, f);
    if (code == 0) {
        for (uint64_t left = m->size; left > 0 && code == 0;) {
            size_t now = left < CHUNK ? (size_t)left : CHUNK;
            code = read_member(&s.source, scrap, now);
            left -= now;
        }
        close_member(&s);
    }
    memory_free(scrap);
    return code;
}

static int read_one(struct array *out, const struct member *m, struct file *f)
{
    struct member_source s;
    if (m->method == 8 && m->size > TRUST)
        TRY(walk_member(m, f));
    TRY(open_member(&s, m, f));
    int code = npy_read_array(out, &s.source);
    if (code == 0 && s.source.left == 0 && s.crc != m->crc)
        code = damaged(f, "a member's check sum is wrong");
    close_member(&s);
    if (code < 0) {
        array_clear(out);
        return error_prefix(code, "%s: member ", file_name(f));
    }
    size_t len = strlen(m->name);
    out->name = memory_alloc(len + 1, 1);
    if (!out->name) {
        array_clear(out);
        return GLT_ENOMEM;
    }
    memcpy(out->name, m->name, len > 4 && !strcmp(m->name + len - 4, ".npy") ? len - 4 : len);
    return 0;
}

int npz_read_arrays(struct arrays *out, struct file *f)
{
    uint64_t n, offset, len;
    TRY(find_directory(f, &n, &offset, &len));
    uint64_t size = (uint64_t)file_size(f);
    if (offset > size || len > size - offset || n > len / 46)
        return damaged(f, "the directory lies outside the file");
    if (n > ZIP_MEMBERS)
        return error_set(GLT_ELIMIT, "%s has %" PRIu64 " members, %d are read at most: join arrays",
                         file_name(f), n, ZIP_MEMBERS);
    int64_t at = (int64_t)offset;
    uint64_t claimed = 0;
    out->items = memory_alloc((size_t)n, sizeof *out->items);
    if (!out->items)
        return GLT_ENOMEM;
    for (uint64_t i = 0; i < n; i++) {
        struct member m;
        TRY(file_seek(f, at));
        TRY(read_entry(&m, f));
        at = file_offset(f);
        claimed += LOCAL + m.packed;
        if (claimed > size) /* the same bytes again and again: a bomb */
            return damaged(f, "its members overlap");
        TRY(read_one(&out->items[out->n], &m, f));
        out->n++;
    }
    return 0;
}
