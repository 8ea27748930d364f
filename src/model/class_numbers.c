/* Numbers of classes: what the labels of the files a model was trained from stand for (2 ground, 6
 * building), where its data set had rules for them. Invariant: sorted by number, none twice; of
 * each class that has some, one is the first, which is written where one has to do. */
#include "model/class_numbers.h"

#include "core/error.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 65536 };

static int compare(const void *a, const void *b)
{
    int32_t x = ((const struct class_number *)a)->number,
            y = ((const struct class_number *)b)->number;
    return (x > y) - (x < y);
}

int model_set_numbers(struct model *m, const struct class_number *list, int32_t n)
{
    struct class_number *copy = n ? memory_alloc((size_t)n, sizeof *copy) : NULL;
    bool *seen = memory_alloc((size_t)m->classes, sizeof *seen);
    int code = seen && (copy || !n) ? 0 : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < n; i++) {
        if (list[i].class < 0 || list[i].class >= m->classes) {
            code = error_set(GLT_EARGUMENT, "no class %d: the model has %d", list[i].class,
                             m->classes);
            break;
        }
        copy[i] = list[i];
        copy[i].first = !seen[list[i].class];
        seen[list[i].class] = true;
    }
    if (code == 0 && n)
        qsort(copy, (size_t)n, sizeof *copy, compare);
    for (int32_t i = 1; code == 0 && i < n; i++)
        if (copy[i].number == copy[i - 1].number)
            code = error_set(GLT_EARGUMENT, "number %d is given twice, to class %d and to %d",
                             copy[i].number, copy[i - 1].class, copy[i].class);
    memory_free(seen);
    if (code < 0) {
        memory_free(copy);
        return code;
    }
    memory_free(m->numbers);
    m->numbers = copy;
    m->n_numbers = n;
    return 0;
}

int32_t model_number_class(const struct model *m, int32_t number)
{
    const struct class_number key = {.number = number};
    const struct class_number *found = NULL;
    if (m->n_numbers)
        found = bsearch(&key, m->numbers, (size_t)m->n_numbers, sizeof key, compare);
    return found ? found->class : -1;
}

/* The first, then the others. */
json_t *numbers_json(const struct model *m, int32_t class)
{
    json_t *out = json_array();
    int failed = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int32_t i = 0; i < m->n_numbers; i++)
            if (m->numbers[i].class == class && m->numbers[i].first != turn)
                failed |= json_array_append_new(out, json_integer(m->numbers[i].number));
    if (failed || !out) {
        json_decref(out);
        return NULL;
    }
    return out;
}

static int read_number(struct class_number *out, const json_t *item, int32_t class,
                       const char *file)
{
    int64_t number = json_is_integer(item) ? json_integer_value(item) : INT64_MAX;
    if (number < INT32_MIN || number > INT32_MAX)
        return error_set(GLT_EMODEL, "%s: class %d: its numbers are not whole ones of 32 bits",
                         file, class);
    *out = (struct class_number){.number = (int32_t)number, .class = class};
    return 0;
}

int numbers_read(struct model *m, const json_t *classes, const char *file)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(classes); i++) {
        const json_t *numbers = json_object_get(json_array_get(classes, i), "numbers");
        if (numbers && !json_is_array(numbers))
            return error_set(GLT_EMODEL, "%s: class %zu: its numbers are no list", file, i);
        n += json_array_size(numbers);
    }
    if (n == 0)
        return 0;
    if (n > NUMBERS_MOST)
        return error_set(GLT_EMODEL, "%s: %zu numbers of classes, %d at most", file, n,
                         NUMBERS_MOST);
    struct class_number *list = memory_alloc(n, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    int code = 0;
    n = 0;
    for (size_t i = 0; i < json_array_size(classes); i++) {
        const json_t *numbers = json_object_get(json_array_get(classes, i), "numbers");
        for (size_t k = 0; k < json_array_size(numbers) && code == 0; k++)
            code = read_number(&list[n++], json_array_get(numbers, k), (int32_t)i, file);
    }
    if (code == 0 && model_set_numbers(m, list, (int32_t)n) < 0)
        code = error_prefix(GLT_EMODEL, "%s: ", file);
    memory_free(list);
    return code;
}
