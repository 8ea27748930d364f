/* New models: the network names their parameters, which are drawn from the seed. See
 * model_create.h. */
#include "model/model_create.h"

#include "cloud/classes.h"
#include "config/config.h"
#include "config/options.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/network.h"

#include <math.h>
#include <stdio.h>

/* Kaiming-normal: deviation sqrt(2 / fan_in); uniform: +-1 / sqrt(fan_in). Rounded to float in
 * every build, so that the double build starts with the same weights. */
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
    m->classes.origin = LABELS_FROM_MODEL;
    for (int32_t i = 0; i < classes; i++) {
        char name[24];
        snprintf(name, sizeof name, "class_%d", i);
        TRY(classes_add(&m->classes, name));
    }
    return 0;
}

static int complete(struct model *m, int32_t classes, int64_t max)
{
    int64_t numbers = 0;
    TRY(config_channels(&m->config, &m->channels));
    TRY(name_classes(m, classes));
    TRY(network_declare(m));
    for (int32_t i = 0; i < m->count; i++)
        numbers += m->parameters[i].rows * m->parameters[i].cols;
    if (numbers > max)
        return error_topic(error_set(GLT_EMODEL, "the network has %lld parameters where %lld fit",
                                     (long long)numbers, (long long)max),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    m->block = memory_alloc((size_t)m->size, sizeof(real));
    return m->block ? 0 : GLT_ENOMEM;
}

int model_allocate(struct model **out, const struct config *c, int32_t classes, int64_t max)
{
    TRY(config_check(c));
    if (classes < 2 || classes > 65535)
        return error_topic(error_set(GLT_EARGUMENT, "%d classes: give 2 to 65535", classes),
                           GLT_TOPIC_ARGUMENT, "classes");
    struct model *m = memory_alloc(1, sizeof *m);
    if (!m)
        return GLT_ENOMEM;
    m->config = *c;
    int code = complete(m, classes, max);
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
