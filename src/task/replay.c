/* Replay of old data: see replay.h. */
#include "task/replay.h"

#include "cloud/classes.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/log.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "datasets/splits.h"
#include "model/card.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 4096 };

int replay_choose(char *path, size_t size, const struct dataset *d, const struct model *from)
{
    char name[NAME_SIZE] = "";
    if (d->replay && strlen(d->replay) >= size)
        return error_topic(error_in(GLT_EARGUMENT, d->path, "replay: the path is too long"),
                           GLT_TOPIC_SIZE_LIMIT, "replay");
    path[0] = 0;
    if (d->replay || !from) {
        bool none = !d->replay || !strcmp(d->replay, "none");
        snprintf(path, size, "%s", none ? "" : d->replay);
        return 0;
    }
    card_text(name, sizeof name, from->card, "replay");
    if (!name[0])
        card_text(name, sizeof name, from->card, "data");
    if (!strncmp(name, "synth:", 6) && strlen(name) < size) {
        snprintf(path, size, "%s", name);
        return 0;
    }
    return error_topic(
        error_in(GLT_EDATA, d->path,
                 "the model has learned from \"%.200s\", which cannot be made again: say where its "
                 "data is (replay: PATH), so that the run does not forget it, or replay: none",
                 name[0] ? name : "data that its card does not name"),
        GLT_TOPIC_MISSING, "replay");
}

/* Classes are matched by name; one without a counterpart is not learned. */
static int match_classes(struct dataset *old, const struct dataset *d)
{
    int32_t lost = 0;
    TRY(dataset_relabel(old, &d->classes));
    for (int32_t i = 0; i < old->classes.n; i++)
        lost += old->relabel[i] < 0;
    if (lost == old->classes.n)
        return error_topic(error_in(GLT_EDATA, d->path,
                                    "none of its classes is one of the old data, %s: they are "
                                    "matched by name",
                                    old->path),
                           GLT_TOPIC_CLASSES, "replay");
    if (lost)
        log_warning(GLT_TOPIC_CLASSES, "replay",
                    "%d of the %d classes of the old data are not among those of %s: their points "
                    "are ignored",
                    (int)lost, (int)old->classes.n, d->path);
    return 0;
}

static int settle(struct replay *r, const struct dataset *d)
{
    struct dataset *old = r->data;
    if (old->task != d->task)
        return error_topic(error_in(GLT_EDATA, d->path, "replay: %s is for task %s", old->path,
                                    dataset_task_name(old->task)),
                           GLT_TOPIC_TASK, "replay");
    if (dataset_count(old, SPLIT_TRAIN) == 0)
        return error_topic(
            error_in(GLT_EDATA, old->path, "the train split is empty: %s", dataset_advice(old)),
            GLT_TOPIC_SPLIT, "train");
    splits_limit(old, SPLIT_TRAIN, REPLAY_CLOUDS);
    int32_t val = dataset_count(old, SPLIT_VAL), test = dataset_count(old, SPLIT_TEST);
    r->split = test > val ? SPLIT_TEST : val ? SPLIT_VAL : SPLIT_TRAIN; /* few are a rough score */
    if (r->split != SPLIT_TRAIN)
        splits_limit(old, r->split, REPLAY_SCORED);
    return match_classes(old, d);
}

int replay_open(struct replay *r, const char *path, const struct dataset *d, const struct config *c,
                int64_t seed)
{
    struct replay x = {0};
    if (!path[0])
        return 0;
    int code = dataset_open(&x.data, path, &c->data, seed);
    if (code < 0)
        return error_topic(error_prefix(code, "replay: "), glt_error_topic(), "replay");
    code = settle(&x, d);
    if (code < 0)
        dataset_close(x.data);
    else
        *r = x;
    return code;
}

int replay_fingerprint(char hex[DIGEST_SIZE], const struct replay *r, double share)
{
    char data[DIGEST_SIZE];
    struct digest *x;
    TRY(dataset_fingerprint(data, r->data));
    TRY(digest_begin(&x));
    digest_text(x, data);
    digest_add(x, &share, sizeof share);
    digest_end(hex, x);
    return 0;
}

void replay_close(struct replay *r)
{
    dataset_close(r->data);
    *r = (struct replay){0};
}

/* --- one source of both datasets --- */

/* The source of an item; *i becomes its number there. */
static const struct item_source *source_of(const struct replay *r, int32_t *i)
{
    if (*i < r->reviewed.count)
        return &r->reviewed;
    *i -= r->reviewed.count;
    return &r->old;
}

static int take(const struct item **out, void *user, int32_t i)
{
    const struct item_source *s = source_of(user, &i);
    return s->take(out, s->user, i);
}

static void give(void *user, int32_t i)
{
    const struct item_source *s = source_of(user, &i);
    s->give(s->user, i);
}

static int64_t points(void *user, int32_t i)
{
    const struct item_source *s = source_of(user, &i);
    return s->points(s->user, i);
}

static const char *name(void *user, int32_t i)
{
    const struct item_source *s = source_of(user, &i);
    return s->name(s->user, i);
}

/* Samples of old cloud i, so that all of them together have r->samples. */
static int64_t old_samples(const struct replay *r, int64_t i)
{
    return (i + 1) * r->samples / r->old.count - i * r->samples / r->old.count;
}

static double weight(void *user, int32_t i)
{
    const struct replay *r = user;
    const struct item_source *s = source_of(r, &i);
    if (s == &r->reviewed)
        return r->factor * s->weight(s->user, i);
    int64_t n = old_samples(r, i);
    /* half a sample more, so that rounding down gives n */
    return n ? ((double)n + 0.5) * r->points / (double)s->points(s->user, i) : 0;
}

int replay_mix(struct item_source *out, struct replay *r, const struct item_source *reviewed,
               double share, int32_t points_of_sample)
{
    double all = 0;
    r->reviewed = *reviewed;
    r->points = points_of_sample;
    for (int32_t i = 0; i < reviewed->count; i++)
        all += reviewed->weight(reviewed->user, i) * (double)reviewed->points(reviewed->user, i) /
               points_of_sample;
    r->factor = all > 0 ? fmax(1, REPLAY_SAMPLES / all) : 1;
    r->old.count = 0;
    if (r->data) {
        TRY(dataset_items(&r->old, r->data, SPLIT_TRAIN));
        r->samples = (int64_t)ceil(fmin(1e9, r->factor * all * share / (1 - share)));
    }
    *out = (struct item_source){.user = r,
                                .count = r->reviewed.count + r->old.count,
                                .take = take,
                                .give = give,
                                .points = points,
                                .name = name,
                                .weight = weight};
    return 0;
}
