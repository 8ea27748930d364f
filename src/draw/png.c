/* PNG writer: one IDAT (of a film's later frames: one fdAT) of rows, each with the filter (none,
 * sub, up, Paeth) whose sum of absolute residuals is least, as the standard's section 12.8
 * suggests. */
#include "draw/png.h"

#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/string.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_u32(unsigned char *dst, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        dst[i] = (unsigned char)(x >> (24 - 8 * i));
}

static void add_chunk(struct string *out, const char *type, const unsigned char *bytes, size_t len)
{
    unsigned char head[8], tail[4];
    put_u32(head, (uint32_t)len);
    memcpy(head + 4, type, 4);
    uint32_t crc = (uint32_t)crc32(0, head + 4, 4);
    if (len > 0)
        crc = (uint32_t)crc32(crc, bytes, (uInt)len);
    put_u32(tail, crc);
    string_add_bytes(out, (const char *)head, sizeof head);
    if (len > 0)
        string_add_bytes(out, (const char *)bytes, len);
    string_add_bytes(out, (const char *)tail, sizeof tail);
}

static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void filter_row(unsigned char *dst, const uint8_t *row, const uint8_t *above, int len,
                       int filter)
{
    dst[0] = (unsigned char)filter;
    for (int i = 0; i < len; i++) {
        int a = i >= 3 ? row[i - 3] : 0, b = above ? above[i] : 0;
        int c = i >= 3 && above ? above[i - 3] : 0;
        int guess = filter == 0 ? 0 : filter == 1 ? a : filter == 2 ? b : paeth(a, b, c);
        dst[1 + i] = (unsigned char)(row[i] - guess);
    }
}

static int64_t residual(const unsigned char *row, int len)
{
    int64_t sum = 0;
    for (int i = 1; i <= len; i++)
        sum += abs((signed char)row[i]);
    return sum;
}

static void filter_image(unsigned char *dst, unsigned char *trial, const uint8_t *rgb, int width,
                         int height)
{
    static const int filters[] = {0, 1, 2, 4};
    int len = 3 * width;
    for (int y = 0; y < height; y++) {
        const uint8_t *row = rgb + (size_t)y * (size_t)len;
        unsigned char *out = dst + (size_t)y * (size_t)(len + 1);
        int64_t best = INT64_MAX;
        for (int i = 0; i < 4; i++) {
            filter_row(trial, row, y ? row - len : NULL, len, filters[i]);
            int64_t cost = residual(trial, len);
            if (cost < best) {
                best = cost;
                memcpy(out, trial, (size_t)len + 1);
            }
        }
    }
}

static void add_header(struct string *out, int width, int height)
{
    static const unsigned char signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    unsigned char header[13] = {0};
    put_u32(header, (uint32_t)width);
    put_u32(header + 4, (uint32_t)height);
    header[8] = 8; /* bits */
    header[9] = 2; /* RGB */
    string_add_bytes(out, (const char *)signature, sizeof signature);
    add_chunk(out, "IHDR", header, sizeof header);
}

/* The filtered and compressed rows, behind 4 bytes for the number of a frame's chunk. */
static int pack(unsigned char **out, size_t *packed_len, struct call *call, const uint8_t *rgb,
                int width, int height)
{
    size_t len = (size_t)width * 3 + 1, total = len * (size_t)height;
    uLongf bound = compressBound((uLong)total);
    unsigned char *rows = call_alloc(call, total, 1), *trial = call_alloc(call, len, 1);
    unsigned char *packed = call_alloc(call, 4 + bound, 1);
    if (!rows || !trial || !packed)
        return GLT_ENOMEM;
    filter_image(rows, trial, rgb, width, height);
    if (compress2(packed + 4, &bound, rows, (uLong)total, 6) != Z_OK)
        return error_topic(error_set(GLT_ENOMEM, "out of memory for packing an image"),
                           GLT_TOPIC_MEMORY, NULL);
    *out = packed;
    *packed_len = bound;
    return 0;
}

static int check_size(int width, int height)
{
    if (width >= 1 && height >= 1 && (int64_t)width * height <= 400000000)
        return 0;
    return error_topic(error_set(GLT_EARGUMENT,
                                 "image of %d x %d pixels; expected 1 x 1 to 400 million", width,
                                 height),
                       GLT_TOPIC_OPTION, "width");
}

int png_encode(struct string *out, const uint8_t *rgb, int width, int height)
{
    struct call call = {0};
    unsigned char *packed = NULL;
    size_t len = 0;
    int code = check_size(width, height);
    if (code == 0)
        code = pack(&packed, &len, &call, rgb, width, height);
    if (code == 0) {
        add_header(out, width, height);
        add_chunk(out, "IDAT", packed + 4, len);
        add_chunk(out, "IEND", NULL, 0);
        code = out->code;
    }
    call_free(&call);
    return code;
}

/* --- films --- */

static void add_frame_control(struct string *out, struct png_film *f)
{
    unsigned char control[26] = {0};
    bool last = f->frame == f->frames - 1;
    put_u32(control, f->sequence++);
    put_u32(control + 4, (uint32_t)f->width);
    put_u32(control + 8, (uint32_t)f->height);
    control[21] = last ? 2 : 1; /* seconds: numerator, denominator */
    control[23] = (unsigned char)(last ? 1 : f->fps);
    add_chunk(out, "fcTL", control, sizeof control);
}

static void add_frame(struct string *out, struct png_film *f, unsigned char *packed, size_t len)
{
    unsigned char count[8] = {0}; /* of frames, of turns: 0 is for ever */
    if (f->frame == 0) {
        put_u32(count, (uint32_t)f->frames);
        add_header(out, f->width, f->height);
        add_chunk(out, "acTL", count, sizeof count);
    }
    add_frame_control(out, f);
    if (f->frame == 0) {
        add_chunk(out, "IDAT", packed + 4, len);
    } else {
        put_u32(packed, f->sequence++);
        add_chunk(out, "fdAT", packed, len + 4);
    }
    if (++f->frame == f->frames)
        add_chunk(out, "IEND", NULL, 0);
}

int png_film_add(struct png_film *f, const uint8_t *rgb)
{
    struct call call = {0};
    struct string bytes = {0};
    unsigned char *packed = NULL;
    size_t len = 0;
    ASSERT(f->frame < f->frames && f->fps >= 1 && f->fps <= 255);
    int code = check_size(f->width, f->height);
    if (code == 0)
        code = pack(&packed, &len, &call, rgb, f->width, f->height);
    if (code == 0) {
        add_frame(&bytes, f, packed, len);
        code = bytes.code;
    }
    if (code == 0)
        code = file_write(f->file, bytes.bytes, (size_t)bytes.len);
    string_free(&bytes);
    call_free(&call);
    return code;
}

int png_write(const char *path, const uint8_t *rgb, int width, int height)
{
    struct string bytes = {0};
    int code = png_encode(&bytes, rgb, width, height);
    if (code == 0)
        code = file_put(path, bytes.bytes, (size_t)bytes.len);
    else
        error_prefix_file(code, path);
    string_free(&bytes);
    return code;
}
