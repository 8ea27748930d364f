/* The class catalogue: see classes.h. */
#include "cloud/classes.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* The first 13 are those of S3DIS pictures. */
void classes_colour(uint8_t rgb[3], int32_t i)
{
    static const uint8_t table[][3] = {
        {0, 255, 0},     {0, 0, 255},     {0, 255, 255},   {255, 255, 0}, {255, 0, 255},
        {100, 100, 255}, {200, 200, 100}, {170, 120, 200}, {255, 0, 0},   {200, 100, 100},
        {10, 200, 100},  {200, 200, 200}, {50, 50, 50},
    };
    enum { TABLE = sizeof table / sizeof *table };
    if (i < TABLE) {
        memcpy(rgb, table[i], 3);
        return;
    }
    /* steps that are prime to 256 visit every shade before one repeats */
    rgb[0] = (uint8_t)(97 * i + 40);
    rgb[1] = (uint8_t)(57 * i + 120);
    rgb[2] = (uint8_t)(151 * i + 200);
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

int32_t classes_find(const struct classes *c, const char *name)
{
    for (int32_t i = 0; i < c->n; i++)
        if (!strcasecmp(c->names[i], name))
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
        if (!strcasecmp(c->categories[i].name, name))
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
    int order = strcasecmp(x->name, y->name);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int check_places(struct place *list, int32_t n, const char *what)
{
    qsort(list, (size_t)n, sizeof *list, compare_places);
    for (int32_t i = 1; i < n; i++)
        if (!strcasecmp(list[i - 1].name, list[i].name))
            return error_set(GLT_EDATA,
                             "%s %d is called '%s' and %d '%s': labels could not tell them apart; "
                             "rename one",
                             what, list[i - 1].at, list[i - 1].name, list[i].at, list[i].name);
    return 0;
}

int classes_check_unique(const struct classes *c)
{
    int32_t n = c->n > c->n_categories ? c->n : c->n_categories;
    struct place *list = memory_alloc((size_t)n + 1, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n; i++)
        list[i] = (struct place){c->names[i], i};
    int code = check_places(list, c->n, "class");
    for (int32_t i = 0; i < c->n_categories; i++)
        list[i] = (struct place){c->categories[i].name, i};
    if (code == 0)
        code = check_places(list, c->n_categories, "category");
    memory_free(list);
    return code;
}

/* --- labels: in the order they were given, which fingerprints know, and found by a sorted list of
 * them, because a label may be looked up for every point --- */

/* The text as a label, without a copy of it. */
static struct label label_of(const char *text)
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

/* Numbers stand before names. */
static int compare_labels(const struct label *a, const struct label *b)
{
    if (!a->name || !b->name)
        return a->name ? 1 : b->name ? -1 : (a->number > b->number) - (a->number < b->number);
    return strcasecmp(a->name, b->name);
}

/* The first of the sorted labels that is not before x. */
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
    const struct label x = label_of(text);
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
    at += find_label(c, &x) < c->n_labels; /* the first of equal ones is found */
    memmove(&c->order[at + 1], &c->order[at], (size_t)(c->n_labels - at) * sizeof *c->order);
    c->order[at] = c->n_labels;
    c->labels[c->n_labels++] = x;
    return 0;
}

int classes_add_label(struct classes *c, const char *text, int32_t class)
{
    struct label x = label_of(text);
    x.class = class;
    return add_label(c, x);
}

int classes_add_number(struct classes *c, int32_t number, int32_t class)
{
    return add_label(c, (struct label){.number = number, .class = class});
}
