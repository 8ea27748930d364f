/* The class catalogue: see classes.h. */
#include "cloud/classes.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/string.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 65536 }; /* of a file */

void classes_free(struct classes *c)
{
    for (int32_t i = 0; i < c->n; i++)
        memory_free(c->names[i]);
    for (int32_t i = 0; i < c->n_categories; i++)
        memory_free(c->categories[i].name);
    for (int32_t i = 0; i < c->n_labels; i++)
        memory_free(c->labels[i].name);
    memory_free(c->names);
    memory_free(c->colours);
    memory_free(c->categories);
    memory_free(c->labels);
    memory_free(c->order);
    *c = (struct classes){0};
}

/* --- classes --- */

/* Hue in sixths of the circle, value and saturation 0..1. */
static void colour_of_hue(uint8_t rgb[3], double hue, double saturation, double value)
{
    int sector = (int)(hue * 6);
    double f = hue * 6 - sector, v = value * 255;
    double shades[] = {v, v * (1 - saturation * f), v * (1 - saturation),
                       v * (1 - saturation * (1 - f))};
    static const char order[6][4] = {"032", "102", "203", "210", "320", "021"};
    for (int k = 0; k < 3; k++)
        rgb[k] = (uint8_t)shades[order[sector % 6][k] - '0'];
}

/* The first 13 are the usual colours of S3DIS; the golden angle spreads the hues of the others. */
void classes_colour(uint8_t rgb[3], int32_t number)
{
    static const uint8_t table[][3] = {
        {0, 255, 0},     {0, 0, 255},     {0, 255, 255},   {255, 255, 0}, {255, 0, 255},
        {100, 100, 255}, {200, 200, 100}, {170, 120, 200}, {255, 0, 0},   {200, 100, 100},
        {10, 200, 100},  {200, 200, 200}, {50, 50, 50},
    };
    enum { TABLE = sizeof table / sizeof *table };
    if (number >= 0 && number < TABLE) {
        memcpy(rgb, table[number], 3);
        return;
    }
    double hue = 0.58 + number * 0.61803398874989485;
    int ring = number / 3 % 3;
    colour_of_hue(rgb, hue - floor(hue), ring == 1 ? 0.45 : 0.75, ring == 2 ? 0.62 : 0.92);
}

int classes_add(struct classes *c, const char *name)
{
    TRY(array_reserve(&c->names, c->n, 1, sizeof *c->names));
    TRY(array_reserve(&c->colours, c->n, 1, sizeof *c->colours));
    char *copy = memory_string(name);
    if (!copy)
        return GLT_ENOMEM;
    c->names[c->n] = copy;
    classes_colour(c->colours[c->n], c->n);
    c->n++;
    return 0;
}

int classes_set(struct classes *c, const char *const *names, int32_t n)
{
    while (c->n > 0)
        memory_free(c->names[--c->n]);
    for (int32_t i = 0; i < n; i++)
        TRY(classes_add(c, names[i]));
    return 0;
}

/* Names are shown on terminals and written into lines of text. */
static int check_name(const char *what, int32_t i, const char *name)
{
    if (!*name)
        return error_topic(error_set(GLT_EARGUMENT, "%s %d: its name is empty", what, i),
                           GLT_TOPIC_CLASSES, NULL);
    if (strlen(name) > CLASS_NAME_MAX)
        return error_topic(error_set(GLT_EARGUMENT, "%s %d: '%.60s': give a name of up to %d bytes",
                                     what, i, name, CLASS_NAME_MAX),
                           GLT_TOPIC_CLASSES, NULL);
    if (!json_holds(name))
        return error_topic(
            error_set(GLT_EARGUMENT, "%s %d: its name is not UTF-8; rename it", what, i),
            GLT_TOPIC_CLASSES, NULL);
    if (string_control(name) >= 0)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "%s %d: byte %d of its name is a control character; rename it",
                                     what, i, string_control(name)),
                           GLT_TOPIC_CLASSES, NULL);
    return 0;
}

int classes_change(struct classes *c, int32_t i, const char *name, const uint8_t *colour)
{
    if (i < 0 || i >= c->n)
        return error_topic(error_set(GLT_EARGUMENT, "no class %d: there are %d", i, c->n),
                           GLT_TOPIC_ARGUMENT, "i");
    TRY(check_name("class", i, name));
    char *copy = memory_string(name); /* before the old one is freed: name may point to it */
    if (!copy)
        return GLT_ENOMEM;
    memory_free(c->names[i]);
    c->names[i] = copy;
    if (colour)
        memcpy(c->colours[i], colour, sizeof *c->colours);
    return 0;
}

