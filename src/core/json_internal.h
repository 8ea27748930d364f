/* Shared by the files of the JSON module. */
#ifndef CORE_JSON_INTERNAL_H
#define CORE_JSON_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

struct json {
    int type;  /* enum json_type */
    int error; /* below 0: something in it could not be made */
    int64_t integer;
    double real;
    char *text;          /* of a string */
    struct json **items; /* (n) of an object or a list */
    char **keys;         /* (n) of an object */
    int32_t *order;      /* (n) indices of the keys, sorted; NULL: not sorted */
    int64_t n;
};

struct json *json_new(int type);
/* Appends; takes key (NULL in a list) and value unless it fails. */
int json_add(struct json *to, char *key, struct json *value);
/* Bytes of the UTF-8 sequence that begins at p (of at most `left` bytes); 0 if it is none. */
size_t json_sequence(const unsigned char *p, size_t left);

#endif
