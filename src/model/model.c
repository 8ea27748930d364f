/* Models: creation, initial values, names. See model.h. */
#include "model/model.h"

#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static int name_classes(struct model *m, int32_t classes)
{
    for (int32_t i = 0; i < classes; i++) {
        char name[24];
        snprintf(name, sizeof name, "class_%d", i);
        TRY(classes_add(&m->classes, name));
    }
    return 0;
}

static int complete(struct model *m, int32_t classes, int64_t most)
{
    int64_t numbers = 0;
    TRY(config_channels(&m->config, &m->channels));
    TRY(name_classes(m, classes));
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
    int code = complete(m, classes, most);
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

int model_category(int32_t *out, const struct model *m, const char *name)
{
    char list[512] = "";
    if (m->config.task != TASK_PARTS)
        return error_set(GLT_EARGUMENT, "category = %s: the model does not label parts", name);
    int32_t found = classes_category(&m->classes, name);
    if (found >= 0) {
        *out = found;
        return 0;
    }
    for (int32_t i = 0; i < m->classes.n_categories; i++) {
        const char *one = m->classes.categories[i].name;
        size_t len = strlen(list);
        if (len + strlen(one) + 3 < sizeof list)
            snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", one);
    }
    return error_set(GLT_EARGUMENT, "category '%s': the model has %s", name,
                     *list ? list : "no categories");
}

void model_free(struct model *m)
{
    if (!m)
        return;
    classes_free(&m->classes);
    memory_free(m->parameters);
    memory_free(m->block);
    memory_free(m->card);
    memory_free(m);
}