int32_t classes_find(const struct classes *c, const char *name)
{
    for (int32_t i = 0; i < c->n; i++)
        if (!string_compare_nocase(c->names[i], name))
            return i;
    return -1;
}

/* --- categories --- */

int classes_add_category(struct classes *c, const char *name, int32_t first, int32_t count)
{
    TRY(array_reserve(&c->categories, c->n_categories, 1, sizeof *c->categories));
    char *copy = memory_string(name);
    if (!copy)
        return GLT_ENOMEM;
    c->categories[c->n_categories++] = (struct category){copy, first, count};
    return 0;
}

int classes_add_parts(struct classes *c, const char *category, int32_t count)
{
    TRY(classes_add_category(c, category, c->n, count));
    for (int32_t k = 1; k <= count; k++) {
        char name[64];
        snprintf(name, sizeof name, "%.50s %d", category, k);
        TRY(classes_add(c, name));
    }
    return 0;
}

int32_t classes_category(const struct classes *c, const char *name)
{
    for (int32_t i = 0; i < c->n_categories; i++)
        if (!string_compare_nocase(c->categories[i].name, name))
            return i;
    return -1;
}

void classes_range(int32_t *first, int32_t *count, const struct classes *c, int32_t category)
{
    bool parts = category >= 0 && category < c->n_categories;
    *first = parts ? c->categories[category].first : 0;
    *count = parts ? c->categories[category].count : c->n;
}

/* --- names that differ --- */

