/* Types of attribute values: name, size and range of an item. */
#ifndef CLOUD_TYPE_H
#define CLOUD_TYPE_H

#include "gelatto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t type_size(enum glt_type type);      /* bytes */
const char *type_name(enum glt_type type); /* "i8" .. "f64" */
bool type_is_known(enum glt_type type);    /* false for a number that is no type */

static inline bool type_is_real(enum glt_type type)
{
    return type == GLT_F32 || type == GLT_F64;
}

/* Range of an integer type; for 64-bit types, the doubles within it. */
double type_min(enum glt_type type);
double type_max(enum glt_type type);
/* v as one item of an integer type that can hold it. */
void type_store(void *dst, enum glt_type type, int64_t v);

#endif
