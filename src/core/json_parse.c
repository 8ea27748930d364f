/* Reading JSON (RFC 8259): see json_parse.h. Recursion is bounded by JSON_DEPTH_MAX. A value is
 * added to its parent before it is complete, so that freeing the root after an error frees
 * everything. */
#include "core/json_parse.h"

#include "core/error.h"
#include "core/file.h"
#include "core/json_internal.h"
#include "core/memory.h"
#include "core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *name;
    const char *text, *at, *end;
    int depth, values;
};

static int fail(const struct parser *p, const char *what)
{
    int line = 1;
    for (const char *q = p->text; q < p->at; q++)
        line += *q == '\n';
    return error_topic(error_place(error_in(GLT_EFORMAT, p->name, "line %d (byte %td): %s", line,
                                            p->at - p->text, what),
                                   GLT_PLACE_LINE, line),
                       GLT_TOPIC_SYNTAX, NULL);
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
        p->at++;
}

/* --- strings --- */

static int parse_hex(unsigned *out, struct parser *p)
{
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        char c = p->at < p->end ? *p->at : 0;
        const char *digit = strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        if (!c || !digit)
            return fail(p, "\\u needs four hexadecimal digits");
        value = 16 * value + (unsigned)(digit - digits);
        p->at++;
    }
    *out = value;
    return 0;
}

/* A character given by its number, as UTF-8; a pair of surrogates is one. p is after the first \u.
 */
static int parse_character(char **dst, struct parser *p)
{
    unsigned code = 0, low = 0;
    TRY(parse_hex(&code, p));
    if (code == 0)
        return fail(p, "\\u0000 is not allowed");
    if (code >= 0xd800 && code < 0xdc00) {
        if (p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u')
            return fail(p, "half of a surrogate pair");
        p->at += 2;
        TRY(parse_hex(&low, p));
        if (low < 0xdc00 || low > 0xdfff)
            return fail(p, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return fail(p, "half of a surrogate pair");
    }
    unsigned char *d = (unsigned char *)*dst;
    if (code < 0x80) {
        *d++ = (unsigned char)code;
    } else {
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};
        *d++ = (unsigned char)(heads[more] | code >> 6 * more);
        while (more-- > 0)
            *d++ = (unsigned char)(0x80 | (code >> 6 * more & 0x3f));
    }
    *dst = (char *)d;
    return 0;
}

static int parse_escape(char **dst, struct parser *p)
{
    static const char letters[] = "\"\\/bfnrt", marks[] = "\"\\/\b\f\n\r\t";
    char c = ++p->at < p->end ? *p->at : 0;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c == 'u') {
        p->at++;
        return parse_character(dst, p);
    }
    if (!letter)
        return fail(p, "an unknown escape in a string");
    *(*dst)++ = marks[letter - letters];
    p->at++;
    return 0;
}

/* No escape is shorter than what it stands for, so the text's own length is enough. */
static int parse_bytes(char *dst, struct parser *p)
{
    while (p->at < p->end && *p->at != '"') {
        unsigned char c = (unsigned char)*p->at;
        if (c == '\\') {
            TRY(parse_escape(&dst, p));
            continue;
        }
        size_t len = json_sequence((const unsigned char *)p->at, (size_t)(p->end - p->at));
        if (c < 0x20)
            return fail(p, "a control character in a string");
        if (len == 0)
            return fail(p, "a byte that is not UTF-8");
        memcpy(dst, p->at, len);
        dst += len;
        p->at += len;
    }
    if (p->at == p->end)
        return fail(p, "a string has no end");
    p->at++;
    return 0;
}

static int parse_string(char **out, struct parser *p)
{
    const char *close = ++p->at;
    while (close < p->end && *close != '"')
        close += *close == '\\' && close + 1 < p->end ? 2 : 1;
    char *text = memory_alloc((size_t)(close - p->at) + 1, 1);
    if (!text)
        return GLT_ENOMEM;
    int code = parse_bytes(text, p);
    if (code < 0)
        memory_free(text);
    else
        *out = text;
    return code;
}

/* --- values --- */

static int parse_value(struct json **out, struct parser *p);

static bool next_is(struct parser *p, char c)
{
    skip_blanks(p);
    bool yes = p->at < p->end && *p->at == c;
    p->at += yes;
    return yes;
}

/* One item of a list, or key and value of an object. */
static int parse_item(struct json *parent, struct parser *p)
{
    char *key = NULL;
    struct json *value = NULL;
    skip_blanks(p);
    if (parent->type == JSON_OBJECT) {
        if (p->at == p->end || *p->at != '"')
            return fail(p, "a key in double quotes is expected");
        TRY(parse_string(&key, p));
        if (!next_is(p, ':')) {
            memory_free(key);
            return fail(p, "':' is expected after a key");
        }
    }
    int code = parse_value(&value, p);
    if (code == 0)
        code = json_add(parent, key, value);
    if (code < 0) {
        memory_free(key);
        json_free(value);
    }
    return code;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(**(char **const *)a, **(char **const *)b);
}

