/* Numpy arrays: see npy.h. The header is a Python literal {'descr': ..., 'fortran_order': ...,
 * 'shape': ...}. Only the literals that numpy writes are read; objects (pickle) are refused. The
 * product of shape and item size is compared with the length of the source before anything is
 * allocated. */
#include "formats/npy.h"

#include "cloud/column.h"
#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/string.h"
#include "formats/format.h"
#include "formats/little.h"
#include "formats/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES_MAX = 1 << 20, NAME_BYTES_MAX = 255, VERSION_1_MAX = 65000 };

static const char magic[6] = "\x93NUMPY";
/* by enum glt_type, after the mark of byte order */
static const char *const words[] = {"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"};

bool npy_probe(const unsigned char *bytes, size_t len)
{
    return len >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool npy_is_padding(const struct array_field *x)
{
    return x->name[0] == 0 && x->kind == 'V';
}

/* --- parsing the literal --- */

struct parser {
    const char *at, *end, *name;
};

static int bad(const struct parser *p, const char *what)
{
    return error_topic(error_in(GLT_EFORMAT, p->name, "npy header: %s at \"%.*s\"", what,
                                (int)(p->end - p->at < 30 ? p->end - p->at : 30), p->at),
                       GLT_TOPIC_SYNTAX, NULL);
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

/* (2, 3) or 5 or (5,); old versions of numpy wrote 5L */
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
static int decode_type(const struct parser *p, struct array_field *x, const char *word)
{
    const char *s = word;
    char order = strchr("<>|=", *s) && *s ? *s++ : '=';
    x->kind = *s ? *s++ : 0;
    uint64_t size = 0;
    const char *end = word + strlen(word), *next = number_parse_unsigned(&size, s, end);
    if (x->kind == 'O')
        return error_topic(
            error_file(
                error_set(GLT_EUNSUPPORTED,
                          "%s holds pickled Python objects, which run code when read: save plain "
                          "arrays instead",
                          p->name),
                p->name),
            GLT_TOPIC_FORMAT, NULL);
    if (!next || size > INT32_MAX || !x->kind || !strchr("iufbSUaV", x->kind))
        return error_topic(error_in(GLT_EUNSUPPORTED, p->name,
                                    "numpy type '%s' is not read here: convert to "
                                    "integers or floats first",
                                    word),
                           GLT_TOPIC_FORMAT, NULL);
    x->kind = x->kind == 'a' ? 'S' : x->kind;
    x->size = x->kind == 'U' ? 4 * (size_t)size : (size_t)size;
    x->width = 1;
    x->swap = order == '>';
    char code[3] = {x->kind == 'b' ? 'u' : x->kind, (char)('0' + (size < 10 ? size : 0)), 0};
    for (int i = 0; i < 10; i++)
        if (strcmp(code, words[i]) == 0) {
            x->type = (enum glt_type)i;
            return 0;
        }
    if (arrays_is_numeric(x))
        return error_topic(error_in(GLT_EUNSUPPORTED, p->name,
                                    "numpy type '%s' is not read here: convert to "
                                    "float32 or float64 first",
                                    word),
                           GLT_TOPIC_FORMAT, NULL);
    return 0;
}

/* The next field, with its name. */
static int add_field(struct array_field **out, const struct parser *p, struct array *a,
                     const char *name)
{
    if (a->n_fields == COLUMNS_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, p->name, "more than %d fields: leave some out", COLUMNS_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    TRY(array_reserve(&a->fields, a->n_fields, 1, sizeof *a->fields));
    *out = &a->fields[a->n_fields];
    **out = (struct array_field){.name = memory_string(name)};
    if (!(*out)->name)
        return GLT_ENOMEM;
    a->n_fields++;
    return 0;
}

/* Sets the shape of a field and its offset in the item. */
static int place_field(const struct parser *p, struct array *a, struct array_field *x,
                       const int64_t *shape, int32_t n_dims)
{
    int64_t width = 1;
    for (int32_t i = 0; i < n_dims; i++)
        if (__builtin_mul_overflow(width, shape[i], &width) || width > INT32_MAX)
            return bad(p, "a field is too wide");
    if (width == 0 || x->size == 0)
        return error_topic(
            error_in(GLT_EUNSUPPORTED, p->name, "field %s holds nothing: leave it out", x->name),
            GLT_TOPIC_FORMAT, NULL);
    x->width = (int32_t)width;
    x->offset = a->item_size;
    if (__builtin_mul_overflow(x->size, (size_t)width, &x->size) ||
        __builtin_add_overflow(a->item_size, x->size, &a->item_size) ||
        a->item_size > VALUES_MAX * sizeof(double))
        return bad(p, "an item is too large");
    return 0;
}

/* ('x', '<f4') or ('x', '<f4', (3,)) */
static int take_field(struct parser *p, struct array *a)
{
    char name[NAME_BYTES_MAX + 1], word[64];
    int64_t shape[ARRAY_DIMS];
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
        return error_topic(error_in(GLT_EUNSUPPORTED, p->name,
                                    "field %s is itself structured, which is not read "
                                    "here: save flat fields",
                                    name),
                           GLT_TOPIC_FORMAT, NULL);
    TRY(take_string(p, word, sizeof word));
    if (take(p, ','))
        TRY(take_shape(p, shape, &n_dims));
    if (!take(p, ')'))
        return bad(p, "expected )");
    struct array_field *x = NULL, type = {0};
    TRY(decode_type(p, &type, word));
    if (!name[0] && type.kind != 'V') /* numpy's default name; V is padding */
        snprintf(name, sizeof name, "f%d", a->n_fields);
    TRY(add_field(&x, p, a, name));
    type.name = x->name;
    *x = type;
    return place_field(p, a, x, shape, n_dims);
}

static int take_descr(struct parser *p, struct array *a)
{
    char word[64];
    blanks(p);
    a->structured = take(p, '[');
    if (!a->structured) {
        struct array_field *x = NULL;
        TRY(take_string(p, word, sizeof word));
        TRY(add_field(&x, p, a, ""));
        TRY(decode_type(p, x, word));
        a->item_size = x->size;
        return 0;
    }
    while (!take(p, ']')) {
        TRY(take_field(p, a));
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

static int parse_header(struct array *a, bool *fortran, const char *text, size_t len,
                        const char *name)
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
            TRY(take_descr(&p, a));
        else if (strcmp(key, "fortran_order") == 0)
            TRY(take_truth(&p, fortran));
        else if (strcmp(key, "shape") == 0)
            TRY(take_shape(&p, a->shape, &a->n_dims));
        else
            return bad(&p, "an unknown or repeated key");
        seen[key[0] == 'd' ? 0 : key[0] == 'f' ? 1 : 2] = true;
        take(&p, ',');
    }
    if (!seen[0] || !seen[1] || !seen[2])
        return bad(&p, "descr, fortran_order or shape is missing");
    a->count = 1;
    for (int32_t i = 0; i < a->n_dims; i++)
        if (__builtin_mul_overflow(a->count, a->shape[i], &a->count))
            return bad(&p, "the shape is too large");
    if (a->item_size == 0) /* any shape would match the bytes that follow */
        return error_topic(
            error_in(GLT_EUNSUPPORTED, name, "items of no bytes hold nothing: leave them out"),
            GLT_TOPIC_FORMAT, NULL);
    return 0;
}

/* --- reading --- */

/* Latin-1 as UTF-8, in which every letter takes two bytes at most. */
static int from_latin1(struct string *out, const char *text, size_t len)
{
    string_add_bytes(out, "", 0); /* make an empty text "" too */
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        const char wide[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
        string_add_bytes(out, c < 0x80 ? text + i : wide, c < 0x80 ? 1 : 2);
    }
    return out->code;
}

/* Magic, version and the literal in UTF-8. */
static int read_literal(struct call *call, struct string *out, struct source *s)
{
    unsigned char head[12];
    TRY(source_take(s, head, 10));
    if (!npy_probe(head, sizeof head))
        return error_topic(
            error_file(error_set(GLT_EFORMAT, "%s does not begin with \\x93NUMPY", s->name),
                       s->name),
            GLT_TOPIC_FORMAT, NULL);
    if (head[6] < 1 || head[6] > 3)
        return error_topic(
            error_in(GLT_EUNSUPPORTED, s->name, "npy version %d is not known", head[6]),
            GLT_TOPIC_FORMAT, NULL);
    if (head[6] > 1)
        TRY(source_take(s, head + 10, 2));
    size_t len = (size_t)little_get(head + 8, head[6] > 1 ? 4 : 2);
    if (len > HEADER_BYTES_MAX)
        return error_topic(error_in(GLT_ELIMIT, s->name,
                                    "an npy header of %zu bytes: at most %d are read", len,
                                    HEADER_BYTES_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    if (len > s->left)
        return error_topic(error_in(GLT_EFORMAT, s->name,
                                    "an npy header of %zu bytes is longer than the file", len),
                           GLT_TOPIC_SYNTAX, NULL);
    char *text = call_alloc(call, len, 1);
    if (!text)
        return GLT_ENOMEM;
    TRY(source_take(s, text, len));
    if (head[6] < 3)
        return from_latin1(out, text, len);
    string_add_bytes(out, text, len);
    return out->code;
}

int npy_read_header(struct array *a, bool *fortran, struct source *s)
{
    struct call call = {0};
    struct string text = {0};
    int code = read_literal(&call, &text, s);
    if (code == 0)
        code = parse_header(a, fortran, text.bytes, (size_t)text.len, s->name);
    string_free(&text);
    call_free(&call);
    return code;
}

/* Swaps the fields of big-endian arrays in place. */
static void swap_fields(struct array *a)
{
    for (int32_t k = 0; k < a->n_fields; k++) {
        const struct array_field *x = &a->fields[k];
        size_t width = x->kind == 'U' ? 4 : x->size / (size_t)(x->width ? x->width : 1);
        if (x->swap == file_host_is_big_endian() || x->kind == 'S' || x->kind == 'V' || width < 2)
            continue;
        if (x->size == a->item_size) {
            file_swap(a->data, (size_t)a->count * (x->size / width), width);
            continue;
        }
        for (int64_t i = 0; i < a->count; i++)
            file_swap(a->data + (size_t)i * a->item_size + x->offset, x->size / width, width);
    }
}

/* From first-index-fastest to row-major. */
static int transpose(struct array *a)
{
    unsigned char *turned = memory_alloc((size_t)a->count, a->item_size);
    if (!turned)
        return GLT_ENOMEM;
    int64_t index[ARRAY_DIMS] = {0};
    for (int64_t i = 0; i < a->count; i++) { /* i counts items in the file; index is its position */
        int64_t to = 0;
        for (int32_t d = 0; d < a->n_dims; d++)
            to = to * a->shape[d] + index[d];
        memcpy(turned + (size_t)to * a->item_size, a->data + (size_t)i * a->item_size,
               a->item_size);
        for (int32_t d = 0; d < a->n_dims && ++index[d] == a->shape[d]; d++)
            index[d] = 0;
    }
    memory_free(a->data);
    a->data = turned;
    return 0;
}

static int read_data(struct array *a, bool fortran, struct source *s)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)a->count, a->item_size, &bytes) || bytes > s->left)
        return error_topic(error_in(GLT_EFORMAT, s->name,
                                    "the npy header declares %" PRId64
                                    " items of %zu bytes, but only "
                                    "%" PRIu64 " bytes follow: the array is cut short or damaged",
                                    a->count, a->item_size, s->left),
                           GLT_TOPIC_TRUNCATED, NULL);
    a->data = memory_alloc(bytes, 1);
    if (!a->data)
        return GLT_ENOMEM;
    TRY(source_take(s, a->data, bytes));
    swap_fields(a);
    return fortran && a->n_dims > 1 && a->count > 0 ? transpose(a) : 0;
}

int npy_read_array(struct array *out, struct source *s)
{
    struct array a = {0};
    bool fortran;
    int code = npy_read_header(&a, &fortran, s);
    if (code == 0)
        code = read_data(&a, fortran, s);
    if (code < 0)
        arrays_clear(&a);
    else
        *out = a;
    return code;
}

/* --- writing --- */

struct array_field npy_field(const struct column *x)
{
    return (struct array_field){.name = x->name,
                                .kind = words[x->type][0],
                                .type = x->type,
                                .size = type_size(x->type) * (size_t)x->width,
                                .width = x->width};
}

/* "<f4", for one field */
static void add_type(struct string *to, const struct array_field *x)
{
    char order = file_host_is_big_endian() ? '>' : '<';
    size_t size = x->width ? x->size / (size_t)x->width : x->size;
    if (x->kind == 'b')
        string_add(to, "'|b1'");
    else if (x->kind == 'U')
        string_add(to, "'%cU%zu'", order, size / 4);
    else if (x->kind == 'S' || x->kind == 'V')
        string_add(to, "'|%c%zu'", x->kind, size);
    else
        string_add(to, "'%c%s'", type_size(x->type) == 1 ? '|' : order, words[x->type]);
}

/* "'<f4'" or "[('x', '<f4'), ...]" */
static void add_descr(struct string *to, const struct array *a)
{
    if (!a->structured) {
        add_type(to, &a->fields[0]);
        return;
    }
    string_add(to, "[");
    for (int32_t i = 0; i < a->n_fields; i++) {
        const struct array_field *x = &a->fields[i];
        string_add(to, "%s('", i ? ", " : "");
        const char *end = x->name + strnlen(x->name, NAME_BYTES_MAX);
        for (const char *s = x->name; s < end; s++) /* a quote would end the name */
            string_add_bytes(to, *s == '\'' || *s == '\\' ? "_" : s, 1);
        string_add(to, "', ");
        add_type(to, x);
        if (x->width != 1)
            string_add(to, ", (%d,)", x->width);
        string_add(to, ")");
    }
    string_add(to, "]");
}

static bool is_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return false;
    return true;
}

