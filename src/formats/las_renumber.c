/* Numbers of classes in LAS. Programs for LAS treat 2 as ground and 7 as noise whatever the names
 * in the file, so classes that are merely counted (0 ceiling, 1 floor, ..) get other numbers: those
 * of the ASPRS for a class with such a name, else from 64 on, which are free for users. Numbers
 * that a model was trained with or a user chose stay (the note "labels.numbers"; "classes" is
 * "mapped" if the labels themselves are such numbers). Label, truth, second and the names of
 * classes change together, so that they always agree; the cloud itself is not changed. Points
 * without a label are unclassified. */
#include "formats/las_renumber.h"

#include "cloud/asprs.h"
#include "cloud/classes.h"
#include "cloud/column.h"
#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NONE = 255, UNCLASSIFIED = 1, NUMBERS_MAX = 255 };

/* The LAS number of each label 0 .. len - 1. */
struct numbers {
    uint8_t of[NUMBERS_MAX];
    int32_t len;
};

static bool is_none(double label)
{
    return label == -1 || label == NONE;
}

/* Whether every label is the number of a class, or none. */
static bool are_known(const struct column *label, int32_t classes, int64_t n)
{
    if (!label || !column_is_single(label))
        return false;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(label, i);
        if (!is_none(v) && !(v >= 0 && v < classes && v == floor(v)))
            return false;
    }
    return true;
}

static bool is_used(const struct numbers *x, int32_t number)
{
    return memchr(x->of, number, (size_t)x->len);
}

/* Numbers for classes that were added since a prediction: see asprs_number_all. */
static void extend(struct numbers *x, const struct classes *c)
{
    enum { FIRST_OF_USERS = 64 };
    while (x->len < c->n) {
        int32_t number = asprs_number(c->names[x->len]);
        if (number < 0 || is_used(x, number))
            for (number = FIRST_OF_USERS; number < NONE && is_used(x, number);)
                number++;
        if (number == NONE)
            return;
        x->of[x->len++] = (uint8_t)number;
    }
}

static void find_numbers(struct numbers *out, const struct glt_cloud *c)
{
    const struct note *given = cloud_note(c, "labels.numbers"), *own = cloud_note(c, "classes");
    out->len = 0;
    if (own && !strcmp((const char *)own->bytes, "mapped"))
        return;
    if (given && given->len && given->len <= NUMBERS_MAX) {
        memcpy(out->of, given->bytes, given->len);
        out->len = (int32_t)given->len;
        if (classes_are_places(&c->classes))
            extend(out, &c->classes);
    } else {
        bool given_anew = classes_are_places(&c->classes) && c->classes.n <= NUMBERS_MAX &&
                          asprs_number_all(out->of, &c->classes);
        out->len = given_anew ? c->classes.n : 0;
    }
    if (!are_known(cloud_attribute(c, "label"), out->len, c->n))
        out->len = 0;
}

/* Attributes of class numbers are bytes; a label may also be wider, with -1 for none. */
static bool has_classes(const struct column *x, bool label)
{
    return x && column_is_single(x) && (label || x->type == GLT_U8);
}

static int renumber_column(struct column *x, const struct numbers *numbers, int64_t n, bool label)
{
    uint8_t *to = memory_alloc((size_t)n, sizeof *to);
    if (!to)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(x, i);
        to[i] = v >= 0 && v < numbers->len ? numbers->of[(int32_t)v]
                : label                    ? UNCLASSIFIED
                                           : (uint8_t)v;
    }
    x->type = GLT_U8;
    x->scale = 1;
    x->offset = 0;
    x->stride = 0;
    x->borrowed = false;
    x->data = to;
    return 0;
}

static int renumber_comment(char **comment, const struct numbers *numbers)
{
    int32_t number;
    const char *name;
    char text[300];
    if (!classes_comment(&number, &name, *comment) || number >= numbers->len)
        return 0;
    snprintf(text, sizeof text, "class %d %.255s", numbers->of[number], name);
    *comment = memory_string(text);
    return *comment ? 0 : GLT_ENOMEM;
}

void las_renumber_free(struct glt_cloud *own, const struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns && own->columns && own->columns != c->columns; i++)
        if (own->columns[i].data != c->columns[i].data)
            memory_free(own->columns[i].data);
    for (int32_t i = 0; i < c->n_comments && own->comments && own->comments != c->comments; i++)
        if (own->comments[i] != c->comments[i])
            memory_free(own->comments[i]);
    if (own->columns != c->columns)
        memory_free(own->columns);
    if (own->comments != c->comments) {
        memory_free(own->comments);
        classes_free(&own->classes);
    }
}

int las_renumber(struct glt_cloud *own, const struct glt_cloud *c)
{
    static const char *const names[] = {"label", "truth", "second"};
    struct numbers numbers;
    *own = *c;
    find_numbers(&numbers, c);
    if (!numbers.len)
        return 0;
    own->columns = memory_alloc((size_t)c->n_columns, sizeof *own->columns);
    own->comments = memory_alloc((size_t)c->n_comments + 1, sizeof *own->comments);
    own->classes = (struct classes){0};
    int code = own->columns && own->comments ? 0 : GLT_ENOMEM;
    if (own->columns)
        memcpy(own->columns, c->columns, (size_t)c->n_columns * sizeof *own->columns);
    if (own->comments && c->n_comments)
        memcpy(own->comments, c->comments, (size_t)c->n_comments * sizeof *own->comments);
    for (int i = 0; i < 3 && code == 0; i++) {
        struct column *x = cloud_attribute(own, names[i]);
        code = has_classes(x, i == 0) ? renumber_column(x, &numbers, c->n, i == 0) : 0;
    }
    for (int32_t i = 0; i < c->n_comments && code == 0; i++)
        code = renumber_comment(&own->comments[i], &numbers);
    if (code == 0)
        code = cloud_read_classes(own);
    if (code < 0)
        las_renumber_free(own, c);
    return code;
}
