/* Columns: see column.h. */
#include "cloud/column.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256 }; /* values converted at a time */

int column_append(struct column **out, struct column **columns, int32_t *n, const char *name,
                  enum glt_type type)
{
    TRY(array_reserve(columns, *n, 1, sizeof **columns));
    struct column *x = &(*columns)[*n];
    *x = (struct column){.type = type, .width = 1, .scale = 1, .counter = GLT_U8};
    x->name = memory_string(name);
    if (!x->name)
        return GLT_ENOMEM;
    ++*n;
    *out = x;
    return 0;
}

static int64_t row_of(const int64_t *rows, int64_t i)
{
    return rows ? rows[i] : i;
}

/* Items of the chosen rows of a list. */
static int select_list(struct column *y, const struct column *x, const int64_t *rows, int64_t n)
{
    size_t size = type_size(x->type);
    y->start = memory_alloc((size_t)n + 1, sizeof *y->start);
    if (!y->start)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        const int64_t *from = x->start + row_of(rows, i);
        y->start[i + 1] = y->start[i] + from[1] - from[0];
    }
    y->data = memory_alloc((size_t)y->start[n], size);
    if (!y->data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        memcpy((unsigned char *)y->data + (size_t)y->start[i] * size,
               (const unsigned char *)x->data + (size_t)x->start[row_of(rows, i)] * size,
               (size_t)(y->start[i + 1] - y->start[i]) * size);
    return 0;
}

