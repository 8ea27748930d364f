/* Splits according to the options: a validation split for a dataset without one, one category,
 * every n-th item. The order of the remaining items does not change. */
#include "datasets/splits.h"

#include "cloud/classes.h"
#include "config/settings.h"
#include "core/array.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/random.h"
#include "datasets/reviewed.h"

#include <string.h>

/* Moves all entries to the end of another list. */
static int move_entries(struct entries *to, struct entries *from)
{
    TRY(array_reserve(&to->list, to->n, from->n, sizeof *to->list));
    if (from->n)
        memcpy(to->list + to->n, from->list, (size_t)from->n * sizeof *to->list);
    to->n += from->n;
    memory_free(from->list);
    *from = (struct entries){0};
    return 0;
}

/* For a dataset without validation items: holds out a seeded tenth of the training items. */
static int hold_out(struct dataset *d)
{
    struct entries *train = &d->split[SPLIT_TRAIN], *val = &d->split[SPLIT_VAL];
    int32_t k = train->n / 10, kept = 0, next = 0;
    if (k == 0)
        k = train->n > 1;
    if (k == 0)
        return 0;
    int32_t *chosen = memory_alloc((size_t)k, sizeof *chosen);
    struct entry *list = memory_alloc((size_t)k, sizeof *list);
    if (!chosen || !list) {
        memory_free(chosen);
        memory_free(list);
        return GLT_ENOMEM;
    }
    struct random r = random_start(random_stream((uint64_t)d->seed, 0, 0, RANDOM_SPLIT), 0);
    random_sample(&r, chosen, k, train->n);
    for (int32_t i = 0; i < train->n; i++) {
        if (next < k && chosen[next] == i)
            list[next++] = train->list[i];
        else
            train->list[kept++] = train->list[i];
    }
    train->n = kept;
    *val = (struct entries){list, k};
    memory_free(chosen);
    return 0;
}

/* For reviewed clouds, holds out tiles: each cloud is in both splits, with different labels in
 * each. */
static int hold_back(struct dataset *d)
{
    for (int32_t i = 0; i < d->split[SPLIT_TRAIN].n; i++) {
        struct entry *e = &d->split[SPLIT_TRAIN].list[i];
        e->part = REVIEWED_HELD;
        TRY(dataset_add(d, SPLIT_VAL, e));
        e->part = REVIEWED_LEARNED;
    }
    return 0;
}

static void take_subset(struct entries *e, int32_t every)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < e->n; i++) {
        if (i % every == 0)
            e->list[kept++] = e->list[i];
        else
            dataset_clear_entry(&e->list[i]);
    }
    e->n = kept;
}

/* Keeps only the shapes of the category that the option names, if any. */
static int keep_category(struct dataset *d)
{
    if (!d->settings.category[0] || d->classes.n_categories == 0)
        return 0;
    int32_t category = classes_category(&d->classes, d->settings.category);
    if (category < 0)
        return error_topic(error_set(GLT_EARGUMENT, "category = '%s': %s has no such category",
                                     d->settings.category, d->path),
                           GLT_TOPIC_CATEGORY, d->settings.category);
    for (int s = 0; s < SPLITS; s++) {
        struct entries *e = &d->split[s];
        int32_t kept = 0;
        for (int32_t i = 0; i < e->n; i++) {
            if (e->list[i].category == category)
                e->list[kept++] = e->list[i];
            else
                dataset_clear_entry(&e->list[i]);
        }
        e->n = kept;
    }
    return 0;
}

void splits_limit(struct dataset *d, enum split s, int32_t max)
{
    int32_t n = d->split[s].n;
    if (n > max)
        take_subset(&d->split[s], (n + max - 1) / max);
}

int splits_settle(struct dataset *d)
{
    if (d->missing.n && d->split[SPLIT_TRAIN].n + d->split[SPLIT_VAL].n + d->split[SPLIT_TEST].n)
        log_warning(GLT_TOPIC_MISSING, NULL, "%s: %d listed file%s missing, the first is %s",
                    d->path, d->missing.n, d->missing.n == 1 ? " is" : "s are",
                    d->missing.list[0].path);
    TRY(keep_category(d));
    struct entries *train = &d->split[SPLIT_TRAIN], *val = &d->split[SPLIT_VAL];
    if (!d->settings.validation)
        TRY(move_entries(train, val));
    else if (val->n == 0)
        TRY(d->reviewed ? hold_back(d) : hold_out(d));
    take_subset(train, d->settings.subset);
    if (train->n + val->n + d->split[SPLIT_TEST].n > 0)
        return 0;
    if (d->missing.n)
        return error_topic(
            error_in(GLT_EDATA, d->path,
                     "the %s dataset has no cloud; listed files that are missing: %d, the "
                     "first is %s",
                     d->type->name, d->missing.n, d->missing.list[0].path),
            GLT_TOPIC_MISSING, NULL);
    return error_topic(error_in(GLT_EDATA, d->path, "the %s dataset has no cloud", d->type->name),
                       GLT_TOPIC_MISSING, NULL);
}
