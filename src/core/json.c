/* Trees of JSON values, and their printer: see json.h; json_parse.h reads texts. */
#include "core/json.h"

#include "core/array.h"
#include "core/error.h"
#include "core/json_internal.h"
#include "core/memory.h"
#include "core/print.h"
#include "core/string.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- UTF-8 --- */

size_t json_sequence(const unsigned char *p, size_t left)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        size_t len;
    } rows[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
                {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (left == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (p[0] < rows[i].low || p[0] > rows[i].high || left < rows[i].len ||
            p[1] < rows[i].second_low || p[1] > rows[i].second_high)
            continue;
        for (size_t k = 2; k < rows[i].len; k++)
            if ((p[k] & 0xc0) != 0x80)
                return 0;
        return rows[i].len;
    }
    return 0;
}

bool json_holds(const char *text)
{
    size_t left = strlen(text), len;
    for (const unsigned char *p = (const unsigned char *)text; left; p += len, left -= len)
        if ((len = json_sequence(p, left)) == 0)
            return false;
    return true;
}

/* --- making --- */

struct json *json_new(int type)
{
    struct json *x = memory_alloc(1, sizeof *x);
    if (x)
        x->type = type;
    return x;
}

struct json *json_object(void)
{
    return json_new(JSON_OBJECT);
}

struct json *json_array(void)
{
    return json_new(JSON_ARRAY);
}

struct json *json_null(void)
{
    return json_new(JSON_NULL);
}

struct json *json_boolean(bool value)
{
    return json_new(value ? JSON_TRUE : JSON_FALSE);
}

struct json *json_integer(int64_t value)
{
    struct json *x = json_new(JSON_INTEGER);
    if (x)
        x->integer = value;
    return x;
}

/* Stands for a value that JSON cannot hold: a null that makes json_print fail. */
static struct json *json_failed(void)
{
    struct json *x = json_null();
    if (x)
        x->error = GLT_EARGUMENT;
    return x;
}

struct json *json_real(double value)
{
    if (!isfinite(value))
        return json_failed();
    struct json *x = json_new(JSON_REAL);
    if (x)
        x->real = value;
    return x;
}

struct json *json_finite(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

struct json *json_string(const char *text)
{
    if (!text || !json_holds(text))
        return json_failed();
    struct json *x = json_new(JSON_STRING);
    if (x && !(x->text = memory_string(text))) {
        json_free(x);
        return NULL;
    }
    return x;
}

void json_free(struct json *x)
{
    if (!x)
        return;
    for (int64_t i = 0; i < x->n; i++) {
        json_free(x->items[i]);
        if (x->keys)
            memory_free(x->keys[i]);
    }
    memory_free(x->items);
    memory_free(x->keys);
    memory_free(x->order);
    memory_free(x->text);
    memory_free(x);
}

int json_add(struct json *to, char *key, struct json *value)
{
    int code = array_reserve(&to->items, to->n, 1, sizeof *to->items);
    if (code == 0 && key)
        code = array_reserve(&to->keys, to->n, 1, sizeof *to->keys);
    if (code < 0)
        return code;
    to->items[to->n] = value;
    if (key)
        to->keys[to->n] = key;
    to->n++;
    return 0;
}

/* Marks the parent of a value that could not be made, or that contains one. */
static int take_mark(struct json *to, struct json *value)
{
    int code = !to || !value ? GLT_ENOMEM : value->error;
    if (to && code < 0)
        to->error = code;
    if (!to || !value)
        json_free(value);
    return !to || !value ? GLT_ENOMEM : 0;
}

static int add_or_mark(struct json *to, char *key, struct json *value)
{
    if (json_add(to, key, value) == 0)
        return to->error;
    memory_free(key);
    json_free(value);
    return to->error = GLT_ENOMEM;
}

int json_append(struct json *array, struct json *value)
{
    TRY(take_mark(array, value));
    return add_or_mark(array, NULL, value);
}

/* The index of the key; n if it is absent. Objects that were read have their keys sorted. */
static int64_t find(const struct json *x, const char *key)
{
    int64_t low = 0, high = x->n;
    if (!x->order) {
        while (low < x->n && strcmp(x->keys[low], key))
            low++;
        return low;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (strcmp(x->keys[x->order[middle]], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->n && !strcmp(x->keys[x->order[low]], key) ? x->order[low] : x->n;
}

/* For a new or removed key: `order` would be out of date. */
static void forget_order(struct json *x)
{
    memory_free(x->order);
    x->order = NULL;
}

int json_set(struct json *object, const char *key, struct json *value)
{
    TRY(take_mark(object, value));
    int64_t at = find(object, key);
    if (at < object->n) {
        json_free(object->items[at]);
        object->items[at] = value;
        return object->error;
    }
    forget_order(object);
    char *copy = memory_string(key);
    if (copy && json_holds(key))
        return add_or_mark(object, copy, value);
    object->error = copy ? GLT_EARGUMENT : GLT_ENOMEM;
    memory_free(copy);
    json_free(value);
    return object->error;
}

void json_remove(struct json *object, const char *key)
{
    int64_t at = find(object, key);
    if (at == object->n)
        return;
    json_free(object->items[at]);
    memory_free(object->keys[at]);
    forget_order(object);
    size_t behind = (size_t)(--object->n - at);
    memmove(object->items + at, object->items + at + 1, behind * sizeof *object->items);
    memmove(object->keys + at, object->keys + at + 1, behind * sizeof *object->keys);
}

struct json *json_copy(const struct json *x)
{
    if (!x)
        return NULL;
    struct json *y = json_new(x->type);
    if (!y)
        return NULL;
    y->integer = x->integer;
    y->real = x->real;
    y->error = x->error;
    if (x->text && !(y->text = memory_string(x->text)))
        y->error = GLT_ENOMEM;
    for (int64_t i = 0; i < x->n; i++) {
        if (x->keys)
            json_set(y, x->keys[i], json_copy(x->items[i]));
        else
            json_append(y, json_copy(x->items[i]));
    }
    return y;
}

static const char *skip(const char *p)
{
    return p + strspn(p, " ,:");
}

static struct json *pack(const char **pattern, va_list *arguments)
{
    const char *p = skip(*pattern);
    char kind = *p++;
    struct json *x = NULL;
    switch (kind) {
    case 's':
        x = json_string(va_arg(*arguments, const char *));
        break;
    case 'i':
        x = json_integer(va_arg(*arguments, int));
        break;
    case 'I':
        x = json_integer(va_arg(*arguments, int64_t));
        break;
    case 'f':
        x = json_real(va_arg(*arguments, double));
        break;
    case 'b':
        x = json_boolean(va_arg(*arguments, int));
        break;
    case 'o':
        x = va_arg(*arguments, struct json *);
        break;
    case '[':
        x = json_array();
        while (*(p = skip(p)) != ']')
            json_append(x, pack(&p, arguments));
        p++;
        break;
    case '{':
        x = json_object();
        while (*(p = skip(p)) != '}') {
            ASSERT(*p == 's');
            const char *key = va_arg(*arguments, const char *);
            p++;
            json_set(x, key, pack(&p, arguments));
        }
        p++;
        break;
    default:
        ASSERT(false);
    }
    *pattern = p;
    return x;
}

struct json *json_pack(const char *pattern, ...)
{
    va_list arguments;
    va_start(arguments, pattern);
    struct json *x = pack(&pattern, &arguments);
    va_end(arguments);
    return x;
}

/* --- looking --- */

bool json_is(const struct json *x, enum json_type type)
{
    return x && x->type == (int)type;
}

bool json_is_number(const struct json *x)
{
    return json_is(x, JSON_INTEGER) || json_is(x, JSON_REAL);
}

enum json_type json_typeof(const struct json *x)
{
    return (enum json_type)x->type;
}

struct json *json_get(const struct json *object, const char *key)
{
    if (!json_is(object, JSON_OBJECT))
        return NULL;
    int64_t at = find(object, key);
    return at < object->n ? object->items[at] : NULL;
}

size_t json_size(const struct json *x)
{
    return x ? (size_t)x->n : 0;
}

struct json *json_at(const struct json *x, size_t i)
{
    return i < json_size(x) ? x->items[i] : NULL;
}

const char *json_key(const struct json *object, size_t i)
{
    return json_is(object, JSON_OBJECT) && i < json_size(object) ? object->keys[i] : NULL;
}

long long json_integer_value(const struct json *x)
{
    return json_is(x, JSON_INTEGER) ? x->integer : 0;
}

double json_number_value(const struct json *x)
{
    return json_is(x, JSON_REAL) ? x->real : (double)json_integer_value(x);
}

const char *json_string_value(const struct json *x)
{
    return json_is(x, JSON_STRING) ? x->text : NULL;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (!a || !b || a->type != b->type || a->n != b->n)
        return false;
    if (a->type == JSON_STRING)
        return !strcmp(a->text, b->text);
    if (a->type == JSON_REAL)
        return a->real == b->real;
    if (a->type == JSON_INTEGER)
        return a->integer == b->integer;
    for (int64_t i = 0; i < a->n; i++)
        if (!json_equal(a->items[i], a->keys ? json_get(b, a->keys[i]) : b->items[i]))
            return false;
    return true;
}

/* --- printing --- */

static void print_string(struct string *s, const char *text)
{
    static const char marks[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    string_add_bytes(s, "\"", 1);
    for (const char *p = text; *p;) {
        size_t plain = 0;
        while ((unsigned char)p[plain] >= 0x20 && p[plain] != '"' && p[plain] != '\\')
            plain++;
        string_add_bytes(s, p, plain);
        p += plain;
        if (!*p)
            break;
        const char *mark = strchr(marks, *p);
        if (mark)
            string_add(s, "\\%c", letters[mark - marks]);
        else
            string_add(s, "\\u%04X", (unsigned char)*p);
        p++;
    }
    string_add_bytes(s, "\"", 1);
}

/* 17 digits, with a point or an exponent: 0.10000000000000001, 5.0, 1e20, 1e-5. */
static void print_real(struct string *s, double value)
{
    char text[40];
    print_to(text, sizeof text, "%.17g", value);
    char *e = strchr(text, 'e');
    if (!e) {
        string_add(s, "%s%s", text, strchr(text, '.') ? "" : ".0");
        return;
    }
    string_add_bytes(s, text, (size_t)(e - text) + 1);
    string_add(s, "%d", atoi(e + 1));
}

static void print(struct string *s, const struct json *x)
{
    switch (x->type) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        string_add_bytes(s, x->type == JSON_OBJECT ? "{" : "[", 1);
        for (int64_t i = 0; i < x->n; i++) {
            if (i)
                string_add_bytes(s, ",", 1);
            if (x->keys) {
                print_string(s, x->keys[i]);
                string_add_bytes(s, ":", 1);
            }
            print(s, x->items[i]);
        }
        string_add_bytes(s, x->type == JSON_OBJECT ? "}" : "]", 1);
        break;
    case JSON_STRING:
        print_string(s, x->text);
        break;
    case JSON_INTEGER:
        string_add(s, "%" PRId64, x->integer);
        break;
    case JSON_REAL:
        print_real(s, x->real);
        break;
    case JSON_TRUE:
        string_add(s, "true");
        break;
    case JSON_FALSE:
        string_add(s, "false");
        break;
    case JSON_NULL:
        string_add(s, "null");
        break;
    }
}

/* A value may have failed after its parent was put into the tree. */
static int first_error(const struct json *x)
{
    int code = x ? x->error : GLT_ENOMEM;
    for (int64_t i = 0; code == 0 && i < x->n; i++)
        code = first_error(x->items[i]);
    return code;
}

int json_check(const struct json *value)
{
    int code = first_error(value);
    if (code == GLT_ENOMEM)
        return error_topic(error_set(code, "out of memory for a text of JSON"), GLT_TOPIC_MEMORY,
                           NULL);
    if (code < 0)
        return error_topic(error_set(code, "a text is not UTF-8, or a number not finite: JSON "
                                           "cannot hold it"),
                           GLT_TOPIC_VALUE, NULL);
    return 0;
}

int json_print(char **out, size_t *len, const struct json *value)
{
    struct string s = {0};
    TRY(json_check(value));
    print(&s, value);
    size_t size = (size_t)s.len;
    TRY(string_take(out, &s));
    *len = size;
    return 0;
}

/* --- members that must be there --- */

const char *json_type_name(enum json_type type)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",       [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a whole number", [JSON_REAL] = "a number", [JSON_TRUE] = "true or false",
        [JSON_FALSE] = "true or false",    [JSON_NULL] = "null",
    };
    return names[type];
}

int json_want(struct json **out, const char *name, const struct json *object, const char *key,
              enum json_type type)
{
    if (!json_is(object, JSON_OBJECT))
        return error_topic(error_in(GLT_EFORMAT, name, "an object with \"%s\" is expected", key),
                           GLT_TOPIC_VALUE, key);
    struct json *value = json_get(object, key);
    if (!value)
        return error_topic(error_in(GLT_EFORMAT, name, "\"%s\" is missing: %s is expected", key,
                                    json_type_name(type)),
                           GLT_TOPIC_MISSING, key);
    if (!json_is(value, type))
        return error_topic(error_in(GLT_EFORMAT, name, "\"%s\" is %s, but %s is expected", key,
                                    json_type_name(json_typeof(value)), json_type_name(type)),
                           GLT_TOPIC_VALUE, key);
    *out = value;
    return 0;
}

int json_want_string(const char **out, const char *name, const struct json *object, const char *key)
{
    struct json *value = NULL;
    TRY(json_want(&value, name, object, key, JSON_STRING));
    *out = value->text;
    return 0;
}

int json_want_int(int64_t *out, const char *name, const struct json *object, const char *key,
                  int64_t min, int64_t max)
{
    struct json *value = NULL;
    TRY(json_want(&value, name, object, key, JSON_INTEGER));
    if (value->integer < min || value->integer > max)
        return error_topic(error_in(GLT_EFORMAT, name,
                                    "\"%s\" is %lld, but %lld to %lld is expected", key,
                                    (long long)value->integer, (long long)min, (long long)max),
                           GLT_TOPIC_VALUE, key);
    *out = value->integer;
    return 0;
}
