/* Option strings: "key=value" pairs (or "key" for a flag) separated by blanks, filled into
 * variables by a table, and the lists "a,b,c" that values may be. The one parser of both. */
#ifndef CORE_OPTION_STRING_H
#define CORE_OPTION_STRING_H

#include "core/call.h"

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

/* text may be NULL: nothing is set. On failure (GLT_EARGUMENT, GLT_ENOMEM) some may be set. */
int option_string_read(struct call *call, const char *text, const struct option_field *table,
                       size_t n);

/* The next item of a list and its length; NULL behind the last. A separator behind the last item
 * is ignored.
 *
 *     size_t len;
 *     for (const char *rest = list, *item; (item = option_string_item(&rest, &len, ','));)
 */
const char *option_string_item(const char **rest, size_t *len, char separator);

/* The numbers of a list "1,2.5,3": how many, or -1 if there are more than `max` or something else
 * stands there. */
int option_string_numbers(double *dst, int max, const char *list);

#endif
