/* Zip archives: see zip.h. Reference: PKWARE APPNOTE 6.3.9. A local header is written with zeros
 * for what is not known yet and patched at the end of its member. */
#include "formats/zip.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/memory.h"
#include "formats/little.h"

#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, DATE = 0x21 /* 1980-01-01: the same bytes every day */ };

struct entry {
    char name[256];
    uint32_t mark; /* of the name, for zip_has: names may have much in common */
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

void zip_memory(struct z_stream_s *stream)
{
    stream->zalloc = zlib_alloc;
    stream->zfree = zlib_free;
}

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

/* Bit 11 says that a name is UTF-8; without it others read code page 437. */
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
    unsigned char head[30] = {0}, wide[20] = {0};
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
        return error_set(GLT_ELIMIT, "an archive of more than %d members would not be read again",
                         ZIP_MEMBERS);
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
        zip_memory(&z->stream);
        if (deflateInit2(&z->stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            return error_set(GLT_ENOMEM, "out of memory for packing %s", name);
    }
    z->open = true;
    z->n++;
    return 0;
}

/* What deflate makes of the bytes given to it; with Z_FINISH all that is left. */
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
        size_t now = len < 1 << 30 ? len : 1 << 30;
        e->crc = (uint32_t)crc32(e->crc, from, (uInt)now);
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
    unsigned char head[46] = {0}, wide[28] = {0};
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