struct place {
    const char *name;
    int32_t at;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = string_compare_nocase(x->name, y->name);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int check_places(struct place *list, int32_t n, const char *what)
{
    qsort(list, (size_t)n, sizeof *list, compare_places);
    for (int32_t i = 1; i < n; i++)
        if (!string_compare_nocase(list[i - 1].name, list[i].name))
            return error_topic(error_set(GLT_EARGUMENT,
                                         "two %s are called '%s': %d and %d; rename one", what,
                                         list[i].name, list[i - 1].at, list[i].at),
                               GLT_TOPIC_DUPLICATE, NULL);
    return 0;
}

static int check_different(const struct classes *c, bool categories)
{
    int32_t n = categories ? c->n_categories : c->n;
    struct place *list = memory_alloc((size_t)n + 1, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        list[i] = (struct place){categories ? c->categories[i].name : c->names[i], i};
    int code = check_places(list, n, categories ? "categories" : "classes");
    memory_free(list);
    return code;
}

int classes_check_unique(const struct classes *c)
{
    TRY(check_different(c, false));
    return check_different(c, true);
}

static int check_categories(const struct classes *c, size_t n)
{
    return n <= (size_t)c->n
               ? 0
               : error_topic(error_set(GLT_EARGUMENT,
                                       "%zu categories of %d parts: each needs at least one", n,
                                       c->n),
                             GLT_TOPIC_CATEGORY, NULL);
}

int classes_check(const struct classes *c)
{
    for (int32_t i = 0; i < c->n; i++)
        TRY(check_name("class", i, c->names[i]));
    TRY(check_categories(c, (size_t)c->n_categories));
    for (int32_t i = 0; i < c->n_categories; i++) {
        const struct category *k = &c->categories[i];
        if (k->first < 0 || k->count < 1 || k->count > c->n || k->first > c->n - k->count)
            return error_topic(error_set(GLT_EARGUMENT,
                                         "category %d: %d parts from %d on, but there are %d", i,
                                         k->count, k->first, c->n),
                               GLT_TOPIC_CATEGORY, NULL);
        TRY(check_name("category", i, k->name));
    }
    return check_different(c, true);
}

/* --- labels: kept in the order they were given, on which fingerprints depend, and found by a
 * sorted list, because a label may be looked up for every point --- */

/* The text as a label, not copied. */
static struct label parse_label(const char *text)
{
    struct label x = {.name = (char *)text};
    int64_t number;
    char print[16];
    if (!number_is_int(&number, text) || number < INT32_MIN || number > INT32_MAX)
        return x;
    snprintf(print, sizeof print, "%d", (int)number);
    if (strcmp(print, text) == 0) /* 02 is a name */
        x = (struct label){.number = (int32_t)number};
    return x;
}

/* Numbers come before names. */
static int compare_labels(const struct label *a, const struct label *b)
{
    if (!a->name || !b->name)
        return a->name ? 1 : b->name ? -1 : (a->number > b->number) - (a->number < b->number);
    return string_compare_nocase(a->name, b->name);
}

/* The first of the sorted labels that does not come before x. */
static int32_t place_of(const struct classes *c, const struct label *x)
{
    int32_t low = 0, high = c->n_labels;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare_labels(&c->labels[c->order[middle]], x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t find_label(const struct classes *c, const struct label *x)
{
    int32_t at = place_of(c, x);
    bool found = at < c->n_labels && compare_labels(&c->labels[c->order[at]], x) == 0;
    return found ? c->order[at] : c->n_labels;
}

int32_t classes_label(const struct classes *c, const char *text)
{
    const struct label x = parse_label(text);
    return find_label(c, &x);
}

int32_t classes_number(const struct classes *c, int32_t number)
{
    return find_label(c, &(struct label){.number = number});
}

static int add_label(struct classes *c, struct label x)
{
    TRY(array_reserve(&c->labels, c->n_labels, 1, sizeof *c->labels));
    TRY(array_reserve(&c->order, c->n_labels, 1, sizeof *c->order));
    if (x.name && !(x.name = memory_string(x.name)))
        return GLT_ENOMEM;
    int32_t at = place_of(c, &x);
    at += find_label(c, &x) < c->n_labels; /* so that the first of equal labels is found */
    memmove(&c->order[at + 1], &c->order[at], (size_t)(c->n_labels - at) * sizeof *c->order);
    c->order[at] = c->n_labels;
    c->labels[c->n_labels++] = x;
    return 0;
}

int classes_add_label(struct classes *c, const char *text, int32_t class)
{
    struct label x = parse_label(text);
    x.class = class;
    return add_label(c, x);
}

int classes_add_number(struct classes *c, int32_t number, int32_t class)
{
    return add_label(c, (struct label){.number = number, .class = class});
}

int32_t classes_of_number(const struct classes *c, int32_t number)
{
    int32_t at = classes_number(c, number);
    return at < c->n_labels ? c->labels[at].class : -1;
}

bool classes_first_number(int32_t *number, const struct classes *c, int32_t class)
{
    for (int32_t i = 0; i < c->n_labels; i++)
        if (!c->labels[i].name && c->labels[i].class == class) {
            *number = c->labels[i].number;
            return true;
        }
    return false;
}

bool classes_are_places(const struct classes *c)
{
    int32_t number;
    for (int32_t i = 0; i < c->n; i++)
        if (!classes_first_number(&number, c, i) || number != i)
            return false;
    return true;
}

int classes_copy(struct classes *to, const struct classes *from)
{
    struct classes c = {.origin = from->origin, .has_rest = from->has_rest};
    int code = 0;
    for (int32_t i = 0; code == 0 && i < from->n; i++)
        if ((code = classes_add(&c, from->names[i])) == 0)
            memcpy(c.colours[i], from->colours[i], sizeof *c.colours);
    for (int32_t i = 0; code == 0 && i < from->n_categories; i++)
        code = classes_add_category(&c, from->categories[i].name, from->categories[i].first,
                                    from->categories[i].count);
    for (int32_t i = 0; code == 0 && i < from->n_labels; i++)
        code = add_label(&c, from->labels[i]);
    if (code < 0)
        classes_free(&c);
    else
        *to = c;
    return code;
}

/* --- comments --- */

bool classes_comment(int32_t *number, const char **name, const char *comment)
{
    int used = 0, n = 0;
    if (strncmp(comment, "class ", 6) != 0 || sscanf(comment, "class %9d %n", &n, &used) != 1 ||
        used == 0 || n < 0 || !strchr(" \t", comment[used - 1])) /* the number has more digits */
        return false;
    *number = n;
    *name = comment + used;
    return **name != 0;
}

int classes_read_comment(struct classes *c, const char *comment)
{
    int32_t number;
    const char *name;
    if (!classes_comment(&number, &name, comment) || classes_number(c, number) < c->n_labels)
        return 0;
    c->origin = LABELS_FROM_NAMES;
    TRY(classes_add(c, name));
    return classes_add_number(c, number, c->n - 1);
}

const char *classes_name(const struct classes *c, int32_t number)
{
    int32_t class = classes_of_number(c, number);
    return class >= 0 ? c->names[class] : NULL;
}

int32_t classes_number_end(const struct classes *c)
{
    for (int32_t i = c->n_labels; i-- > 0;) /* names come last */
        if (!c->labels[c->order[i]].name)
            return c->labels[c->order[i]].number + 1;
    return 0;
}

/* --- JSON --- */

/* The numbers of a class: the first, then the others in ascending order. */
static struct json *numbers_json(const struct classes *c, int32_t class)
{
    struct json *out = json_array();
    int32_t first = 0;
    int failed = 0;
    if (classes_first_number(&first, c, class))
        failed = json_append(out, json_integer(first));
    for (int32_t i = 0; i < c->n_labels; i++) {
        const struct label *x = &c->labels[c->order[i]];
        if (x->class == class && x->number != first)
            failed |= json_append(out, json_integer(x->number));
    }
    if (failed || !out) {
        json_free(out);
        return NULL;
    }
    return out;
}

struct json *classes_json(const struct classes *c)
{
    struct json *out = json_array();
    for (int32_t i = 0; i < c->n; i++) {
        const uint8_t *rgb = c->colours[i];
        struct json *item =
            json_pack("{s:s, s:[i, i, i]}", "name", c->names[i], "color", rgb[0], rgb[1], rgb[2]);
        int failed = c->n_labels ? json_set(item, "numbers", numbers_json(c, i)) : 0;
        if (json_append(out, item) || failed) {
            json_free(out);
            return NULL;
        }
    }
    return out;
}

struct json *classes_categories_json(const struct classes *c)
{
    struct json *out = json_array();
    for (int32_t i = 0; i < c->n_categories; i++) {
        const struct category *k = &c->categories[i];
        if (json_append(out, json_pack("{s:s, s:i, s:i}", "name", k->name, "first", k->first,
                                       "count", k->count))) {
            json_free(out);
            return NULL;
        }
    }
    return out;
}

static int read_class(struct classes *c, const struct json *item, const char *file)
{
    const char *name;
    struct json *colour;
    TRY(json_want_string(&name, file, item, "name"));
    TRY(json_want(&colour, file, item, "color", JSON_ARRAY));
    TRY(classes_add(c, name));
    for (size_t k = 0; k < 3; k++) {
        const struct json *value = json_at(colour, k);
        int64_t number = json_is(value, JSON_INTEGER) ? json_integer_value(value) : -1;
        if (number < 0 || number > 255 || json_size(colour) != 3)
            return error_topic(error_set(GLT_EARGUMENT,
                                         "class %d: its colour is not three numbers 0 to 255",
                                         c->n - 1),
                               GLT_TOPIC_CLASSES, NULL);
        c->colours[c->n - 1][k] = (uint8_t)number;
    }
    return 0;
}

static int read_numbers(struct classes *c, int32_t class, const struct json *numbers)
{
    if (numbers && !json_is(numbers, JSON_ARRAY))
        return error_topic(error_set(GLT_EARGUMENT, "class %d: its numbers are not a list", class),
                           GLT_TOPIC_CLASSES, NULL);
    for (size_t k = 0; k < json_size(numbers); k++) {
        const struct json *item = json_at(numbers, k);
        int64_t number = json_is(item, JSON_INTEGER) ? json_integer_value(item) : INT64_MAX;
        if (number < INT32_MIN || number > INT32_MAX)
            return error_topic(
                error_set(GLT_EARGUMENT, "class %d: its numbers are not 32-bit integers", class),
                GLT_TOPIC_CLASSES, NULL);
        if (c->n_labels == LABELS_MAX)
            return error_topic(
                error_set(GLT_EARGUMENT, "more than %d numbers of classes", LABELS_MAX),
                GLT_TOPIC_CLASSES, NULL);
        if (classes_number(c, (int32_t)number) < c->n_labels)
            return error_topic(error_set(GLT_EARGUMENT,
                                         "number %d is given twice, to class %d and to %d",
                                         (int)number, classes_of_number(c, (int32_t)number), class),
                               GLT_TOPIC_DUPLICATE, NULL);
        TRY(classes_add_number(c, (int32_t)number, class));
    }
    return 0;
}

static int read_category(struct classes *c, const struct json *item, const char *file)
{
    const char *name;
    int64_t first, count;
    TRY(json_want_string(&name, file, item, "name"));
    TRY(json_want_int(&first, file, item, "first", 0, INT32_MAX));
    TRY(json_want_int(&count, file, item, "count", 1, INT32_MAX));
    return classes_add_category(c, name, (int32_t)first, (int32_t)count);
}

static int read_all(struct classes *c, const struct json *classes, const struct json *categories,
                    const char *file)
{
    for (size_t i = 0; i < json_size(classes); i++) {
        const struct json *item = json_at(classes, i);
        TRY(read_class(c, item, file));
        TRY(read_numbers(c, (int32_t)i, json_get(item, "numbers")));
    }
    c->origin = LABELS_FROM_MODEL;
    TRY(check_categories(c, json_size(categories))); /* before they are read */
    for (size_t i = 0; i < json_size(categories); i++)
        TRY(read_category(c, json_at(categories, i), file));
    return classes_check(c);
}

int classes_read(struct classes *out, const struct json *classes, const struct json *categories,
                 const char *file)
{
    struct classes c = {0};
    int code = read_all(&c, classes, categories, file);
    if (code < 0)
        classes_free(&c);
    else
        *out = c;
    return code == GLT_EARGUMENT ? error_prefix_file(GLT_EMODEL, file) : code;
}
