/* Reading JSON. Texts come from untrusted files: size, depth and number of values are bounded,
 * strings are UTF-8, duplicate keys are refused, and messages name line and byte. */
#ifndef CORE_JSON_PARSE_H
#define CORE_JSON_PARSE_H

#include "core/json.h"

/* Bytes: a patch of 3,000,000 points may name each of them. */
enum { JSON_MAX = 64 << 20, JSON_DEPTH_MAX = 64, JSON_VALUES_MAX = 1 << 19 };

/* All of text is one value; `name` is for messages. */
int json_parse(struct json **out, const char *name, const char *text, size_t len);
/* A whole file that holds one value of the type. */
int json_parse_file(struct json **out, const char *path, enum json_type type);

#endif
