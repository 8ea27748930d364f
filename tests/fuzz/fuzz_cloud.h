/* What every reader must do with any bytes: give a cloud whose columns are whole, or an error with
 * a message; and give all its memory back. */
#ifndef TESTS_FUZZ_CLOUD_H
#define TESTS_FUZZ_CLOUD_H

#include "cloud/cloud.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/format.h"
#include "fuzz.h"

#include <string.h>

static inline void fuzz_use(const struct glt_cloud *c)
{
    struct bounds b;
    PROPERTY(c->n >= 0);
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        PROPERTY(x->name && x->data && (x->start || x->width > 0));
        int64_t items = x->start ? x->start[c->n] : c->n * x->width;
        if (items > 0) /* the last byte belongs to us */
            PROPERTY(column_value(x, items - 1) == column_value(x, items - 1) || 1);
    }
    PROPERTY(cloud_bounds(&b, c) == 0);
    PROPERTY(b.finite <= c->n);
}

/* Bytes of the columns. */
static inline int64_t fuzz_bytes_of(const struct glt_cloud *c)
{
    int64_t bytes = 0;
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        int64_t items = x->start ? x->start[c->n] : c->n * x->width;
        bytes += items * (int64_t)type_size(x->type) + (x->start ? 8 * c->n : 0);
    }
    return bytes;
}

/* How far a packed file may unfold (SECURITY.md). */
static inline int64_t fuzz_unpacked(const char *format, size_t size)
{
    static const struct {
        const char *format;
        int64_t times;
    } packed[] = {{"npz", 64}, {"h5", 64}, {"laz", 1000}, {"e57", 1000}};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (format && !strcmp(format, packed[i].format))
            return packed[i].times * (int64_t)size + (4 << 20);
    return (int64_t)size;
}

static inline int fuzz_read(const uint8_t *data, size_t size, const struct format_options *o)
{
    struct glt_cloud *c = NULL;
    struct file *f;
    int64_t before = memory_stats().bytes;
    if (file_open_memory(&f, "input", data, size) < 0)
        return 0;
    const struct format *found;
    (void)format_find(&found, f); /* what the first bytes are taken for, whatever they are */
    int code = format_read_file(&c, f, o);
    file_close(f);
    fuzz_decoded = fuzz_unpacked(o->format, size);
    if (code == 0) {
        fuzz_decoded = fuzz_bytes_of(c) > (int64_t)size ? fuzz_bytes_of(c) : (int64_t)size;
        fuzz_use(c);
        cloud_free(c);
    } else {
        PROPERTY(code < 0 && glt_error_message()[0] != 0);
    }
    PROPERTY(memory_stats().bytes == before);
    return 0;
}

static inline int fuzz_cloud(const uint8_t *data, size_t size, const char *format)
{
    struct format_options o = {.format = format, .vertices = size % 2 == 0};
    o.sample = format_by_name(format)->mesh && !o.vertices ? 16 : 0;
    return fuzz_read(data, size, &o);
}

#endif