/* Magic, version, length and the literal, padded with blanks: numpy aligns the data to 64 bytes.
 * Versions 1 and 2 are Latin-1, version 3 is UTF-8; version 1 has a length of two bytes. */
static int frame(struct call *call, char **out, size_t *len, const struct string *literal)
{
    size_t n = (size_t)literal->len;
    int version = !is_ascii(literal->bytes) && json_holds(literal->bytes) ? 3
                  : n + 12 > VERSION_1_MAX                                ? 2
                                                                          : 1;
    size_t begin = version > 1 ? 12 : 10;
    *len = (begin + n + 1 + 63) / 64 * 64;
    if (*len - begin > HEADER_BYTES_MAX)
        return error_topic(
            error_set(GLT_ELIMIT,
                      "an npy header of %zu bytes is more than are read: the %d fields at most "
                      "need shorter names (npz holds them)",
                      *len - begin, COLUMNS_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    char *bytes = call_alloc(call, *len, 1);
    if (!bytes)
        return GLT_ENOMEM;
    memset(bytes, ' ', *len);
    memcpy(bytes, magic, sizeof magic);
    bytes[6] = (char)version;
    bytes[7] = 0;
    little_put((unsigned char *)bytes + 8, *len - begin, (int)begin - 8);
    memcpy(bytes + begin, literal->bytes, n);
    bytes[*len - 1] = '\n';
    *out = bytes;
    return 0;
}

int npy_make_header(struct call *call, char **out, size_t *len, const struct array *a)
{
    struct string literal = {0};
    string_add(&literal, "{'descr': ");
    add_descr(&literal, a);
    string_add(&literal, ", 'fortran_order': False, 'shape': (");
    for (int32_t i = 0; i < a->n_dims; i++)
        string_add(&literal, "%s%" PRId64 "%s", i ? " " : "", a->shape[i],
                   a->n_dims == 1 || i + 1 < a->n_dims ? "," : "");
    string_add(&literal, "), }");
    int code = literal.code < 0 ? literal.code : frame(call, out, len, &literal);
    string_free(&literal);
    return code;
}
