/* See class_numbers.h. The numbers of a model's training data may merely count its classes. Those
 * are not used, because programs for LAS would take 7, table, for noise. */
#include "task/class_numbers.h"

#include "cloud/asprs.h"
#include "core/error.h"
#include "core/number.h"
#include "core/option_string.h"

#include <string.h>

enum { NUMBERS = 255 }; /* 255 is none */

/* "wall:70" */
static bool parse_pair(int32_t *class, int32_t *number, const struct classes *x, const char *item,
                       size_t len)
{
    char name[CLASS_NAME_MAX + 1];
    const char *end = item + len, *colon = end;
    int64_t value;
    while (colon > item && *--colon != ':')
        ;
    size_t name_len = (size_t)(colon - item);
    if (colon == item || name_len > CLASS_NAME_MAX ||
        number_parse_int(&value, colon + 1, end) != end || value < 0 || value >= NUMBERS)
        return false;
    memcpy(name, item, name_len);
    name[name_len] = 0;
    *class = classes_find(x, name);
    *number = (int32_t)value;
    return *class >= 0;
}

/* numbers (x->n): -1 for classes missing in map */
static int parse(int32_t *numbers, const struct classes *x, const char *map)
{
    bool taken[NUMBERS] = {false};
    size_t len;
    for (int32_t i = 0; i < x->n; i++)
        numbers[i] = -1;
    for (const char *rest = map, *item; (item = option_string_item(&rest, &len, ','));) {
        int32_t class, number;
        bool fine = parse_pair(&class, &number, x, item, len);
        if (!fine || numbers[class] >= 0 || taken[number])
            return error_topic(error_set(GLT_EARGUMENT,
                                         "map: '%.*s' %s; give classes of the model with numbers 0 "
                                         "to 254, as ground:2,building:6",
                                         (int)len, item,
                                         fine ? "has a class or a number that was given before"
                                              : "is not a class with a number"),
                               GLT_TOPIC_ARGUMENT, "map");
        numbers[class] = number;
        taken[number] = true;
    }
    return 0;
}

int class_numbers_check(const struct classes *x, const char *map)
{
    int32_t numbers[NUMBERS];
    if (x->n > NUMBERS)
        return error_topic(
            error_set(GLT_EARGUMENT,
                      "map: the model has %d classes, but bytes hold only %d numbers", (int)x->n,
                      NUMBERS),
            GLT_TOPIC_ARGUMENT, "map");
    return parse(numbers, x, map);
}

/* Whether every class has a number that was chosen on purpose. */
static bool has_own(uint8_t *numbers, const struct classes *x)
{
    int32_t number;
    for (int32_t k = 0; k < x->n; k++) {
        if (!classes_first_number(&number, x, k) || number < 0 || number >= NUMBERS)
            return false;
        numbers[k] = (uint8_t)number;
    }
    return !classes_are_places(x);
}

/* Applies the numbers of map; a class whose number is taken by another gets the number of that
 * class. */
static void put_given(uint8_t *numbers, const int32_t *given, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        uint8_t before = numbers[k];
        if (given[k] < 0)
            continue;
        for (int32_t i = 0; i < n; i++)
            if (numbers[i] == given[k])
                numbers[i] = before;
        numbers[k] = (uint8_t)given[k];
    }
}

int class_numbers_note(struct glt_cloud *c, const struct classes *x, const char *map)
{
    uint8_t numbers[NUMBERS];
    int32_t given[NUMBERS];
    bool found = x->n <= NUMBERS && (has_own(numbers, x) || asprs_number_all(numbers, x));
    if (found && map) {
        TRY(parse(given, x, map));
        put_given(numbers, given, x->n);
    }
    return cloud_set_note(c, "labels.numbers", numbers, found ? (size_t)x->n : 0);
}
