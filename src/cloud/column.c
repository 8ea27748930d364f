/* Columns: conversion between types, and what is derived from them (bounds, local coordinates,
 * colours). Integers saturate, reals round to nearest even, NaN becomes 0 in an integer. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/memory.h"
#include "formats/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One loader per type: value of item i as double. 64-bit integers lose bits beyond 2^53 here, so
 * column_convert brings integers to integers without it. */
double column_value(const struct column *x, int64_t i)
{
    double v = 0;
    switch (x->type) {
    case GLT_I8:
        v = ((const int8_t *)x->data)[i];
        break;
    case GLT_U8:
        v = ((const uint8_t *)x->data)[i];
        break;
    case GLT_I16:
        v = ((const int16_t *)x->data)[i];
        break;
    case GLT_U16:
        v = ((const uint16_t *)x->data)[i];
        break;
    case GLT_I32:
        v = ((const int32_t *)x->data)[i];
        break;
    case GLT_U32:
        v = ((const uint32_t *)x->data)[i];
        break;
    case GLT_I64:
        v = (double)((const int64_t *)x->data)[i];
        break;
    case GLT_U64:
        v = (double)((const uint64_t *)x->data)[i];
        break;
    case GLT_F32:
        v = ((const float *)x->data)[i];
        break;
    case GLT_F64:
        v = ((const double *)x->data)[i];
        break;
    }
    /* A plain column must not pass through the arithmetic: -0 + 0 is +0. */
    return x->scale == 1 && x->offset == 0 ? v : v * x->scale + x->offset;
}

static double clamp_round(double v, double min, double max)
{
    if (!(v == v))
        return 0;
    v = nearbyint(v);
    return v < min ? min : v > max ? max : v;
}

/* value into one item of `type`. 2^63 and 2^64 are not themselves representable, so the limits of
 * the 64-bit types are the largest doubles below them. */
static void store(void *dst, enum glt_type type, double v)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
    } to = {0};
    switch (type) {
    case GLT_I8:
        to.i8 = (int8_t)clamp_round(v, INT8_MIN, INT8_MAX);
        break;
    case GLT_U8:
        to.u8 = (uint8_t)clamp_round(v, 0, UINT8_MAX);
        break;
    case GLT_I16:
        to.i16 = (int16_t)clamp_round(v, INT16_MIN, INT16_MAX);
        break;
    case GLT_U16:
        to.u16 = (uint16_t)clamp_round(v, 0, UINT16_MAX);
        break;
    case GLT_I32:
        to.i32 = (int32_t)clamp_round(v, INT32_MIN, INT32_MAX);
        break;
    case GLT_U32:
        to.u32 = (uint32_t)clamp_round(v, 0, UINT32_MAX);
        break;
    case GLT_I64:
        to.i64 = (int64_t)clamp_round(v, -0x1p63, 0x1p63 - 1024);
        break;
    case GLT_U64:
        to.u64 = (uint64_t)clamp_round(v, 0, 0x1p64 - 2048);
        break;
    case GLT_F32:
        to.f32 = (float)v;
        break;
    case GLT_F64:
        memcpy(dst, &v, sizeof v);
        return;
    }
    memcpy(dst, &to, type_size(type));
}

static bool is_whole(enum glt_type type)
{
    return type != GLT_F32 && type != GLT_F64;
}

/* Item i of integers. What is beyond 2^63 saturates: only its own type could hold it. */
static int64_t whole_item(const struct column *x, int64_t i)
{
    if (x->type == GLT_I64)
        return ((const int64_t *)x->data)[i];
    if (x->type == GLT_U64) {
        uint64_t v = ((const uint64_t *)x->data)[i];
        return v < INT64_MAX ? (int64_t)v : INT64_MAX;
    }
    struct column plain = {.type = x->type, .scale = 1, .data = x->data};
    return (int64_t)column_value(&plain, i);
}

static void store_whole(void *dst, enum glt_type type, int64_t v)
{
    static const int64_t min[] = {INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0, INT64_MIN, 0};
    static const int64_t max[] = {INT8_MAX,  UINT8_MAX,  INT16_MAX, UINT16_MAX,
                                  INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MAX};
    v = v < min[type] ? min[type] : v > max[type] ? max[type] : v;
    switch (type_size(type)) {
    case 1:
        memcpy(dst, &(int8_t){(int8_t)v}, 1);
        break;
    case 2:
        memcpy(dst, &(int16_t){(int16_t)v}, 2);
        break;
    case 4:
        memcpy(dst, &(int32_t){(int32_t)v}, 4);
        break;
    default:
        memcpy(dst, &v, 8);
    }
}

static bool is_plain(const struct column *x)
{
    return x->scale == 1 && x->offset == 0;
}

void column_convert(void *dst, enum glt_type type, size_t stride, const struct column *x,
                    int64_t begin, int64_t n)
{
    size_t size = type_size(type);
    unsigned char *to = dst;
    const unsigned char *from = (const unsigned char *)x->data + (size_t)begin * type_size(x->type);
    if (stride == 0)
        stride = size;
    if (x->type == type && is_plain(x)) {
        if (stride == size && n > 0)
            memcpy(to, from, (size_t)n * size);
        else
            for (int64_t i = 0; i < n; i++)
                memcpy(to + (size_t)i * stride, from + (size_t)i * size, size);
        return;
    }
    bool whole = is_plain(x) && is_whole(x->type) && is_whole(type);
    for (int64_t i = 0; i < n; i++)
        if (whole)
            store_whole(to + (size_t)i * stride, type, whole_item(x, begin + i));
        else
            store(to + (size_t)i * stride, type, column_value(x, begin + i));
}

