/* JSON over jansson: see json.h. */
#include "core/json.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* jansson's own bound (2048) is for its stack, not ours; and three bytes of text may be a value of
 * two hundred bytes that no limit counts. What stands inside strings does not count. */
static int check_size(const char *name, const char *text, size_t len)
{
    int depth = 0, values = 0;
    bool inside = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        values += !inside && (c == '{' || c == '[' || c == ',');
        if (values > JSON_VALUES_MOST)
            return error_set(GLT_ELIMIT, "%s: more than %d values of JSON", name, JSON_VALUES_MOST);
        if (inside) {
            if (c == '\\')
                i++;
            else if (c == '"')
                inside = false;
        } else if (c == '"') {
            inside = true;
        } else if (c == '{' || c == '[') {
            if (++depth > JSON_DEPTH_MOST)
                return error_set(GLT_ELIMIT,
                                 "%s: byte %zu: lists and objects are nested over %d deep", name, i,
                                 JSON_DEPTH_MOST);
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    return 0;
}

int json_parse(json_t **out, const char *name, const char *text, size_t len)
{
    if (len > JSON_MOST)
        return error_set(GLT_ELIMIT, "%s: %zu bytes of JSON, but at most %d are read", name, len,
                         JSON_MOST);
    const char *zero = len ? memchr(text, 0, len) : NULL; /* jansson skips it behind a number */
    if (zero)
        return error_set(GLT_EFORMAT, "%s: byte %td: a zero byte in JSON", name, zero - text);
    TRY(check_size(name, text, len));
    json_error_t error;
    json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!value) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return error_set(GLT_ENOMEM, "%s: out of memory for JSON of %zu bytes", name, len);
        return error_set(GLT_EFORMAT, "%s: line %d, column %d (byte %d): %s", name, error.line,
                         error.column, error.position, error.text);
    }
    *out = value;
    return 0;
}

static const char *type_name(json_type type)
{
    switch (type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "a whole number";
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    default:
        return "null";
    }
}

int json_read(json_t **out, const char *path, json_type type)
{
    char *text = NULL;
    size_t len;
    json_t *value = NULL;
    TRY(file_read_all(&text, &len, path, JSON_MOST));
    int code = json_parse(&value, path, text, len);
    memory_free(text);
    TRY(code);
    if (json_typeof(value) != type) {
        code = error_set(GLT_EFORMAT, "%s: %s, but %s is expected", path,
                         type_name(json_typeof(value)), type_name(type));
        json_decref(value);
        return code;
    }
    *out = value;
    return 0;
}

int json_print(char **out, size_t *len, const json_t *value)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    size_t size = json_dumpb(value, NULL, 0, flags);
    if (size == 0)
        return error_set(GLT_EARGUMENT, "a value cannot be written as JSON (not UTF-8?)");
    char *text = memory_alloc(size + 1, 1);
    if (!text)
        return GLT_ENOMEM;
    if (json_dumpb(value, text, size, flags) != size) {
        memory_free(text);
        return error_set(GLT_ENOMEM, "out of memory while writing JSON of %zu bytes", size);
    }
    *out = text;
    *len = size;
    return 0;
}

bool json_holds(const char *text)
{
    json_t *x = json_string(text);
    bool holds = x != NULL;
    json_decref(x);
    return holds;
}

json_t *json_finite(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

int json_want(json_t **out, const char *name, const json_t *object, const char *key, json_type type)
{
    if (!json_is_object(object))
        return error_set(GLT_EFORMAT, "%s: an object with \"%s\" is expected", name, key);
    json_t *value = json_object_get(object, key);
    if (!value)
        return error_set(GLT_EFORMAT, "%s: \"%s\" is missing: %s is expected", name, key,
                         type_name(type));
    if (json_typeof(value) != type)
        return error_set(GLT_EFORMAT, "%s: \"%s\" is %s, but %s is expected", name, key,
                         type_name(json_typeof(value)), type_name(type));
    *out = value;
    return 0;
}

int json_want_string(const char **out, const char *name, const json_t *object, const char *key)
{
    json_t *value = NULL;
    TRY(json_want(&value, name, object, key, JSON_STRING));
    *out = json_string_value(value);
    return 0;
}

int json_want_int(int64_t *out, const char *name, const json_t *object, const char *key,
                  int64_t least, int64_t most)
{
    json_t *value = NULL;
    TRY(json_want(&value, name, object, key, JSON_INTEGER));
    int64_t number = json_integer_value(value);
    if (number < least || number > most)
        return error_set(GLT_EFORMAT, "%s: \"%s\" is %lld, but %lld to %lld is expected", name, key,
                         (long long)number, (long long)least, (long long)most);
    *out = number;
    return 0;
}
