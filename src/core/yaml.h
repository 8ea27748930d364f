/* YAML over libyaml, as a small tree of scalars, lists and maps.
 *
 * For settings written by people: every node knows its line, and messages name it. Refused with a
 * message: duplicate keys, anchors, aliases and tags (so no text can grow into a larger tree),
 * several documents, keys that are not scalars, more than YAML_MAX bytes, YAML_NODES_MAX nodes or
 * YAML_DEPTH_MAX levels. An empty text is an empty map. */
#ifndef CORE_YAML_H
#define CORE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { YAML_MAX = 1 << 20, YAML_NODES_MAX = 100000, YAML_DEPTH_MAX = 32 };

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml {
    enum yaml_kind kind;
    bool plain;         /* a scalar without quotes */
    int line;           /* from 1 */
    const char *name;   /* of the file, for messages */
    char *text;         /* of a scalar */
    size_t n;           /* items of a list, pairs of a map */
    struct yaml **key;  /* (n) of a map, all scalars */
    struct yaml **item; /* (n) */
};

int yaml_parse(struct yaml **out, const char *name, const char *text, size_t len);
int yaml_read(struct yaml **out, const char *path);
/* The root only; accepts NULL. Not yaml_free: libyaml exports that name, and would call ours. */
void yaml_release(struct yaml *root);

/* The value of a key; NULL if it is not there or the node is not a map. */
const struct yaml *yaml_find(const struct yaml *map, const char *key);
/* As yaml_find, but a missing key or another type is an error. */
int yaml_want(const struct yaml **out, const struct yaml *map, const char *key,
              enum yaml_kind kind);

/* The value of a scalar, or GLT_EFORMAT with file, line, what was found and what is expected. */
int yaml_string(const char **out, const struct yaml *node);
int yaml_int(int64_t *out, const struct yaml *node, int64_t min, int64_t max);
int yaml_double(double *out, const struct yaml *node);

#endif
