/* A training that begins with another model: its network, and those of its weights that fit. See
 * train.h. */
#include "core/error.h"
#include "task/train.h"

#include <string.h>

static bool same_classes(const struct model *a, const struct model *b)
{
    if (a->classes != b->classes)
        return false;
    for (int32_t i = 0; i < a->classes; i++)
        if (strcmp(a->class_info[i].name, b->class_info[i].name))
            return false;
    return true;
}

/* The stem's columns of the inputs both models have, where they differ in others. */
static int take_stem(struct model *m, const struct model *from, const struct parameter *p,
                     const struct parameter *q)
{
    struct inputs now, then;
    TRY(inputs_parse(&now, m->config.inputs));
    TRY(inputs_parse(&then, from->config.inputs));
    for (int64_t row = 0; row < p->rows; row++) {
        real *to = m->block + p->offset + row * p->cols;
        const real *weights = from->block + q->offset + row * q->cols;
        memcpy(to, weights, 3 * sizeof *to); /* xyz */
        for (int32_t i = 0; i < now.n; i++)
            for (int32_t j = 0; j < then.n; j++)
                if (!strcmp(now.list[i].name, then.list[j].name))
                    memcpy(to + 3 + now.list[i].first, weights + 3 + then.list[j].first,
                           (size_t)inputs_width(&now, i) * sizeof *to);
    }
    return 0;
}

/* Takes the tensors that fit. The encoder must: without it there is nothing to begin with. */
int train_init_weights(struct training *t, const struct model *from)
{
    struct model *m = t->model;
    bool same = same_classes(m, from);
    int taken = 0, drawn = 0;
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i], *q = model_find(from, p->name);
        bool logits = strstr(p->name, ".logits.") != NULL;
        bool fits = q && q->rows == p->rows && q->cols == p->cols;
        if (q && q->rows == p->rows && !strcmp(p->name, "stem.weight") &&
            strcmp(m->config.inputs, from->config.inputs)) {
            TRY(take_stem(m, from, p, q));
            taken++;
            continue;
        }
        if (!fits && (!strncmp(p->name, "enc", 3) || !strncmp(p->name, "stem", 4)))
            return error_set(GLT_EMODEL,
                             "%s: %s does not fit this network: leave its options as the model has "
                             "them",
                             t->options.init, p->name);
        if (!fits || (logits && !same)) {
            drawn++;
            continue;
        }
        memcpy(m->block + p->offset, from->block + q->offset,
               (size_t)(p->rows * p->cols) * sizeof(real));
        taken++;
    }
    run_say(&t->run, GLT_LOG_INFO, "begins with %d tensors of %s; %d drawn anew%s", taken,
            t->options.init, drawn, same ? "" : ": other classes");
    return 0;
}

/* The network of a model to begin with, where the user has not set it. */
int train_init_network(struct config *c, const struct config *from)
{
    char text[256];
    for (int i = 0; i < options_count; i++) {
        if (options[i].group != GROUP_NETWORK || !strcmp(options[i].key, "preset") ||
            !strcmp(options[i].key, "task"))
            continue;
        TRY(config_get(from, options[i].key, text, sizeof text));
        if (!config_given(c, options[i].key))
            TRY(config_set(c, options[i].key, text));
    }
    return 0;
}
