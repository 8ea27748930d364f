/* Numbers of a file's little-endian bytes, and the swap for arrays of the other byte order. */
#include "core/error.h"
#include "core/file.h"

#include <string.h>

bool file_host_is_big_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

int file_read_u8(struct file *f, uint8_t *out)
{
    return file_read(f, out, 1);
}

int file_read_u16le(struct file *f, uint16_t *out)
{
    uint8_t b[2];
    TRY(file_read(f, b, sizeof b));
    *out = (uint16_t)(b[0] | b[1] << 8);
    return 0;
}

int file_read_u32le(struct file *f, uint32_t *out)
{
    uint8_t b[4];
    TRY(file_read(f, b, sizeof b));
    *out = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return 0;
}

int file_read_u64le(struct file *f, uint64_t *out)
{
    uint8_t b[8];
    TRY(file_read(f, b, sizeof b));
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | b[i];
    *out = value;
    return 0;
}

int file_read_f32le(struct file *f, float *out)
{
    uint32_t bits;
    TRY(file_read_u32le(f, &bits));
    memcpy(out, &bits, sizeof bits);
    return 0;
}

int file_read_f64le(struct file *f, double *out)
{
    uint64_t bits;
    TRY(file_read_u64le(f, &bits));
    memcpy(out, &bits, sizeof bits);
    return 0;
}

void file_swap(void *items, size_t n, size_t width)
{
    ASSERT(width == 1 || width == 2 || width == 4 || width == 8);
    unsigned char *at = items;
    for (size_t i = 0; i < n && width > 1; i++, at += width) {
        if (width == 2) {
            uint16_t v;
            memcpy(&v, at, 2);
            v = __builtin_bswap16(v);
            memcpy(at, &v, 2);
        } else if (width == 4) {
            uint32_t v;
            memcpy(&v, at, 4);
            v = __builtin_bswap32(v);
            memcpy(at, &v, 4);
        } else {
            uint64_t v;
            memcpy(&v, at, 8);
            v = __builtin_bswap64(v);
            memcpy(at, &v, 8);
        }
    }
}
