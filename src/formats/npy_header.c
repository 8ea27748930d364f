/* The header of an .npy file: a Python literal {'descr': ..., 'fortran_order': ..., 'shape': ...}.
 *
 * Reference: NEP 1 and numpy/lib/format.py, versions 1 to 3. Only the literals numpy writes are
 * read; objects (pickle) are refused. */
#include "formats/npy_header.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/number.h"
#include "formats/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct parser {
    const char *at, *end, *name;
};

static int bad(const struct parser *p, const char *what)
{
    return error_set(GLT_EFORMAT, "%s: npy header: %s at \"%.*s\"", p->name, what,
                     (int)(p->end - p->at < 30 ? p->end - p->at : 30), p->at);
}

static void blanks(struct parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
        p->at++;
}

static bool take(struct parser *p, char c)
{
    blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

/* 'text', "text" or u'text'; names with escapes are not written by numpy */
static int take_string(struct parser *p, char *dst, size_t size)
{
    blanks(p);
    if (p->at < p->end && (*p->at == 'u' || *p->at == 'b'))
        p->at++;
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return bad(p, "expected a string");
    char quote = *p->at++;
    size_t len = 0;
    for (; p->at < p->end && *p->at != quote; p->at++) {
        if (len + 1 == size)
            return bad(p, "a name is too long");
        dst[len++] = *p->at;
    }
    dst[len] = 0;
    return take(p, quote) ? 0 : bad(p, "a string does not end");
}

/* (2, 3) or 5 or (5,); numpy of old wrote 5L */
static int take_shape(struct parser *p, int64_t *shape, int32_t *n_dims)
{
    bool tuple = take(p, '(');
    *n_dims = 0;
    for (;;) {
        blanks(p);
        if (tuple && take(p, ')'))
            return 0;
        if (*n_dims == ARRAY_DIMS)
            return bad(p, "too many dimensions");
        uint64_t v;
        const char *next = number_parse_unsigned(&v, p->at, p->end);
        if (!next || v > INT64_MAX)
            return bad(p, "expected a dimension");
        p->at = next + (next < p->end && *next == 'L');
        shape[(*n_dims)++] = (int64_t)v;
        if (!tuple)
            return 0;
        if (!take(p, ',') && !(p->at < p->end && *p->at == ')'))
            return bad(p, "expected , or )");
    }
}

/* "<f4" and the like, into a field of one value. */
static int decode_type(const struct parser *p, struct array_field *x, const char *word, bool *swap)
{
    const char *s = word;
    char order = strchr("<>|=", *s) && *s ? *s++ : '=';
    x->kind = *s ? *s++ : 0;
    uint64_t size = 0;
    const char *end = word + strlen(word), *next = number_parse_unsigned(&size, s, end);
    if (x->kind == 'O')
        return error_set(GLT_EUNSUPPORTED,
                         "%s holds pickled Python objects, which run code when read: save plain "
                         "arrays instead",
                         p->name);
    if (!next || size > INT32_MAX || !x->kind || !strchr("iufbSUaV", x->kind))
        return error_set(GLT_EUNSUPPORTED,
                         "%s: numpy type '%s' is not read here: convert to "
                         "integers or floats first",
                         p->name, word);
    x->kind = x->kind == 'a' ? 'S' : x->kind;
    x->size = x->kind == 'U' ? 4 * (size_t)size : (size_t)size;
    x->width = 1;
    *swap = order == '>';
    static const char *const known[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};
    char code[3] = {x->kind == 'b' ? 'u' : x->kind, (char)('0' + (size < 10 ? size : 0)), 0};
    for (int i = 0; i < 10; i++)
        if (strcmp(code, known[i]) == 0) {
            x->type = (enum glt_type)i;
            return 0;
        }
    if (strchr("iufb", x->kind))
        return error_set(GLT_EUNSUPPORTED,
                         "%s: numpy type '%s' is not read here: convert to "
                         "float32 or float64 first",
                         p->name, word);
    return 0;
}

static int add_field(struct npy_field **out, const struct parser *p, struct npy_header *h)
{
    if (h->n_fields == COLUMNS_MOST)
        return error_set(GLT_ELIMIT, "%s: more than %d fields: leave some out", p->name,
                         COLUMNS_MOST);
    TRY(array_reserve(&h->fields, h->n_fields, 1, sizeof *h->fields));
    *out = &h->fields[h->n_fields++];
    **out = (struct npy_field){0};
    return 0;
}

void npy_clear_header(struct npy_header *h)
{
    memory_free(h->fields);
    *h = (struct npy_header){0};
}

/* ('x', '<f4') or ('x', '<f4', (3,)) */
static int take_field(struct parser *p, struct npy_header *h)
{
    char name[256], word[64];
    int64_t shape[ARRAY_DIMS], width = 1;
    int32_t n_dims = 0;
    if (!take(p, '('))
        return bad(p, "expected a field");
    if (take(p, '('))
        return bad(p, "titles of fields are not read here");
    TRY(take_string(p, name, sizeof name));
    if (!take(p, ','))
        return bad(p, "expected a type");
    blanks(p);
    if (p->at < p->end && *p->at == '[')
        return error_set(GLT_EUNSUPPORTED,
                         "%s: field %s is itself structured, which is not read "
                         "here: save flat fields",
                         p->name, name);
    TRY(take_string(p, word, sizeof word));
    if (take(p, ','))
        TRY(take_shape(p, shape, &n_dims));
    if (!take(p, ')'))
        return bad(p, "expected )");
    struct npy_field *x = NULL;
    TRY(add_field(&x, p, h));
    TRY(decode_type(p, &x->field, word, &x->swap));
    if (name[0] || npy_is_padding(name, x->field.kind))
        snprintf(x->name, sizeof x->name, "%s", name);
    else
        snprintf(x->name, sizeof x->name, "f%d", h->n_fields - 1); /* as numpy calls it */
    for (int32_t i = 0; i < n_dims; i++)
        if (__builtin_mul_overflow(width, shape[i], &width) || width > INT32_MAX)
            return bad(p, "a field is too wide");
    if (width == 0 || x->field.size == 0)
        return error_set(GLT_EUNSUPPORTED, "%s: field %s holds nothing: leave it out", p->name,
                         name);
    x->field.width = (int32_t)width;
    x->field.offset = h->item_size;
    if (__builtin_mul_overflow(x->field.size, (size_t)width, &x->field.size) ||
        __builtin_add_overflow(h->item_size, x->field.size, &h->item_size) ||
        h->item_size > VALUES_MOST * sizeof(double))
        return bad(p, "an item is too large");
    return 0;
}

static int take_descr(struct parser *p, struct npy_header *h)
{
    char word[64];
    blanks(p);
    h->structured = take(p, '[');
    if (!h->structured) {
        struct npy_field *x = NULL;
        TRY(take_string(p, word, sizeof word));
        TRY(add_field(&x, p, h));
        TRY(decode_type(p, &x->field, word, &x->swap));
        h->item_size = x->field.size;
        return 0;
    }
    while (!take(p, ']')) {
        TRY(take_field(p, h));
        if (!take(p, ',') && !(p->at < p->end && *p->at == ']'))
            return bad(p, "expected , or ]");
    }
    return 0;
}

static int take_truth(struct parser *p, bool *out)
{
    blanks(p);
    size_t left = (size_t)(p->end - p->at);
    *out = left >= 4 && memcmp(p->at, "True", 4) == 0;
    if (!*out && (left < 5 || memcmp(p->at, "False", 5) != 0))
        return bad(p, "expected True or False");
    p->at += *out ? 4 : 5;
    return 0;
}

int npy_parse_header(struct npy_header *h, const char *text, size_t len, const char *name)
{
    struct parser p = {text, text + len, name};
    bool seen[3] = {false};
    if (!take(&p, '{'))
        return bad(&p, "expected {");
    while (!take(&p, '}')) {
        char key[32];
        TRY(take_string(&p, key, sizeof key));
        if (!take(&p, ':'))
            return bad(&p, "expected :");
        if (strcmp(key, "descr") == 0 && !seen[0])
            TRY(take_descr(&p, h));
        else if (strcmp(key, "fortran_order") == 0)
            TRY(take_truth(&p, &h->fortran));
        else if (strcmp(key, "shape") == 0)
            TRY(take_shape(&p, h->shape, &h->n_dims));
        else
            return bad(&p, "an unknown or repeated key");
        seen[key[0] == 'd' ? 0 : key[0] == 'f' ? 1 : 2] = true;
        take(&p, ',');
    }
    if (!seen[0] || !seen[1] || !seen[2])
        return bad(&p, "descr, fortran_order or shape is missing");
    h->count = 1;
    for (int32_t i = 0; i < h->n_dims; i++)
        if (__builtin_mul_overflow(h->count, h->shape[i], &h->count))
            return bad(&p, "the shape is too large");
    if (h->item_size == 0) /* any shape would fit the bytes that follow */
        return error_set(GLT_EUNSUPPORTED, "%s: items of no bytes hold nothing: leave them out",
                         name);
    return 0;
}
