/* gelatto check: looks at a data set before hours are spent on learning from it. */
#include "task/check.h"

#include "core/error.h"
#include "core/memory.h"
#include "task/defaults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_say(struct check *c, const char *topic, int fault, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    c->faults += fault;
    c->fn(c->user, topic, text, fault);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double check_median(double *values, int64_t n)
{
    if (n == 0)
        return 0;
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

const char *check_path(const struct check *c, const struct check_cloud *x)
{
    return c->data->split[x->split].list[x->item].path;
}

/* Clouds and classes of a split; classes no training cloud has are worth a word. */
static int tell_split(struct check *c, enum split s)
{
    const struct dataset *d = c->data;
    int64_t *counts = memory_alloc((size_t)d->classes.n + 1, sizeof *counts), all = 0;
    if (!counts)
        return GLT_ENOMEM;
    int code = dataset_histogram(counts, c->data, s);
    for (int32_t i = 0; i <= d->classes.n; i++)
        all += counts[i];
    const char *unit = d->task == TASK_CLASSIFY ? "shapes" : "points";
    if (code == 0)
        check_say(c, split_name(s), CHECK_NOTE, "%d clouds, %lld %s, %lld of them ignored",
                  dataset_count(d, s), (long long)all, unit, (long long)counts[d->classes.n]);
    for (int32_t i = 0; code == 0 && i < d->classes.n; i++)
        check_say(c, split_name(s), CHECK_NOTE, "%-14s %12lld  %5.1f %%", d->classes.names[i],
                  (long long)counts[i], all ? 100.0 * (double)counts[i] / (double)all : 0);
    if (code == 0 && s == SPLIT_TRAIN && dataset_count(d, s))
        for (int32_t i = 0; i < d->classes.n; i++)
            if (counts[i] == 0)
                check_say(c, "labels", CHECK_NOTE,
                          "%s: class '%s' has no %s in train; it cannot be learned: add some, or "
                          "take it out of the classes",
                          d->path, d->classes.names[i], unit);
    memory_free(counts);
    return code;
}

/* Nothing but what a model has learned from: nobody would know how good it is. */
static void tell_held_out(struct check *c)
{
    const struct dataset *d = c->data;
    bool val = dataset_count(d, SPLIT_VAL) > 0;
    if (dataset_count(d, SPLIT_TRAIN) == 0 || dataset_count(d, SPLIT_TEST) > 0)
        return;
    check_say(c, "test", val ? CHECK_NOTE : CHECK_FAULT, "%s: no cloud is in test%s: %s", d->path,
              val ? ", val would be scored" : " or val, so that nothing can be scored",
              dataset_advice(d));
}

static int look(struct check *c)
{
    const struct dataset *d = c->data;
    check_say(c, "set", CHECK_NOTE, "%s: %s, task %s, %d classes", d->path, d->type->about,
              task_name(d->task), d->classes.n);
    TRY(check_files(c));
    TRY(check_clouds(c));
    check_set(c);
    if (c->unreadable) {
        check_say(c, "set", CHECK_NOTE,
                  "%s: counts and balls are told once every cloud can be read", d->path);
        return 0;
    }
    for (int s = 0; s < SPLITS; s++)
        TRY(tell_split(c, (enum split)s));
    tell_held_out(c);
    TRY(check_blocks(c));
    return check_balls(c);
}

int glt_check(const char *data, const struct glt_config *config, glt_finding_fn *fn, void *user)
{
    GIVEN(data, fn);
    struct config settings;
    struct check c = {.fn = fn, .user = user};
    if (config)
        settings = *(const struct config *)config;
    else
        config_default(&settings);
    TRY(defaults_open(&c.data, &settings, data));
    /* the clouds as they are, not as training changes them */
    struct config *own = &c.data->config;
    own->augment.scale = own->augment.rotate = own->augment.jitter = 0;
    own->augment.shift = own->augment.drop = 0;
    for (int s = 0; s < SPLITS; s++)
        c.n += dataset_count(c.data, (enum split)s);
    c.clouds = memory_alloc((size_t)c.n, sizeof *c.clouds);
    int code = c.clouds ? look(&c) : GLT_ENOMEM;
    if (code == 0 && c.faults)
        code =
            error_set(GLT_EDATA, "%s: %d fault%s found", data, c.faults, c.faults == 1 ? "" : "s");
    memory_free(c.clouds);
    dataset_close(c.data);
    return code;
}
