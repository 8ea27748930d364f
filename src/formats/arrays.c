/* Arrays: see arrays.h. */
#include "formats/arrays.h"

#include "cloud/column.h"
#include "core/error.h"
#include "core/memory.h"

#include <inttypes.h>
#include <string.h>

uint64_t arrays_limit(uint64_t file_bytes)
{
    return file_bytes > (UINT64_MAX - ARRAYS_BASE) / ARRAYS_RATIO
               ? UINT64_MAX
               : ARRAYS_RATIO * file_bytes + ARRAYS_BASE;
}

void arrays_clear(struct array *a)
{
    for (int32_t i = 0; i < a->n_fields; i++)
        memory_free(a->fields[i].name);
    memory_free(a->fields);
    memory_free(a->name);
    memory_free(a->data);
    memset(a, 0, sizeof *a);
}

void arrays_free(struct arrays *a)
{
    for (int32_t i = 0; i < a->n; i++)
        arrays_clear(&a->items[i]);
    memory_free(a->items);
    *a = (struct arrays){0};
}

const struct array *arrays_find(const struct arrays *a, const char *name)
{
    for (int32_t i = 0; i < a->n; i++)
        if (strcmp(a->items[i].name, name) == 0)
            return &a->items[i];
    return NULL;
}

bool arrays_is_numeric(const struct array_field *x)
{
    return strchr("iufb", x->kind) != NULL;
}

bool arrays_is_plain(const struct array *a)
{
    return !a->structured && arrays_is_numeric(&a->fields[0]) && a->fields[0].width == 1;
}

int arrays_values(void *dst, enum glt_type type, const struct array *a, int64_t begin, int64_t n)
{
    if (a->n_fields != 1 || !arrays_is_numeric(&a->fields[0]))
        return error_topic(error_set(GLT_EDATA, "array %s does not hold plain numbers", a->name),
                           GLT_TOPIC_SHAPE, a->name);
    int64_t values = a->count * a->fields[0].width;
    if (begin < 0 || n < 0 || begin > values - n)
        return error_topic(error_set(GLT_EDATA,
                                     "array %s has %" PRId64 " values, but %" PRId64
                                     " from %" PRId64 " on are needed",
                                     a->name, values, n, begin),
                           GLT_TOPIC_SHAPE, a->name);
    struct column x = {.type = a->fields[0].type, .width = 1, .scale = 1, .data = a->data};
    column_convert(dst, type, 0, &x, begin, n);
    return 0;
}

/* Appends one code point as UTF-8 if it fits. */
static size_t put_utf8(char *dst, size_t at, size_t size, uint32_t c)
{
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char mark[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (c > 0x10ffff || at + len >= size)
        return at;
    for (size_t i = len; i-- > 1; c >>= 6)
        dst[at + i] = (char)(0x80 | (c & 0x3f));
    dst[at] = (char)(mark[len] | c);
    return at + len;
}

int arrays_text(char *dst, size_t size, const struct array *a, int64_t i)
{
    if (a->n_fields != 1 || i < 0 || i >= a->count || !strchr("SU", a->fields[0].kind))
        return error_topic(error_set(GLT_EDATA, "array %s has no text number %" PRId64, a->name, i),
                           GLT_TOPIC_MISSING, a->name);
    const unsigned char *item = a->data + (size_t)i * a->item_size;
    size_t at = 0;
    if (a->fields[0].kind == 'S') {
        while (at < a->item_size && at + 1 < size && item[at]) {
            dst[at] = (char)item[at];
            at++;
        }
    } else {
        uint32_t c = 1;
        for (size_t k = 0; k < a->item_size && c; k += 4) {
            memcpy(&c, item + k, 4);
            at = c ? put_utf8(dst, at, size, c) : at;
        }
    }
    dst[at] = 0;
    return 0;
}
