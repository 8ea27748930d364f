/* Option strings: "key=value" pairs (or "key" for a flag) separated by blanks, which a table
 * assigns to variables; and lists "a,b,c" as values. A backslash makes the next character an
 * ordinary one: "rename=a\ b:c". The only parser of both. */
#ifndef CORE_OPTION_STRING_H
#define CORE_OPTION_STRING_H

#include "core/call.h"
#include "core/string.h"

#include <stdbool.h>

enum option_field_kind {
    FIELD_FLAG,  /* bool: "key" or "key=true|false" */
    FIELD_INT,   /* int */
    FIELD_INT64, /* int64_t */
    FIELD_SEED,  /* uint64_t, any value */
    FIELD_REAL,  /* double */
    FIELD_TEXT   /* const char *, in memory of the call */
};

struct option_field {
    const char *key;
    enum option_field_kind kind;
    void *out;
    double low, high; /* of numbers, both included; both 0: any */
};

/* text may be NULL: nothing is set. After a failure (GLT_EARGUMENT, GLT_ENOMEM) some may be set. */
int option_string_read(struct call *call, const char *text, const struct option_field *table,
                       size_t n);

/* The reverse: " key=value" for all that are neither 0 nor NULL nor named in `without`, a list of
 * keys between blanks, such as " max_memory ". */
void option_string_print(struct string *out, const struct option_field *table, size_t n,
                         const char *without);

enum { OPTION_STRING_KEY = 64 };

/* Splits "key=value"; value points into pair. False without "=", without a key, or if it is too
 * long. */
bool option_string_pair(char key[OPTION_STRING_KEY], const char **value, const char *pair);

/* The next item of a list and its length; NULL after the last. Items may be empty: "" has one item,
 * "a," has two. A list that is NULL has none.
 *
 *     size_t len;
 *     for (const char *rest = list, *item; (item = option_string_item(&rest, &len, ','));) */
const char *option_string_item(const char **rest, size_t *len, char separator);

/* The numbers of a list "1,2.5,3": how many, or -1 if there are more than `max` or something is not
 * a number. */
int option_string_numbers(double *dst, int max, const char *list);

#endif
