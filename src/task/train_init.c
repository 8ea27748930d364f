/* Beginning with another model: see train_init.h. */
#include "task/train_init.h"

#include "cloud/classes.h"
#include "config/inputs.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/log.h"

#include <string.h>

static bool same_classes(const struct classes *a, const struct classes *b)
{
    bool same = a->n == b->n;
    for (int32_t i = 0; same && i < a->n; i++)
        same = !strcmp(a->names[i], b->names[i]);
    return same;
}

/* The stem's columns of the inputs both models have, where they differ in others. */
static int take_stem(struct model *m, const struct model *from, const struct parameter *p,
                     const struct parameter *q)
{
    struct inputs now, then;
    TRY(inputs_parse(&now, m->config.data.inputs));
    TRY(inputs_parse(&then, from->config.data.inputs));
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

int train_init_weights(struct model *m, const struct model *from, const char *name,
                       const struct run *run)
{
    bool same = same_classes(&m->classes, &from->classes);
    int taken = 0, drawn = 0;
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i], *q = model_find(from, p->name);
        bool logits = strstr(p->name, ".logits.") != NULL;
        bool fits = q && q->rows == p->rows && q->cols == p->cols;
        if (q && q->rows == p->rows && !strcmp(p->name, "stem.weight") &&
            strcmp(m->config.data.inputs, from->config.data.inputs)) {
            TRY(take_stem(m, from, p, q));
            taken++;
            continue;
        }
        if (!fits && (!strncmp(p->name, "enc", 3) || !strncmp(p->name, "stem", 4)))
            return error_set(GLT_EMODEL,
                             "%s: %s does not fit this network: leave its options as the model has "
                             "them",
                             name, p->name);
        if (!fits || (logits && !same)) {
            drawn++;
            continue;
        }
        memcpy(m->block + p->offset, from->block + q->offset,
               (size_t)(p->rows * p->cols) * sizeof(real));
        taken++;
    }
    run_say(run, GLT_LOG_INFO, "begins with %d tensors of %s; %d drawn anew%s", taken, name, drawn,
            same ? "" : ": other classes");
    return 0;
}

/* The preset recorded is the model's; of another one that was given nothing stays, since most of
 * what it says is the network. */
static int take_preset(struct config *c, const struct config *from, const char *name)
{
    struct config x;
    if (c->preset[0] && strcmp(c->preset, from->preset)) {
        log_message(GLT_LOG_WARNING, "preset %s is not used: the network is that of %s", c->preset,
                    name);
        config_default(&x);
        TRY(config_copy_given(&x, c));
        *c = x;
    }
    memcpy(c->preset, from->preset, sizeof c->preset);
    c->given[options_find("preset") - options] = true; /* no data set proposes another */
    return 0;
}

/* The network, and what its samples are: balls and levels fit the density of these. */
static bool is_taken_over(const struct option *o)
{
    static const char *const samples[] = {"points", "block", "block_min", "normalise"};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (!strcmp(o->key, samples[i]))
            return true;
    return o->group == GROUP_NETWORK && strcmp(o->key, "preset") && strcmp(o->key, "task");
}

int train_init_network(struct config *c, const struct config *from, const char *name)
{
    char text[256];
    TRY(take_preset(c, from, name));
    for (int i = 0; i < options_count; i++) {
        if (!is_taken_over(&options[i]) || c->given[i])
            continue;
        TRY(config_get(from, options[i].key, text, sizeof text));
        TRY(config_set(c, options[i].key, text));
    }
    return 0;
}
