/* gelatto check: checks a dataset before hours are spent on training. */
#include "cloud/classes.h"
#include "config/config.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "task/check.h"
#include "task/check_clouds.h"
#include "task/check_files.h"
#include "task/check_network.h"
#include "task/defaults.h"

/* Reports clouds and classes of a split, and classes that no training cloud has. */
static int report_split(struct check *c, enum split s)
{
    const struct dataset *d = c->data;
    int64_t *counts = call_alloc(&c->call, (size_t)d->classes.n + 1, sizeof *counts), all = 0;
    int32_t category = classes_category(&d->classes, c->config.data.category), first, n;
    if (!counts)
        return GLT_ENOMEM;
    TRY(dataset_histogram(counts, c->data, s));
    for (int32_t i = 0; i <= d->classes.n; i++)
        all += counts[i];
    const char *unit = d->task == TASK_CLASSIFY ? "shapes" : "points";
    check_say(c, dataset_split_name(s), CHECK_NOTE, "", "%d cloud%s, %lld %s, %lld of them ignored",
              dataset_count(d, s), string_plural(dataset_count(d, s)), (long long)all, unit,
              (long long)counts[d->classes.n]);
    classes_range(&first, &n, &d->classes, category);
    for (int32_t i = first; i < first + n; i++)
        check_say(c, dataset_split_name(s), CHECK_NOTE, "", "%-14s %12lld  %5.1f %%",
                  d->classes.names[i], (long long)counts[i],
                  all ? 100.0 * (double)counts[i] / (double)all : 0);
    if (s == SPLIT_TRAIN && dataset_count(d, s))
        for (int32_t i = first; i < first + n; i++)
            if (counts[i] == 0)
                check_say(c, "labels", CHECK_NOTE, d->path,
                          "class '%s' has no %s in train; it cannot be learned: add some, or "
                          "take it out of the classes",
                          d->classes.names[i], unit);
    return 0;
}

/* Warns if nothing is held out: then the quality of a model is unknown. */
static void report_held_out(struct check *c)
{
    const struct dataset *d = c->data;
    bool val = dataset_count(d, SPLIT_VAL) > 0;
    if (dataset_count(d, SPLIT_TRAIN) == 0 || dataset_count(d, SPLIT_TEST) > 0)
        return;
    check_say(c, "test", val ? CHECK_NOTE : CHECK_ERROR, d->path, "no cloud is in test%s: %s",
              val ? ", val would be scored" : " or val, so that nothing can be scored",
              dataset_advice(d));
}

static int look(struct check *c)
{
    const struct dataset *d = c->data;
    check_say(c, "set", CHECK_NOTE, d->path, "%s, task %s, %d classes", d->type->about,
              dataset_task_name(d->task), d->classes.n);
    TRY(check_files(c));
    TRY(check_clouds(c));
    TRY(check_compare(c));
    if (c->unreadable) {
        check_say(c, "set", CHECK_NOTE, d->path, "skipping statistics: some clouds cannot be read");
        return 0;
    }
    for (int s = 0; s < SPLITS; s++)
        TRY(report_split(c, (enum split)s));
    report_held_out(c);
    TRY(check_tiles(c));
    return check_balls(c);
}

int glt_check(const char *data, const struct glt_config *config, glt_finding_fn *fn, void *user)
{
    REQUIRE(data, fn);
    struct check c = {.fn = fn, .user = user};
    if (config)
        c.config = *(const struct config *)config;
    else
        config_default(&c.config);
    TRY(defaults_open(&c.data, &c.config, data));
    c.config.augment = (struct augment_settings){.up = c.config.augment.up};
    for (int s = 0; s < SPLITS; s++)
        c.n += dataset_count(c.data, (enum split)s);
    c.clouds = call_alloc(&c.call, (size_t)c.n, sizeof *c.clouds);
    int code = c.clouds ? look(&c) : GLT_ENOMEM;
    if (code == 0 && c.errors)
        code = error_topic(
            error_in(GLT_EDATA, data, "%d error%s found", c.errors, string_plural(c.errors)),
            GLT_TOPIC_VALUE, NULL);
    call_free(&c.call);
    dataset_close(c.data);
    return code;
}
