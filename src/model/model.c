/* Models: creation, initial values, names. See model.h. */
#include "model/model.h"

#include "core/array.h"
#include "core/control.h"
#include "core/error.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct parameter *model_find(const struct model *m, const char *name)
{
    for (int32_t i = 0; i < m->count; i++)
        if (!strcmp(m->parameters[i].name, name))
            return &m->parameters[i];
    return NULL;
}

struct parameter *model_parameter(struct model *m, const char *name, int64_t rows, int64_t cols,
                                  bool vector, enum parameter_init init)
{
    struct parameter *p = model_find(m, name);
    if (p) {
        ASSERT(p->rows == rows && p->cols == cols);
        return p;
    }
    ASSERT(!m->block);
    if (array_reserve(&m->parameters, m->count, 1, sizeof *p) < 0)
        return NULL;
    p = &m->parameters[m->count++];
    *p = (struct parameter){.rows = rows, .cols = cols, .vector = vector, .init = init};
    snprintf(p->name, sizeof p->name, "%s", name);
    p->statistic = strstr(name, ".bn.running_") != NULL;
    p->offset = m->size;
    m->size += (rows * cols + 15) / 16 * 16; /* each starts on a cache line */
    return p;
}

int64_t model_trainable(const struct model *m)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < m->count; i++)
        if (!m->parameters[i].statistic)
            sum += m->parameters[i].rows * m->parameters[i].cols;
    return sum;
}

/* Kaiming-normal: deviation sqrt(2 / fan_in); uniform: +-1 / sqrt(fan_in). Rounded to float in
 * every build, so that double starts where float does. */
static void initialise(struct model *m, int32_t index)
{
    const struct parameter *p = &m->parameters[index];
    real *w = m->block + p->offset;
    struct random_stream s =
        random_stream((uint64_t)m->config.seed, 0, (uint32_t)index, RANDOM_INIT);
    struct random r = random_start(s, 0);
    double fan_in = (double)p->cols;
    for (int64_t i = 0; i < p->rows * p->cols; i++) {
        double value = p->init == INIT_ONE ? 1 : 0;
        if (p->init == INIT_KAIMING)
            value = random_normal(&r) * sqrt(2 / fan_in);
        if (p->init == INIT_UNIFORM)
            value = (2 * random_uniform(&r) - 1) / sqrt(fan_in);
        w[i] = (real)(float)value;
    }
}

static int name_classes(struct model *m)
{
    m->class_info = memory_alloc((size_t)m->classes, sizeof *m->class_info);
    if (!m->class_info)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < m->classes; i++) {
        struct class_info *k = &m->class_info[i];
        uint32_t hue = (uint32_t)i * 2654435761u; /* Knuth's multiplier spreads them */
        snprintf(k->name, sizeof k->name, "class_%d", i);
        for (int j = 0; j < 3; j++)
            k->color[j] = (uint8_t)(hue >> (24 - 8 * j));
    }
    return 0;
}

static int complete(struct model *m, int64_t most)
{
    int64_t numbers = 0;
    TRY(config_channels(&m->config, &m->channels));
    TRY(name_classes(m));
    TRY(network_declare(m));
    for (int32_t i = 0; i < m->count; i++)
        numbers += m->parameters[i].rows * m->parameters[i].cols;
    if (numbers > most)
        return error_set(GLT_EMODEL, "the network has %lld parameters where %lld fit",
                         (long long)numbers, (long long)most);
    m->block = memory_alloc((size_t)m->size, sizeof(real));
    return m->block ? 0 : GLT_ENOMEM;
}

int model_allocate(struct model **out, const struct config *c, int32_t classes, int64_t most)
{
    TRY(config_check(c));
    if (classes < 2 || classes > 65535)
        return error_set(GLT_EARGUMENT, "%d classes: give 2 to 65535", classes);
    struct model *m = memory_alloc(1, sizeof *m);
    if (!m)
        return GLT_ENOMEM;
    m->config = *c;
    m->classes = classes;
    int code = complete(m, most);
    if (code < 0)
        model_free(m);
    else
        *out = m;
    return code;
}

int model_create(struct model **out, const struct config *c, int32_t classes)
{
    TRY(model_allocate(out, c, classes, INT64_MAX));
    for (int32_t i = 0; i < (*out)->count; i++)
        initialise(*out, i);
    return 0;
}

