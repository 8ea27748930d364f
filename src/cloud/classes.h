/* The class catalogue: what the classes are called, which colours they have, which of them are the
 * parts of one category, and which labels of files stand for them. One form for all who know
 * classes: a cloud, a dataset, a model, a trace.
 *
 * Names are found in any case of their letters. A zeroed catalogue is an empty one. */
#ifndef CLOUD_CLASSES_H
#define CLOUD_CLASSES_H

#include "core/json.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLASS_NAME_MAX = 47 }; /* bytes of a name in a model file */

/* Classes first .. first + count - 1 are its parts. */
struct category {
    char *name;
    int32_t first, count;
};

/* What files call a class: a name, or a number where the name is NULL. */
struct label {
    char *name;
    int32_t number;
    int32_t class; /* -1: ignored */
};

/* Where the labels come from, which says what a number is that is none of them. */
enum label_origin {
    LABELS_ARE_PLACES, /* number i is class i, unless a label says otherwise */
    LABELS_FROM_RULES, /* of a dataset: any other is an error */
    LABELS_FROM_MODEL, /* those it was trained from: others are ignored; without any, places */
    LABELS_FROM_NAMES  /* of a file: others have no name */
};

struct classes {
    int32_t n;
    char **names;                /* (n) */
    uint8_t (*colours)[3];       /* (n) */
    struct category *categories; /* (n_categories), of parts */
    int32_t n_categories;
    struct label *labels; /* (n_labels) as given: the first of equal ones counts */
    int32_t *order;       /* (n_labels) the same, sorted */
    int32_t n_labels;
    enum label_origin origin;
    bool has_rest; /* the label LABEL_REST is for all that have neither a label nor a class */
};
#define LABEL_REST "rest"

int classes_copy(struct classes *to, const struct classes *from); /* to an empty one */
void classes_free(struct classes *c);                             /* leaves an empty one */
/* What a model can hold: names of UTF-8 without control characters, categories within the classes
 * and with different names; GLT_EARGUMENT otherwise. */
int classes_check(const struct classes *c);
/* GLT_EARGUMENT if two classes or two categories have the same name. */
int classes_check_unique(const struct classes *c);

/* A class behind the others, in a colour of its own. */
int classes_add(struct classes *c, const char *name);
/* These in place of all others, whose names may not be among them. */
int classes_set(struct classes *c, const char *const *names, int32_t n);
/* Another name and, unless NULL, another colour for class i, if classes_check would pass it. */
int classes_change(struct classes *c, int32_t i, const char *name, const uint8_t *colour);
int32_t classes_find(const struct classes *c, const char *name); /* -1 if there is none */
/* The colour of class i where nobody chose one; neighbours differ. */
void classes_colour(uint8_t rgb[3], int32_t i);

int classes_add_category(struct classes *c, const char *name, int32_t first, int32_t count);
/* A category and its classes behind the others: "chair 1", "chair 2", .. */
int classes_add_parts(struct classes *c, const char *category, int32_t count);
int32_t classes_category(const struct classes *c, const char *name); /* -1 if there is none */
/* The classes that may occur in a category; all of them for -1, and where there are no categories.
 */
void classes_range(int32_t *first, int32_t *count, const struct classes *c, int32_t category);

/* A label as text: a number if it is written as one ("2", not "02"), else a name. */
int classes_add_label(struct classes *c, const char *text, int32_t class);
int classes_add_number(struct classes *c, int32_t number, int32_t class);
/* Its place among the labels; n_labels if it is none of them. */
int32_t classes_label(const struct classes *c, const char *text);
int32_t classes_number(const struct classes *c, int32_t number);
/* The class of a number that is one of the labels; -1 if it is none, or ignored. */
int32_t classes_of_number(const struct classes *c, int32_t number);
/* Whether the first number of every class is its place: such numbers are only a count. */
bool classes_are_places(const struct classes *c);
/* The number that was given first for a class; false if it has none. */
bool classes_first_number(int32_t *number, const struct classes *c, int32_t class);

/* --- in the comments of a cloud: "class 7 table" --- */
/* The number and where the name begins; false for any other comment. */
bool classes_comment(int32_t *number, const char **name, const char *comment);
/* The class a comment names, if it does; the first name of a number counts. */
int classes_read_comment(struct classes *c, const char *comment);
/* The name of the class with this number; NULL if the number is none of the labels. */
const char *classes_name(const struct classes *c, int32_t number);
int32_t classes_number_end(const struct classes *c); /* 1 + the largest number; 0 without any */

/* --- in the metadata of model files and traces: docs/reference/model-files.md --- */
struct json *classes_json(const struct classes *c);            /* NULL: out of memory */
struct json *classes_categories_json(const struct classes *c); /* NULL: out of memory */
/* From the values of these two, `categories` may be NULL; `file` is for messages. */
int classes_read(struct classes *out, const struct json *classes, const struct json *categories,
                 const char *file);

#endif
