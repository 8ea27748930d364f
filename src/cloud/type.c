/* Types of attribute values: see type.h. */
#include "cloud/type.h"

#include <string.h>

/* 2^63 and 2^64 do not fit their types, so these have the largest doubles below. */
static const struct {
    const char *name;
    size_t size;
    double min, max;
} types[] = {
    [GLT_I8] = {"i8", 1, INT8_MIN, INT8_MAX},
    [GLT_U8] = {"u8", 1, 0, UINT8_MAX},
    [GLT_I16] = {"i16", 2, INT16_MIN, INT16_MAX},
    [GLT_U16] = {"u16", 2, 0, UINT16_MAX},
    [GLT_I32] = {"i32", 4, INT32_MIN, INT32_MAX},
    [GLT_U32] = {"u32", 4, 0, UINT32_MAX},
    [GLT_I64] = {"i64", 8, -0x1p63, 0x1p63 - 1024},
    [GLT_U64] = {"u64", 8, 0, 0x1p64 - 2048},
    [GLT_F32] = {"f32", 4, 0, 0},
    [GLT_F64] = {"f64", 8, 0, 0},
};

size_t type_size(enum glt_type type)
{
    return types[type].size;
}

const char *type_name(enum glt_type type)
{
    return types[type].name;
}

bool type_is_known(enum glt_type type)
{
    return (int)type >= 0 && (size_t)type < sizeof types / sizeof *types;
}

double type_min(enum glt_type type)
{
    return types[type].min;
}

double type_max(enum glt_type type)
{
    return types[type].max;
}

void type_store(void *dst, enum glt_type type, int64_t v)
{
    switch (types[type].size) {
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
