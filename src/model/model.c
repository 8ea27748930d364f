/* Models: parameters and categories by name. See model.h. */
#include "model/model.h"

#include "config/options.h"
#include "core/array.h"
#include "core/error.h"
#include "core/memory.h"

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

int model_category(int32_t *out, const struct model *m, const char *name)
{
    char list[512] = "";
    if (m->config.task != TASK_PARTS)
        return error_topic(
            error_set(GLT_EARGUMENT, "category = %s: the model does not label parts", name),
            GLT_TOPIC_CATEGORY, name);
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
    return error_topic(error_set(GLT_EARGUMENT, "category '%s': the model has %s", name,
                                 *list ? list : "no categories"),
                       GLT_TOPIC_CATEGORY, name);
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