/* Sorting makes lookup fast and reveals duplicate keys. */
static int sort_keys(struct json *x, const struct parser *p)
{
    if (x->n == 0)
        return 0;
    char ***sorted = memory_alloc((size_t)x->n, sizeof *sorted); /* pointers into keys */
    x->order = memory_alloc((size_t)x->n, sizeof *x->order);
    if (!sorted || !x->order) {
        memory_free(sorted);
        return GLT_ENOMEM;
    }
    for (int64_t i = 0; i < x->n; i++)
        sorted[i] = &x->keys[i];
    qsort(sorted, (size_t)x->n, sizeof *sorted, by_key);
    for (int64_t i = 0; i < x->n; i++)
        x->order[i] = (int32_t)(sorted[i] - x->keys);
    memory_free(sorted);
    for (int64_t i = 1; i < x->n; i++)
        if (!strcmp(x->keys[x->order[i - 1]], x->keys[x->order[i]]))
            return fail(p, "duplicate key in an object");
    return 0;
}

static int parse_items(struct json *x, struct parser *p)
{
    char close = x->type == JSON_OBJECT ? '}' : ']';
    p->at++;
    if (++p->depth > JSON_DEPTH_MAX)
        return error_topic(error_at(GLT_ELIMIT, p->name, GLT_PLACE_BYTE, p->at - 1 - p->text,
                                    "lists and objects are nested over %d deep", JSON_DEPTH_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    bool first = true;
    while (!next_is(p, close)) {
        if (!first && !next_is(p, ','))
            return fail(p, x->type == JSON_OBJECT ? "',' or '}' is expected"
                                                  : "',' or ']' is expected");
        first = false;
        TRY(parse_item(x, p));
    }
    p->depth--;
    return x->type == JSON_OBJECT ? sort_keys(x, p) : 0;
}

/* RFC 8259 is stricter than our own numbers: no plus, no leading zeros, digits around the point. */
static const char *number_end(const char *p, const char *end, bool *real)
{
    static const char digits[] = "0123456789";
    *real = false;
    p += p < end && *p == '-';
    const char *first = p;
    while (p < end && *p && strchr(digits, *p))
        p++;
    if (p == first || (*first == '0' && p > first + 1))
        return NULL;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        while (p < end && *p && strchr(digits, *p))
            p++;
        if (p == fraction)
            return NULL;
        *real = true;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        const char *power = p;
        while (p < end && *p && strchr(digits, *p))
            p++;
        if (p == power)
            return NULL;
        *real = true;
    }
    return p;
}

static int parse_number(struct json *x, struct parser *p)
{
    bool real;
    const char *end = number_end(p->at, p->end, &real);
    if (!end)
        return fail(p, "a JSON value is expected");
    x->type = real ? JSON_REAL : JSON_INTEGER;
    if (real)
        number_parse_double(&x->real, p->at, end);
    else if (!number_parse_int(&x->integer, p->at, end))
        return fail(p, "a whole number overflows 64 bits");
    if (!isfinite(x->real))
        return fail(p, "a number overflows");
    p->at = end;
    return 0;
}

static bool take_word(struct parser *p, const char *word)
{
    size_t len = strlen(word);
    bool yes = (size_t)(p->end - p->at) >= len && !memcmp(p->at, word, len);
    p->at += yes ? len : 0;
    return yes;
}

static int fill_value(struct json *x, struct parser *p)
{
    char c = p->at < p->end ? *p->at : 0;
    if (c == '{' || c == '[') {
        x->type = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        return parse_items(x, p);
    }
    if (c == '"') {
        x->type = JSON_STRING;
        return parse_string(&x->text, p);
    }
    x->type = JSON_NULL;
    if (take_word(p, "null"))
        return 0;
    x->type = JSON_TRUE;
    if (take_word(p, "true"))
        return 0;
    x->type = JSON_FALSE;
    return take_word(p, "false") ? 0 : parse_number(x, p);
}

static int parse_value(struct json **out, struct parser *p)
{
    if (++p->values > JSON_VALUES_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, p->name, "more than %d values of JSON", JSON_VALUES_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    struct json *x = json_null();
    if (!x)
        return GLT_ENOMEM;
    skip_blanks(p);
    int code = fill_value(x, p);
    if (code < 0)
        json_free(x);
    else
        *out = x;
    return code;
}

int json_parse(struct json **out, const char *name, const char *text, size_t len)
{
    struct json *value = NULL;
    struct parser p = {.name = name, .text = text, .at = text, .end = text + len};
    if (len > JSON_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, name, "%zu bytes of JSON, but at most %d are read", len, JSON_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    int code = parse_value(&value, &p);
    skip_blanks(&p);
    if (code == 0 && p.at != p.end)
        code = fail(&p, "end of file expected");
    if (code < 0)
        json_free(value);
    else
        *out = value;
    return code;
}

int json_parse_file(struct json **out, const char *path, enum json_type type)
{
    char *text = NULL;
    size_t len;
    struct json *value = NULL;
    TRY(file_read_all(&text, &len, path, JSON_MAX));
    int code = json_parse(&value, path, text, len);
    memory_free(text);
    if (code == 0 && json_typeof(value) != type)
        code = error_topic(error_in(GLT_EFORMAT, path, "%s, but %s is expected",
                                    json_type_name(json_typeof(value)), json_type_name(type)),
                           GLT_TOPIC_SYNTAX, NULL);
    if (code < 0)
        json_free(value);
    else
        *out = value;
    return code;
}
