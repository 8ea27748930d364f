/* Options of API calls as text: words "key=value" (or "key" for a flag) separated by blanks, filled
 * into variables by a table. */
#ifndef CORE_WORDS_H
#define CORE_WORDS_H

#include <stddef.h>

enum word_kind {
    WORD_FLAG,   /* bool: "key" or "key=true|false" */
    WORD_INT,    /* int */
    WORD_INT64,  /* int64_t */
    WORD_SEED,   /* uint64_t, any value */
    WORD_NUMBER, /* double */
    WORD_TEXT    /* const char *, into the words' own copy */
};

struct word {
    const char *key;
    enum word_kind kind;
    void *out;
    double low, high; /* of numbers, both included; both 0: any */
};

/* The caller frees *copy (memory_free), also after a failure; texts point into it. words may be
 * NULL. On failure some variables may be set. */
int words_read(char **copy, const char *words, const struct word *table, size_t n);

#endif