/* The names there are, for whoever asked for one there is not. */
static int refuse_name(const struct glt_cloud *c, const char *name)
{
    char names[400] = "";
    size_t at = 0;
    for (int32_t i = 0; i < c->n_columns && at < sizeof names - 64; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%.40s", i ? ", " : "",
                               c->columns[i].name);
    return error_set(GLT_EDATA, "the cloud has no attribute %s; it has %s%s", name,
                     at > 0 ? names : "none", at >= sizeof names - 64 ? ", .." : "");
}

int column_plain(const struct column **out, const struct glt_cloud *c, const char *name)
{
    const struct column *x = cloud_attribute(c, name);
    if (!x)
        return refuse_name(c, name);
    if (x->start || x->width != 1)
        return error_set(GLT_EDATA, "attribute %s holds a list of values per point, not one", name);
    *out = x;
    return 0;
}

static int convert_all(void *dst, enum glt_type type, const struct glt_cloud *c, const char *name)
{
    const struct column *x = NULL;
    TRY(column_plain(&x, c, name));
    column_convert(dst, type, 0, x, 0, c->n);
    return 0;
}

int cloud_attribute_as_f32(float *dst, const struct glt_cloud *c, const char *name)
{
    return convert_all(dst, GLT_F32, c, name);
}

int cloud_attribute_as_f64(double *dst, const struct glt_cloud *c, const char *name)
{
    return convert_all(dst, GLT_F64, c, name);
}

int cloud_attribute_as_i32(int32_t *dst, const struct glt_cloud *c, const char *name)
{
    return convert_all(dst, GLT_I32, c, name);
}

static int find_xyz(const struct column *xyz[3], const struct glt_cloud *c)
{
    static const char *const name[] = {"x", "y", "z"};
    for (int d = 0; d < 3; d++)
        TRY(column_plain(&xyz[d], c, name[d]));
    return 0;
}

enum { BLOCK = 512 }; /* points converted at a time, so that the copy stays in the cache */

int cloud_bounds(struct bounds *out, const struct glt_cloud *c)
{
    const struct column *xyz[3] = {0};
    TRY(find_xyz(xyz, c));
    struct bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    double p[3][BLOCK];
    for (int64_t i = 0; i < c->n; i += BLOCK) {
        int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
        for (int d = 0; d < 3; d++)
            column_convert(p[d], GLT_F64, 0, xyz[d], i, n);
        for (int64_t j = 0; j < n; j++) {
            if (!isfinite(p[0][j]) || !isfinite(p[1][j]) || !isfinite(p[2][j]))
                continue;
            b.finite++;
            for (int d = 0; d < 3; d++) {
                b.min[d] = p[d][j] < b.min[d] ? p[d][j] : b.min[d];
                b.max[d] = p[d][j] > b.max[d] ? p[d][j] : b.max[d];
            }
        }
    }
    *out = b;
    return 0;
}

int cloud_local(double origin[3], float *xyz, const struct glt_cloud *c)
{
    const struct column *column[3] = {0};
    struct bounds b;
    TRY(find_xyz(column, c));
    TRY(cloud_bounds(&b, c));
    for (int d = 0; d < 3; d++) {
        /* halves first: the sum of two huge bounds would be infinite */
        double centre = b.finite ? floor(b.min[d] / 2 + b.max[d] / 2 + 0.5) : 0;
        double p[BLOCK];
        for (int64_t i = 0; i < c->n; i += BLOCK) {
            int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
            column_convert(p, GLT_F64, 0, column[d], i, n);
            for (int64_t j = 0; j < n; j++)
                xyz[3 * (i + j) + d] = (float)(p[j] - centre);
        }
        origin[d] = centre;
    }
    return 0;
}

double cloud_colour_scale(const struct glt_cloud *c)
{
    static const char *const name[] = {"red", "green", "blue"};
    bool real = false, wide = false;
    double max = 0;
    for (int k = 0; k < 3; k++) {
        const struct column *x = NULL;
        if (column_plain(&x, c, name[k]) < 0)
            return 0;
        real = real || x->type == GLT_F32 || x->type == GLT_F64;
        wide = wide || type_size(x->type) > 1;
        double p[BLOCK];
        for (int64_t i = 0; wide && i < c->n; i += BLOCK) {
            int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
            column_convert(p, GLT_F64, 0, x, i, n);
            for (int64_t j = 0; j < n; j++)
                max = p[j] > max ? p[j] : max;
        }
    }
    if (real && max <= 1)
        return 1;
    return max <= 255 ? 1.0 / 255 : 1.0 / 65535;
}

int cloud_colours(float *rgb, const struct glt_cloud *c)
{
    static const char *const name[] = {"red", "green", "blue"};
    double scale = cloud_colour_scale(c);
    for (int k = 0; k < 3; k++) {
        const struct column *x = NULL;
        TRY(column_plain(&x, c, name[k]));
        double p[BLOCK];
        for (int64_t i = 0; i < c->n; i += BLOCK) {
            int64_t n = c->n - i < BLOCK ? c->n - i : BLOCK;
            column_convert(p, GLT_F64, 0, x, i, n);
            for (int64_t j = 0; j < n; j++)
                rgb[3 * (i + j) + k] = (float)(p[j] * scale);
        }
    }
    return 0;
}

/* Whether n doubles are whole numbers, and the range of them and 0. */
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
    memory_free(x->data);
    x->data = data;
    x->type = type;
    return 0;
}