static int select_items(struct column *y, const struct column *x, const int64_t *rows, int64_t n)
{
    size_t size = type_size(x->type) * (size_t)x->width, step = x->stride ? x->stride : size;
    y->data = memory_alloc((size_t)n, size);
    if (!y->data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        memcpy((unsigned char *)y->data + (size_t)i * size,
               (const unsigned char *)x->data + (size_t)row_of(rows, i) * step, size);
    return 0;
}

/* A column like x without its values. */
static int append_like(struct column **out, struct column **columns, int32_t *n_columns,
                       const struct column *x)
{
    TRY(column_append(out, columns, n_columns, x->name, x->type));
    struct column *y = *out;
    y->width = x->width;
    y->scale = x->scale;
    y->offset = x->offset;
    y->counter = x->counter;
    return x->source && !(y->source = memory_string(x->source)) ? GLT_ENOMEM : 0;
}

int column_append_rows(struct column **columns, int32_t *n_columns, const struct column *x,
                       const int64_t *rows, int64_t n)
{
    struct column *y;
    TRY(append_like(&y, columns, n_columns, x));
    return x->start ? select_list(y, x, rows, n) : select_items(y, x, rows, n);
}

int column_append_shared(struct column **columns, int32_t *n_columns, const struct column *x)
{
    struct column *y;
    TRY(append_like(&y, columns, n_columns, x));
    y->start = memory_share(x->start);
    y->data = x->borrowed ? x->data : memory_share(x->data);
    y->stride = x->stride;
    y->borrowed = x->borrowed;
    return 0;
}

int column_own(struct column *x, int64_t n)
{
    struct column own;
    if (!x->borrowed && !memory_is_shared(x->data))
        return 0;
    TRY(select_items(&own, x, NULL, n));
    column_replace(x, own.data);
    return 0;
}

int column_rename(struct column *x, const char *name)
{
    char *copy = memory_string(name);
    if (!copy)
        return GLT_ENOMEM;
    memory_free(x->name);
    x->name = copy;
    return 0;
}

void column_clear(struct column *x)
{
    memory_free(x->name);
    memory_free(x->source);
    memory_free(x->start);
    column_replace(x, NULL);
    memset(x, 0, sizeof *x);
}

void column_replace(struct column *x, void *data)
{
    if (!x->borrowed)
        memory_free(x->data);
    x->data = data;
    x->borrowed = false;
    x->stride = 0;
}

void column_take_out(struct column *columns, int32_t *n, int32_t i)
{
    memmove(columns + i, columns + i + 1, (size_t)(--*n - i) * sizeof *columns);
}

void column_swap(struct column *x, int64_t n)
{
    file_swap(x->data, (size_t)column_items(x, n), type_size(x->type));
}

/* Items begin .. begin + n - 1 as doubles. 64-bit integers lose bits beyond 2^53 here, so
 * column_convert does not use it from integers to integers. The type is tested once instead of for
 * each item, of which clouds have many. */
static void load(double *v, const struct column *x, int64_t begin, int64_t n)
{
    const unsigned char *item = column_item(x, begin);
    size_t step = x->stride ? x->stride : type_size(x->type);
#define LOAD(name, type)                                                                           \
    case name:                                                                                     \
        for (int64_t i = 0; i < n; i++)                                                            \
            v[i] = (double)*(const type *)(item + (size_t)i * step);                               \
        break
    switch (x->type) {
        LOAD(GLT_I8, int8_t);
        LOAD(GLT_U8, uint8_t);
        LOAD(GLT_I16, int16_t);
        LOAD(GLT_U16, uint16_t);
        LOAD(GLT_I32, int32_t);
        LOAD(GLT_U32, uint32_t);
        LOAD(GLT_I64, int64_t);
        LOAD(GLT_U64, uint64_t);
        LOAD(GLT_F32, float);
        LOAD(GLT_F64, double);
    }
#undef LOAD
    /* Unscaled values must not go through the arithmetic: -0 + 0 is +0. */
    for (int64_t i = 0; column_is_scaled(x) && i < n; i++)
        v[i] = v[i] * x->scale + x->offset;
}

double column_value(const struct column *x, int64_t i)
{
    double v = 0;
    load(&v, x, i, 1);
    return v;
}

static double clamp_round(double v, double min, double max)
{
    if (!(v == v))
        return 0;
    v = nearbyint(v);
    return v < min ? min : v > max ? max : v;
}

/* Values as items of `type`, `stride` bytes apart. */
static void store(unsigned char *dst, enum glt_type type, size_t stride, const double *v, int64_t n)
{
    if (type == GLT_F64) {
        for (int64_t i = 0; i < n; i++)
            memcpy(dst + (size_t)i * stride, v + i, sizeof *v);
    } else if (type == GLT_F32) {
        for (int64_t i = 0; i < n; i++)
            memcpy(dst + (size_t)i * stride, &(float){(float)v[i]}, sizeof(float));
    } else {
        for (int64_t i = 0; i < n; i++) {
            double whole = clamp_round(v[i], type_min(type), type_max(type));
            type_store(dst + (size_t)i * stride, type,
                       type == GLT_U64 ? (int64_t)(uint64_t)whole : (int64_t)whole);
        }
    }
}

/* Item i of an integer column. Values beyond 2^63 saturate: only their own type holds them. */
static int64_t whole_item(const struct column *x, int64_t i)
{
    const void *item = column_item(x, i);
    if (x->type == GLT_I64)
        return *(const int64_t *)item;
    if (x->type == GLT_U64) {
        uint64_t v = *(const uint64_t *)item;
        return v < INT64_MAX ? (int64_t)v : INT64_MAX;
    }
    struct column plain = *x;
    plain.scale = 1;
    plain.offset = 0;
    return (int64_t)column_value(&plain, i);
}

static void store_whole(void *dst, enum glt_type type, int64_t v)
{
    int64_t min = (int64_t)type_min(type), max = type < GLT_I64 ? (int64_t)type_max(type) : v;
    type_store(dst, type, v < min ? min : v > max ? max : v);
}

void column_convert(void *dst, enum glt_type type, size_t stride, const struct column *x,
                    int64_t begin, int64_t n)
{
    size_t size = type_size(type);
    unsigned char *to = dst;
    if (stride == 0)
        stride = size;
    if (x->type == type && !column_is_scaled(x)) {
        if (stride == size && !x->stride && n > 0)
            memcpy(to, column_item(x, begin), (size_t)n * size);
        else
            for (int64_t i = 0; i < n; i++)
                memcpy(to + (size_t)i * stride, column_item(x, begin + i), size);
        return;
    }
    bool whole = !column_is_scaled(x) && !type_is_real(x->type) && !type_is_real(type);
    for (int64_t i = 0; whole && i < n; i++)
        store_whole(to + (size_t)i * stride, type, whole_item(x, begin + i));
    double block[BLOCK];
    for (int64_t i = 0; !whole && i < n; i += BLOCK) {
        int64_t count = n - i < BLOCK ? n - i : BLOCK;
        load(block, x, begin + i, count);
        store(to + (size_t)i * stride, type, stride, block, count);
    }
}

bool column_fits_double(const struct column *x, int64_t n)
{
    if (x->type != GLT_I64 && x->type != GLT_U64)
        return true;
    for (int64_t i = 0; i < column_items(x, n); i++) {
        uint64_t v = *(const uint64_t *)column_item(x, i);
        if (x->type == GLT_I64 && (int64_t)v < 0)
            v = 0 - v;
        if (v > (uint64_t)1 << 53)
            return false;
    }
    return true;
}

/* Whether n doubles are whole numbers, and their range, which includes 0. */
static bool are_whole(const struct column *x, int64_t n, double *min, double *max)
{
    const double *v = x->data;
    *min = *max = 0;
    for (int64_t i = 0; i < n; i++) {
        if (v[i] != floor(v[i]) || !isfinite(v[i]) || (v[i] == 0 && signbit(v[i])))
            return false;
        *min = v[i] < *min ? v[i] : *min;
        *max = v[i] > *max ? v[i] : *max;
    }
    return true;
}

enum glt_type column_large_type(const struct column *x, int64_t n)
{
    double min, max;
    if (!are_whole(x, n, &min, &max) || (max < 0x1p53 && min > -0x1p53))
        return GLT_F64;
    if (min >= 0 && max >= 0x1p63)
        return max <= 0x1p64 ? GLT_U64 : GLT_F64;
    return min >= -0x1p63 && max <= 0x1p63 ? GLT_I64 : GLT_F64;
}

int column_shrink(struct column *x, int64_t n)
{
    double min, max;
    if (x->type != GLT_F64 || !are_whole(x, n, &min, &max) || min < -0x1p63 || max >= 0x1p63)
        return 0;
    enum glt_type type = min >= 0 && max <= UINT8_MAX           ? GLT_U8
                         : min >= 0 && max <= UINT16_MAX        ? GLT_U16
                         : min >= INT32_MIN && max <= INT32_MAX ? GLT_I32
                                                                : GLT_I64;
    void *data = memory_alloc((size_t)n, type_size(type));
    if (!data)
        return GLT_ENOMEM;
    column_convert(data, type, 0, x, 0, n);
    column_replace(x, data);
    x->type = type;
    return 0;
}
