/* The class catalogue: names and colours of classes, which of them are the parts of one category,
 * and which labels in files stand for them. The same struct serves clouds, datasets, models and
 * traces.
 *
 * Names are found ignoring case. A zeroed catalogue is empty. */
#ifndef CLOUD_CLASSES_H
#define CLOUD_CLASSES_H

#include "core/json.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLASS_NAME_MAX = 47 };          /* bytes of a name in a model file */
enum { CLASS_NUMBER_MAX = 999999999 }; /* of a class that a comment names */

/* Classes first .. first + count - 1 are its parts. */
struct category {
    char *name;
    int32_t first, count;
};

/* The label of a class in files: a name, or a number if the name is NULL. */
struct label {
    char *name;
    int32_t number;
    int32_t class; /* -1: ignored */
};

/* Where the labels come from, which decides the meaning of all other numbers. */
enum label_origin {
    LABELS_ARE_PLACES, /* number i is class i, unless a label says otherwise */
    LABELS_FROM_RULES, /* of a dataset: any other label is an error */
    LABELS_FROM_MODEL, /* those of its training data: others are ignored; without any, as
                        * LABELS_ARE_PLACES */
    LABELS_FROM_NAMES  /* of a file: others have no name */
};

struct classes {
    int32_t n;
    char **names;                /* (n) */
    uint8_t (*colours)[3];       /* (n) */
    struct category *categories; /* (n_categories), of parts */
    int32_t n_categories;
    struct label *labels; /* (n_labels) as given; the first of equal labels counts */
    int32_t *order;       /* (n_labels) their indices, sorted */
    int32_t n_labels;
    enum label_origin origin;
    bool has_rest; /* LABEL_REST stands for all labels that are neither listed nor a class */
};
#define LABEL_REST "rest"

int classes_copy(struct classes *to, const struct classes *from); /* to an empty one */
void classes_free(struct classes *c);                             /* leaves an empty one */
/* GLT_EARGUMENT if a model cannot store it: names must be UTF-8 without control characters,
 * categories within the classes and with different names. */
int classes_check(const struct classes *c);
/* GLT_EARGUMENT if two classes or two categories have the same name. */
int classes_check_unique(const struct classes *c);

/* Appends a class, in the default colour of its place. */
int classes_add(struct classes *c, const char *name);
/* Replaces all classes; the names must not point to those of the old ones. */
int classes_set(struct classes *c, const char *const *names, int32_t n);
/* Changes the name and, unless NULL, the colour of class i, if classes_check accepts that. */
int classes_change(struct classes *c, int32_t i, const char *name, const uint8_t *colour);
int32_t classes_find(const struct classes *c, const char *name); /* -1 if there is none */
/* The default colour of a number, however many classes there are; neighbours differ. */
void classes_colour(uint8_t rgb[3], int32_t number);

int classes_add_category(struct classes *c, const char *name, int32_t first, int32_t count);
/* Appends a category and its classes: "chair 1", "chair 2", .. */
int classes_add_parts(struct classes *c, const char *category, int32_t count);
int32_t classes_category(const struct classes *c, const char *name); /* -1 if there is none */
/* The classes that may occur in a category; all of them for -1 or without categories. */
void classes_range(int32_t *first, int32_t *count, const struct classes *c, int32_t category);

/* Adds a label from text: a number if it is written as one ("2", not "02"), else a name. */
int classes_add_label(struct classes *c, const char *text, int32_t class);
int classes_add_number(struct classes *c, int32_t number, int32_t class);
/* Its index among the labels; n_labels if it is none of them. */
int32_t classes_label(const struct classes *c, const char *text);
int32_t classes_number(const struct classes *c, int32_t number);
/* The class of a number among the labels; -1 if it is not among them, or ignored. */
int32_t classes_of_number(const struct classes *c, int32_t number);
/* Whether the first number of every class is its index: such numbers carry no information. */
bool classes_are_places(const struct classes *c);
/* The first number given for a class; false if it has none. */
bool classes_first_number(int32_t *number, const struct classes *c, int32_t class);

/* --- in the comments of a cloud: "class 7 table" --- */
/* The number and the start of the name; false for any other comment. */
bool classes_comment(int32_t *number, const char **name, const char *comment);
/* Adds the class that a comment names, if any; the first name of a number counts. */
int classes_read_comment(struct classes *c, const char *comment);
/* The name of the class with this number; NULL if the number is not among the labels. */
const char *classes_name(const struct classes *c, int32_t number);
int32_t classes_number_end(const struct classes *c); /* 1 + the largest number; 0 without any */

/* --- in the metadata of model files and traces: docs/reference/model-files.md --- */
struct json *classes_json(const struct classes *c);            /* NULL: out of memory */
struct json *classes_categories_json(const struct classes *c); /* NULL: out of memory */
/* Reads the values of these two; `categories` may be NULL; `file` is for messages. */
int classes_read(struct classes *out, const struct json *classes, const struct json *categories,
                 const char *file);

#endif
