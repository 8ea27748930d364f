/* Making the header of an .npy file. Reference: NEP 1; numpy aligns the data to 64 bytes. Versions
 * 1 and 2 are Latin-1, version 3 is UTF-8. */
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "formats/format.h"
#include "formats/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct array_field array_field(const struct column *x)
{
    bool real = x->type == GLT_F32 || x->type == GLT_F64;
    return (struct array_field){.name = x->name,
                                .kind = real               ? 'f'
                                        : (int)x->type % 2 ? 'u'
                                                           : 'i',
                                .type = x->type,
                                .size = type_size(x->type) * (size_t)x->width,
                                .width = x->width};
}

/* "<f4" of one field; 24 bytes are enough */
static void type_word(char dst[24], const struct array_field *x)
{
    static const char *const number[] = {"i1", "u1", "i2", "u2", "i4",
                                         "u4", "i8", "u8", "f4", "f8"};
    char order = file_host_is_big_endian() ? '>' : '<';
    size_t size = x->width ? x->size / (size_t)x->width : x->size;
    if (x->kind == 'b')
        snprintf(dst, 24, "|b1");
    else if (x->kind == 'U')
        snprintf(dst, 24, "%cU%zu", order, size / 4);
    else if (x->kind == 'S' || x->kind == 'V')
        snprintf(dst, 24, "|%c%zu", x->kind, size);
    else
        snprintf(dst, 24, "%c%s", type_size(x->type) == 1 ? '|' : order, number[x->type]);
}

enum { NAME_MOST = 255 }; /* bytes of a name that are read */

int npy_describe(char **out, const struct array_field *fields, int32_t n, bool structured)
{
    size_t size = 64, at = 0;
    for (int32_t i = 0; i < n; i++)
        size += strlen(fields[i].name) + 64;
    char *text = memory_alloc(size, 1), word[24];
    if (!text)
        return GLT_ENOMEM;
    if (!structured) {
        type_word(word, &fields[0]);
        snprintf(text, size, "'%s'", word);
    } else {
        at += (size_t)snprintf(text, size, "[");
        for (int32_t i = 0; i < n; i++) {
            type_word(word, &fields[i]);
            at += (size_t)snprintf(text + at, size - at, "%s('", i ? ", " : "");
            const char *end = fields[i].name + strnlen(fields[i].name, NAME_MOST);
            for (const char *s = fields[i].name; s < end; s++) /* a quote would end the name */
                text[at++] = *s == '\'' || *s == '\\' ? '_' : *s;
            at += (size_t)snprintf(text + at, size - at, "', '%s'", word);
            if (fields[i].width != 1)
                at += (size_t)snprintf(text + at, size - at, ", (%d,)", fields[i].width);
            at += (size_t)snprintf(text + at, size - at, ")");
        }
        snprintf(text + at, size - at, "]");
    }
    *out = text;
    return 0;
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

int npy_make_header(char **out, size_t *len, const char *descr, const int64_t *shape,
                    int32_t n_dims)
{
    size_t size = strlen(descr) + 512, at = 12;
    char *text = memory_alloc(size, 1);
    if (!text)
        return GLT_ENOMEM;
    at += (size_t)snprintf(text + at, size - at, "{'descr': %s, 'fortran_order': False, 'shape': (",
                           descr);
    for (int32_t i = 0; i < n_dims; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%" PRId64 "%s", i ? " " : "", shape[i],
                               n_dims == 1 || i + 1 < n_dims ? "," : "");
    at += (size_t)snprintf(text + at, size - at, "), }");
    /* versions 2 and 3 have a length of four bytes, version 1 of two */
    int version = !is_ascii(descr) && json_holds(descr) ? 3 : at > 65000 ? 2 : 1;
    bool wide = version > 1;
    size_t from = wide ? 0 : 2, total = (at - from + 1 + 63) / 64 * 64;
    while (at - from < total - 1)
        text[at++] = ' ';
    text[at++] = '\n';
    size_t literal = at - 12;
    memmove(text, text + from, at - from);
    memcpy(text, "\x93NUMPY", 6);
    text[6] = (char)version;
    text[7] = 0;
    for (int i = 0; i < (wide ? 4 : 2); i++)
        text[8 + i] = (char)(literal >> (8 * i));
    if (literal > NPY_HEADER_MOST) {
        memory_free(text);
        return error_set(GLT_ELIMIT,
                         "an npy header of %zu bytes is more than are read: the %d fields at most "
                         "need shorter names (npz holds them)",
                         literal, COLUMNS_MOST);
    }
    *out = text;
    *len = total;
    return 0;
}
