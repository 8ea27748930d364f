/* JSON: a bounded reader, a tree of values, a printer.
 *
 * Texts come from untrusted files: size, depth and number of values are bounded, strings are UTF-8,
 * duplicate keys are refused, and messages name line and byte. Values use memory.h, so limits and
 * injected failures apply to them.
 *
 * A value belongs to the object or list that holds it; the owner of the root frees it. Trees are
 * built without checking every step: a value that cannot be made (no memory, a text that is not
 * UTF-8) marks the object or list it was meant for, and json_print reports it, wherever in the tree
 * that is. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_REAL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
};

struct json;

/* --- printing --- */
/* Compact, keys in their order, reals with 17 digits; NUL-terminated, release with memory_free.
 * GLT_ENOMEM or GLT_EARGUMENT if something in the tree could not be made. */
int json_print(char **out, size_t *len, const struct json *value);
/* The error that json_print would report, for code that reads a tree it built. */
int json_check(const struct json *value);
/* Whether JSON can hold it as a string: it must be UTF-8. */
bool json_holds(const char *text);

/* --- making values; NULL if there is no memory --- */
struct json *json_object(void);
struct json *json_array(void);
struct json *json_string(const char *text);
struct json *json_integer(int64_t value);
struct json *json_real(double value);
struct json *json_finite(double value); /* NaN and infinity, which JSON has not, become null */
struct json *json_boolean(bool value);
struct json *json_null(void);
struct json *json_copy(const struct json *value); /* NULL of NULL */
/* Builds a value from a pattern: {s:X, ..} is an object, [X, ..] a list; X is s (const char *), i
 * (int), I (int64_t), f (double), b (int), o (struct json *, which it takes), an object or a list.
 */
struct json *json_pack(const char *pattern, ...);
void json_free(struct json *value); /* accepts NULL */

/* Both take the value, even if they fail, and return 0 or the code that json_print will report. An
 * existing key gets the new value. */
int json_set(struct json *object, const char *key, struct json *value);
int json_append(struct json *array, struct json *value);
void json_remove(struct json *object, const char *key); /* if it exists */

/* --- reading; all accept NULL and values of other types --- */
bool json_is(const struct json *value, enum json_type type);
bool json_is_number(const struct json *value);
const char *json_type_name(enum json_type type);                   /* "a list", for messages */
enum json_type json_typeof(const struct json *value);              /* not NULL */
struct json *json_get(const struct json *object, const char *key); /* NULL if absent */
size_t json_size(const struct json *value);                        /* members, items */
struct json *json_at(const struct json *value, size_t i);          /* NULL after the last */
const char *json_key(const struct json *object, size_t i);         /* NULL after the last */
long long json_integer_value(const struct json *value);            /* 0 of others */
double json_number_value(const struct json *value);                /* 0 of others */
const char *json_string_value(const struct json *value);           /* NULL of others */
bool json_equal(const struct json *a, const struct json *b);

/* A member that must exist and have this type; `name` is for messages. The value is borrowed. */
int json_want(struct json **out, const char *name, const struct json *object, const char *key,
              enum json_type type);
int json_want_string(const char **out, const char *name, const struct json *object,
                     const char *key);
int json_want_int(int64_t *out, const char *name, const struct json *object, const char *key,
                  int64_t min, int64_t max);

#endif
