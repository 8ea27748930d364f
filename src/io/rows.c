/* Rows: see rows.h. A block of records that fits the first-level cache is split column by column,
 * so each loop has one constant width and one stride; the blocks of a window go to all threads,
 * which also spreads the first touch of fresh memory. */
#include "io/rows.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/parallel.h"

#include <string.h>

/* Windows are long, so that threads meet seldom: on a busy machine each meeting waits for the
 * slowest. */
enum { BLOCK_BYTES = 1 << 14, WINDOW_BYTES = 1 << 22 };

/* Items of `size` bytes from one stride to another. The constant sizes let the compiler turn each
 * memcpy into one load and one store. */
static void copy_items(unsigned char *dst, size_t dst_stride, const unsigned char *src,
                       size_t src_stride, size_t size, int64_t n)
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

struct window {
    const struct field *fields;
    int32_t n_fields;
    const unsigned char *rows;
    size_t row_size;
    int64_t first;
};

static void split_part(void *user, int64_t begin, int64_t end)
{
    const struct window *w = user;
    rows_split(w->fields, w->n_fields, w->rows + (size_t)begin * w->row_size, w->row_size,
               w->first + begin, end - begin);
}

int rows_read(struct file *f, const struct field *fields, int32_t n_fields, size_t row_size,
              int64_t n)
{
    for (int64_t i = 0; i < n;) {
        struct window w = {fields, n_fields, NULL, row_size, i};
        size_t have, want = row_size > WINDOW_BYTES ? row_size : WINDOW_BYTES;
        TRY(file_peek(f, &w.rows, &have, want));
        int64_t now = (int64_t)(have / row_size);
        now = now > n - i ? n - i : now;
        if (now == 0)
            return file_skip(f, (int64_t)row_size); /* tells what is missing */
        parallel_for(now, 4 * block_rows(row_size), split_part, &w);
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