/* Names are shown on terminals and written into lines of text: UTF-8 without control characters. */
static int check_name(const char *what, int32_t i, const char *name)
{
    if (!json_holds(name))
        return error_set(GLT_EARGUMENT, "%s %d: its name is not UTF-8; rename it", what, i);
    if (control_at(name) >= 0)
        return error_set(GLT_EARGUMENT,
                         "%s %d: byte %d of its name is a control character; rename it", what, i,
                         control_at(name));
    return 0;
}

int model_set_class(struct model *m, int32_t i, const char *name, const uint8_t color[3])
{
    if (i < 0 || i >= m->classes)
        return error_set(GLT_EARGUMENT, "no class %d: the model has %d", i, m->classes);
    if (!*name || strlen(name) >= sizeof m->class_info[i].name)
        return error_set(GLT_EARGUMENT, "class name '%.60s': give 1 to %zu bytes", name,
                         sizeof m->class_info[i].name - 1);
    TRY(check_name("class", i, name));
    memmove(m->class_info[i].name, name, strlen(name) + 1); /* it may be this very name */
    if (color)
        memcpy(m->class_info[i].color, color, 3);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcasecmp((*(const struct category_info *const *)a)->name,
                      (*(const struct category_info *const *)b)->name);
}

static int check_repeats(const struct category_info *categories, int32_t n)
{
    const struct category_info **sorted = memory_alloc((size_t)n, sizeof *sorted);
    int code = sorted ? 0 : GLT_ENOMEM;
    for (int32_t i = 0; code == 0 && i < n; i++)
        sorted[i] = &categories[i];
    if (code == 0)
        qsort(sorted, (size_t)n, sizeof *sorted, compare_names);
    for (int32_t i = 1; code == 0 && i < n; i++)
        if (!compare_names(&sorted[i - 1], &sorted[i]))
            code = error_set(GLT_EARGUMENT, "two categories are called '%s'; rename one",
                             sorted[i]->name);
    memory_free(sorted);
    return code;
}

int model_set_categories(struct model *m, const struct category_info *categories, int32_t n)
{
    if (n > m->classes)
        return error_set(GLT_EARGUMENT, "%d categories of %d parts: each needs one at least", n,
                         m->classes);
    for (int32_t i = 0; i < n; i++) {
        const struct category_info *k = &categories[i];
        if (k->first < 0 || k->count < 1 || k->count > m->classes ||
            k->first > m->classes - k->count)
            return error_set(GLT_EARGUMENT, "category %d: %d parts from %d on, but there are %d", i,
                             k->count, k->first, m->classes);
        if (!k->name[0])
            return error_set(GLT_EARGUMENT, "category %d: its name is empty", i);
        TRY(check_name("category", i, k->name));
    }
    TRY(check_repeats(categories, n));
    struct category_info *copy = memory_alloc((size_t)n, sizeof *copy);
    if (!copy)
        return GLT_ENOMEM;
    memcpy(copy, categories, (size_t)n * sizeof *copy);
    memory_free(m->category_info);
    m->category_info = copy;
    m->categories = n;
    return 0;
}

int model_category(int32_t *out, const struct model *m, const char *name)
{
    char list[512] = "";
    if (m->config.task != TASK_PARTS)
        return error_set(GLT_EARGUMENT, "category = %s: the model does not label parts", name);
    for (int32_t i = 0; i < m->categories; i++)
        if (!strcasecmp(m->category_info[i].name, name)) {
            *out = i;
            return 0;
        }
    for (int32_t i = 0; i < m->categories; i++) {
        size_t len = strlen(list);
        if (len + strlen(m->category_info[i].name) + 3 < sizeof list)
            snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "",
                     m->category_info[i].name);
    }
    return error_set(GLT_EARGUMENT, "category '%s': the model has %s", name,
                     *list ? list : "no categories");
}

void model_free(struct model *m)
{
    if (!m)
        return;
    memory_free(m->class_info);
    memory_free(m->category_info);
    memory_free(m->numbers);
    memory_free(m->parameters);
    memory_free(m->block);
    memory_free(m->card);
    memory_free(m);
}
