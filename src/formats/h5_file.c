/* Bytes, blocks and the superblock: see h5_file.h. */
#include "formats/h5_file.h"

#include "core/error.h"
#include "core/file.h"

#include <inttypes.h>
#include <string.h>

/* --- bytes --- */

uint64_t h5_take(struct h5_cursor *c, int bytes)
{
    const unsigned char *p = h5_bytes(c, (size_t)bytes);
    uint64_t value = 0;
    for (int i = 0; p && i < bytes; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

void h5_skip(struct h5_cursor *c, size_t bytes)
{
    h5_bytes(c, bytes);
}

const unsigned char *h5_bytes(struct h5_cursor *c, size_t bytes)
{
    if (c->bad || bytes > (size_t)(c->end - c->at)) {
        c->bad = true;
        return NULL;
    }
    c->at += bytes;
    return c->at - bytes;
}

uint64_t h5_address(struct h5_cursor *c, const struct h5 *f)
{
    uint64_t value = h5_take(c, f->offset_size);
    uint64_t none = f->offset_size == 8 ? H5_NONE : ((uint64_t)1 << 8 * f->offset_size) - 1;
    return value == none ? H5_NONE : value;
}

uint64_t h5_length(struct h5_cursor *c, const struct h5 *f)
{
    return h5_take(c, f->length_size);
}

int h5_damaged(const struct h5 *f, uint64_t address, const char *what)
{
    return error_topic(error_at(GLT_EFORMAT, f->name, GLT_PLACE_BYTE,
                                address == H5_NONE ? 0 : address + f->base,
                                "the HDF5 file is damaged: %s", what),
                       GLT_TOPIC_SYNTAX, NULL);
}

int h5_block(const unsigned char **out, struct h5 *f, uint64_t address, uint64_t len)
{
    uint64_t from;
    if (address == H5_NONE || __builtin_add_overflow(address, f->base, &from) || from > f->size ||
        len > f->size - from)
        return h5_damaged(f, address, "a block lies outside of the file");
    if (len > f->metadata_left)
        return h5_damaged(f, address, "its blocks refer to each other in circles");
    f->metadata_left -= len;
    unsigned char *bytes = call_alloc(f->call, (size_t)len, 1);
    if (!bytes)
        return GLT_ENOMEM;
    return file_read_at(out, bytes, f->file, (int64_t)from, (size_t)len);
}

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

/* Bob Jenkins' lookup3 (hashlittle), which HDF5 uses for metadata. */
static uint32_t lookup3(const unsigned char *p, size_t len)
{
    uint32_t s[3], start = 0xdeadbeef + (uint32_t)len;
    for (int i = 0; i < 3; i++)
        s[i] = start;
    if (len == 0)
        return s[2];
    for (;;) {
        for (size_t i = 0; i < 12 && i < len; i++)
            s[i / 4] += (uint32_t)p[i] << 8 * (i % 4);
        if (len <= 12)
            break;
        static const int turns[6] = {4, 6, 8, 16, 19, 4};
        for (int i = 0; i < 6; i++) {
            uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
            *a -= *c;
            *a ^= rotate(*c, turns[i]);
            *c += *b;
        }
        p += 12;
        len -= 12;
    }
    static const int last[7] = {14, 11, 25, 16, 4, 14, 24};
    for (int i = 0; i < 7; i++) {
        uint32_t *x = &s[(i + 2) % 3], y = s[(i + 1) % 3];
        *x ^= y;
        *x -= rotate(y, last[i]);
    }
    return s[2];
}

/* A fuzzer cannot guess checksums: for it, any is accepted. */
static bool sum_differs(uint64_t stored, const unsigned char *bytes, size_t len)
{
    bool differs = lookup3(bytes, len) != stored;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    differs = false;
#endif
    return differs;
}

int h5_signed_block(struct h5_cursor *c, struct h5 *f, uint64_t address, uint64_t len,
                    const char *signature)
{
    const unsigned char *bytes;
    size_t mark = strlen(signature);
    if (len < mark + 4)
        return h5_damaged(f, address, "a block is too short");
    TRY(h5_block(&bytes, f, address, len));
    size_t n = (size_t)len - 4;
    struct h5_cursor sum = {bytes + n, bytes + len, false};
    const char *wrong = memcmp(bytes, signature, mark)            ? "a block has another signature"
                        : sum_differs(h5_take(&sum, 4), bytes, n) ? "a checksum does not match"
                                                                  : NULL;
    if (wrong)
        return h5_damaged(f, address, wrong);
    *c = (struct h5_cursor){bytes + mark, bytes + n, false};
    return 0;
}

/* --- superblock --- */

static bool good_size(int bytes)
{
    return bytes == 2 || bytes == 4 || bytes == 8;
}

static int read_superblock(struct h5 *f, uint64_t at)
{
    unsigned char bytes[128] = {0};
    size_t len = f->size - at < sizeof bytes ? (size_t)(f->size - at) : sizeof bytes;
    const unsigned char *there;
    TRY(file_read_at(&there, bytes, f->file, (int64_t)at, len));
    struct h5_cursor c = {there + 8, there + len, false};
    int version = (int)h5_take(&c, 1);
    if (version > 3)
        return error_topic(error_in(GLT_EUNSUPPORTED, f->name,
                                    "HDF5 superblock version %d: only 0 to 3 are read", version),
                           GLT_TOPIC_FORMAT, NULL);
    if (version < 2)
        h5_skip(&c, 4);
    f->offset_size = (int)h5_take(&c, 1);
    f->length_size = (int)h5_take(&c, 1);
    if (!good_size(f->offset_size) || !good_size(f->length_size))
        return h5_damaged(f, at, "sizes of addresses are not 2, 4 or 8");
    h5_skip(&c, version < 2 ? 9 : 1);
    if (version == 1)
        h5_skip(&c, 4);
    f->base = h5_address(&c, f);
    h5_address(&c, f); /* free space, or the superblock's extension */
    uint64_t end = h5_address(&c, f);
    if (version < 2) {
        h5_address(&c, f); /* driver */
        h5_address(&c, f); /* the root's name */
    }
    f->root = h5_address(&c, f);
    size_t before = (size_t)(c.at - there);
    uint64_t sum = version < 2 ? 0 : h5_take(&c, 4);
    if (version >= 2 && !c.bad && sum_differs(sum, there, before))
        return h5_damaged(f, at, "the superblock's checksum does not match");
    if (c.bad || f->base == H5_NONE || f->base > f->size || f->root == H5_NONE)
        return h5_damaged(f, at, "the superblock is not complete");
    if (end == H5_NONE || end > f->size) /* counted from the start of the file, whatever the base */
        return error_topic(error_in(GLT_EFORMAT, f->name,
                                    "truncated: it has %" PRIu64 " of %" PRIu64 " bytes", f->size,
                                    end == H5_NONE ? 0 : end),
                           GLT_TOPIC_TRUNCATED, NULL);
    return 0;
}

/* A dataset can have several names and is read for each of them: chunks are read up to this many
 * times the file. Without the limit, overlapping chunks could cost the square of its size. */
enum { NAMES = 8 };

/* The superblock is at 0, or after a user block at 512, 1024, 2048, .. */
int h5_open(struct h5 *out, struct file *file, struct call *call)
{
    struct h5 f = {
        .file = file, .call = call, .name = file_name(file), .size = (uint64_t)file_size(file)};
    f.metadata_left = 2 * f.size + (1 << 16);
    f.chunks_left = NAMES * f.size;
    for (uint64_t at = 0; at + 8 <= f.size; at = at ? 2 * at : 512) {
        unsigned char room[8];
        const unsigned char *there;
        TRY(file_read_at(&there, room, file, (int64_t)at, sizeof room));
        if (memcmp(there, "\x89HDF\r\n\x1a\n", 8))
            continue;
        TRY(read_superblock(&f, at));
        *out = f;
        return 0;
    }
    return error_topic(error_in(GLT_EFORMAT, f.name, "not an HDF5 file"), GLT_TOPIC_FORMAT, NULL);
}
