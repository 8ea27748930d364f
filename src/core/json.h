/* JSON over jansson: whole texts of bounded size and depth, with messages that name the place.
 *
 * Values are jansson's own (json_decref releases them); its memory is malloc's, because its
 * allocator is one per process and a library must not change it. Duplicate keys are refused. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_MOST = 16 << 20, JSON_DEPTH_MOST = 64, JSON_VALUES_MOST = 1 << 19 };

/* All of text is one value; `name` stands in messages. */
int json_parse(json_t **out, const char *name, const char *text, size_t len);
/* A whole file that holds one value of the type. */
int json_read(json_t **out, const char *path, json_type type);
/* Compact, keys in their order, reals with 17 digits; NUL-terminated, release with memory_free. */
int json_print(char **out, size_t *len, const json_t *value);
/* Whether JSON can hold it as a string: it must be UTF-8. */
bool json_holds(const char *text);
/* JSON has no NaN and no infinity: they become null. */
json_t *json_finite(double x);

/* A member that must be there and of the type; `name` stands in messages. The value is borrowed. */
int json_want(json_t **out, const char *name, const json_t *object, const char *key,
              json_type type);
int json_want_string(const char **out, const char *name, const json_t *object, const char *key);
int json_want_int(int64_t *out, const char *name, const json_t *object, const char *key,
                  int64_t least, int64_t most);

#endif
