/* Rows: see rows.h. A block of records that fits the first-level cache is split column by column,
 * so each loop has one constant width and one stride.
 *
 * On one thread: sharing the blocks out was tried, and lost on a busy machine, where every meeting
 * of the threads waits for the slowest. */
#include "io/rows.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"

#include <string.h>

enum { BLOCK_BYTES = 1 << 14 };

/* Items of `size` bytes from one stride to another. The constant sizes let the compiler turn each
 * memcpy into one load and one store. */
static void copy_items(unsigned char *restrict dst, size_t dst_stride,
                       const unsigned char *restrict src, size_t src_stride, size_t size, int64_t n)
{
    switch (size) {
    case 1:
        for (int64_t i = 0; i < n; i++, dst += dst_stride, src += src_stride)
            *dst = *src;
        break;
    case 2:
        for (int64_t i = 0; i < n; i++, dst += dst_stride, src += src_stride)
            memcpy(dst, src, 2);
        break;
    case 4:
        for (int64_t i = 0; i < n; i++, dst += dst_stride, src += src_stride)
            memcpy(dst, src, 4);
        break;
    case 8:
        for (int64_t i = 0; i < n; i++, dst += dst_stride, src += src_stride)
            memcpy(dst, src, 8);
        break;
    default:
        for (int64_t i = 0; i < n; i++, dst += dst_stride, src += src_stride)
            memcpy(dst, src, size);
    }
}

static int64_t block_rows(size_t row_size)
{
    return row_size < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / row_size) : 1;
}

void rows_split(const struct field *fields, int32_t n_fields, const unsigned char *rows,
                size_t row_size, int64_t first, int64_t n)
{
    int64_t block = block_rows(row_size);
    for (int64_t i = 0; i < n; i += block) {
        int64_t now = n - i < block ? n - i : block;
        for (int32_t k = 0; k < n_fields; k++)
            copy_items(fields[k].data + (size_t)(first + i) * fields[k].size, fields[k].size,
                       rows + (size_t)i * row_size + fields[k].offset, row_size, fields[k].size,
                       now);
    }
}

void rows_join(unsigned char *rows, const struct field *fields, int32_t n_fields, size_t row_size,
               int64_t first, int64_t n)
{
    for (int32_t k = 0; k < n_fields; k++)
        copy_items(rows + fields[k].offset, row_size,
                   fields[k].data + (size_t)first * fields[k].size, fields[k].size, fields[k].size,
                   n);
}

int rows_read(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
              int64_t n)
{
    for (int64_t i = 0; i < n;) {
        const unsigned char *bytes;
        size_t have;
        TRY(file_peek(f, &bytes, &have, row_size));
        int64_t now = (int64_t)(have / row_size);
        now = now > n - i ? n - i : now;
        if (now == 0)
            return file_skip(f, (int64_t)row_size); /* tells what is missing */
        rows_split(fields, n_fields, bytes, row_size, i, now);
        TRY(file_skip(f, now * (int64_t)row_size));
        i += now;
    }
    return 0;
}

int rows_write(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
               int64_t n)
{
    int64_t block = block_rows(row_size);
    unsigned char *rows = memory_alloc((size_t)block, row_size);
    if (!rows)
        return GLT_ENOMEM;
    int code = 0;
    for (int64_t i = 0; i < n && code == 0; i += block) {
        int64_t now = n - i < block ? n - i : block;
        rows_join(rows, fields, n_fields, row_size, i, now);
        code = file_write(f, rows, (size_t)now * row_size);
    }
    memory_free(rows);
    return code;
}
