/* Rows: see rows.h. A block of records that fits the first-level cache is split column by column,
 * so each loop has one constant width and one stride. Each thread takes a share of the records,
 * reads its part of the file and splits it while it is in the cache; they synchronise once, at the
 * end. */
#include "formats/rows.h"

#include "cloud/column.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 14, /* split at once */
    PART_BYTES = 1 << 16,  /* read at once */
    SHARE_BYTES = 1 << 20  /* of one thread */
};

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

/* Items of 1, 2 or 4 bytes, `count` of them put together before they are stored: one store for each
 * would limit the loop. With constant size and count it all happens in registers. */
static inline __attribute__((always_inline)) void gather_packed(unsigned char *restrict dst,
                                                                const unsigned char *restrict src,
                                                                size_t stride, size_t size,
                                                                int64_t count, int64_t n)
{
    unsigned char pack[16];
    int64_t i = 0;
    for (; i + count <= n; i += count) {
        for (int64_t k = 0; k < count; k++)
            memcpy(pack + (size_t)k * size, src + (size_t)k * stride, size);
        memcpy(dst, pack, (size_t)count * size);
        dst += (size_t)count * size;
        src += (size_t)count * stride;
    }
    copy_items(dst, size, src, stride, size, n - i);
}

static void gather_items(unsigned char *dst, const unsigned char *src, size_t stride, size_t size,
                         int64_t n)
{
    if (size == 1)
        gather_packed(dst, src, stride, 1, 8, n);
    else if (size == 2)
        gather_packed(dst, src, stride, 2, 4, n);
    else if (size == 4)
        gather_packed(dst, src, stride, 4, 4, n);
    else
        copy_items(dst, size, src, stride, size, n);
}

static int64_t block_rows(size_t row_size)
{
    return row_size < BLOCK_BYTES ? (int64_t)(BLOCK_BYTES / row_size) : 1;
}

/* Fields that are bits of one byte: the byte is fetched once for all that are adjacent in the list;
 * shifting a dense array is cheap. Returns the number of fields done. */
static int32_t split_bits(const struct field *fields, int32_t n_fields, const unsigned char *rows,
                          size_t row_size, int64_t first, int64_t n)
{
    unsigned char bytes[BLOCK_BYTES];
    int32_t k = 0;
    gather_items(bytes, rows + fields->offset, row_size, 1, n);
    for (; k < n_fields && fields[k].mask && fields[k].offset == fields->offset; k++) {
        unsigned char *restrict dst = fields[k].data + first;
        unsigned shift = fields[k].shift, mask = fields[k].mask;
        for (int64_t i = 0; i < n; i++)
            dst[i] = (unsigned char)(bytes[i] >> shift & mask);
    }
    return k;
}

void rows_split(const struct field *fields, int32_t n_fields, const unsigned char *rows,
                size_t row_size, int64_t first, int64_t n)
{
    int64_t block = block_rows(row_size);
    for (int64_t i = 0; i < n; i += block) {
        int64_t now = n - i < block ? n - i : block;
        const unsigned char *from = rows + (size_t)i * row_size;
        for (int32_t k = 0; k < n_fields;) {
            const struct field *x = &fields[k];
            if (x->mask) {
                k += split_bits(x, n_fields - k, from, row_size, first + i, now);
                continue;
            }
            gather_items(x->data + (size_t)(first + i) * x->size, from + x->offset, row_size,
                         x->size, now);
            k++;
        }
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

struct field *rows_fields(struct call *call, size_t *row_size, const struct column *columns,
                          int32_t n)
{
    struct field *fields = call_alloc(call, (size_t)n, sizeof *fields);
    *row_size = 0;
    for (int32_t i = 0; fields && i < n; i++) {
        size_t size = type_size(columns[i].type) * (size_t)columns[i].width;
        fields[i] = (struct field){columns[i].data, *row_size, size, 0, 0};
        *row_size += size;
    }
    return fields;
}

struct job {
    const struct file *f;
    const struct field *fields;
    int32_t n_fields;
    size_t row_size;
    int64_t offset; /* of the first record */
    _Atomic bool failed;
};

static int read_share(const struct job *j, int64_t begin, int64_t end)
{
    unsigned char space[PART_BYTES];
    int64_t part = (int64_t)(PART_BYTES / j->row_size), row_size = (int64_t)j->row_size;
    for (int64_t i = begin; i < end; i += part) {
        int64_t now = end - i < part ? end - i : part;
        const unsigned char *rows;
        TRY(file_read_at(&rows, space, j->f, j->offset + i * row_size, (size_t)(now * row_size)));
        rows_split(j->fields, j->n_fields, rows, j->row_size, i, now);
    }
    return 0;
}

static void share(void *user, int64_t begin, int64_t end)
{
    struct job *j = user;
    if (read_share(j, begin, end) < 0)
        atomic_store(&j->failed, true);
}

/* For records longer than a part: one after the other, through the file's own window. */
static int read_long(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
                     int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *row;
        size_t have;
        TRY(file_peek(f, &row, &have, row_size));
        rows_split(fields, n_fields, row, row_size, i, 1);
        TRY(file_skip(f, (int64_t)row_size));
    }
    return 0;
}

int rows_read(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
              int64_t n)
{
    int64_t bytes;
    if (__builtin_mul_overflow((int64_t)row_size, n, &bytes) || bytes > file_left(f))
        return file_skip(f, INT64_MAX); /* reports the missing bytes */
    if (row_size > PART_BYTES)
        return read_long(f, fields, n_fields, row_size, n);
    struct job j = {f, fields, n_fields, row_size, file_offset(f), false};
    parallel_for(n, (int64_t)(SHARE_BYTES / row_size), share, &j);
    if (j.failed) /* repeat in order, so that the message names the first bad place */
        TRY(read_share(&j, 0, n));
    return file_skip(f, bytes);
}

int rows_write(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
               int64_t n)
{
    if (n == 0)
        return 0;
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
