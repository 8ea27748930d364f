/* Before and after: see comparison.h.
 *
 * A few steps on other scenes may cost more on the old task than they gain. Weights between those
 * of the two models keep most of both (Wortsman et al., Robust fine-tuning of zero-shot models,
 * 2022). Of these blends, the nearest to the taught model that loses at most LOSS_MAX is taken. */
#include "task/comparison.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "datasets/dataset.h"
#include "model/model.h"
#include "model/model_file.h"
#include "sampling/confusion.h"
#include "sampling/scores.h"
#include "task/replay.h"
#include "task/score.h"

#include <math.h>
#include <string.h>

#define LOSS_MAX 0.01 /* of the old task's score */

/* The data on which both models are scored. */
struct ground {
    const char *key, *name; /* in the file; in the log */
    struct dataset *data;
    enum split split;
};

struct pair {
    struct model *before, *after;
};

/* For scenes, the mean IoU of the classes in the ground truth. The usual mean counts a class that
 * is predicted but absent as 0, so a model that stops predicting its last point would gain. */
static double metric_of(const struct score *s, const struct dataset *d)
{
    double sum = 0;
    int32_t n = 0;
    if (d->task != TASK_SEGMENT)
        return s->metric;
    for (int32_t i = 0; i < s->scores.classes; i++)
        if (!isnan(s->scores.accuracy[i])) {
            sum += s->scores.iou[i];
            n++;
        }
    return sum / n;
}

static struct json *per_cent(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

/* The classes in the ground truth. */
static struct json *list_classes(const struct score *a, const struct score *b,
                                 const struct classes *c)
{
    struct json *list = json_array();
    for (int32_t i = 0; i < c->n; i++)
        if (!isnan(a->scores.accuracy[i]))
            json_append(list,
                        json_pack("{s:s,s:o,s:o}", "name", c->names[i], "before",
                                  per_cent(a->scores.iou[i]), "after", per_cent(b->scores.iou[i])));
    return list;
}

static int score(struct score *out, const struct training *t, const struct ground *g,
                 struct model *m)
{
    struct score_options o = {
        .sampling = t->config.sampling, .seed = t->config.seed, .protocol = INFERENCE_PRODUCT};
    return score_model(out, m, g->data, g->split, &o);
}

/* a, b: the scores before and after */
static int report(struct json *all, const struct training *t, const struct ground *g,
                  const struct score *a, const struct score *b)
{
    double before = metric_of(a, g->data), after = metric_of(b, g->data);
    struct json *one = json_pack("{s:s,s:s,s:I,s:o,s:o,s:o}", "data", g->data->path, "split",
                                 dataset_split_name(g->split), "points", b->scores.points, "before",
                                 per_cent(before), "after", per_cent(after), "iou",
                                 list_classes(a, b, &t->model->classes));
    run_say(&t->run, GLT_LOG_INFO, "%s: mIoU %.1f %% before, %.1f %% after (%+.1f)", g->name,
            100 * before, 100 * after, 100 * (after - before));
    return one && json_set(all, g->key, one) == 0
               ? 0
               : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
}

static int compare(struct json *all, const struct training *t, const struct ground *g,
                   const struct pair *m)
{
    struct score a = {0}, b = {0};
    int code = score(&a, t, g, m->before);
    if (code == 0)
        code = score(&b, t, g, m->after);
    if (code == 0)
        code = report(all, t, g, &a, &b);
    score_free(&a);
    score_free(&b);
    return code;
}

/* --- blending --- */

/* Sets m->after to before + share * (taught - before), weight by weight. */
static void blend(const struct pair *m, const real *taught, double share)
{
    for (int64_t i = 0; i < m->after->size; i++)
        m->after->block[i] = m->before->block[i] + (real)share * (taught[i] - m->before->block[i]);
}

/* Finds the model nearest to the taught one that loses at most LOSS_MAX on the old task; if there
 * is none, the last share tried is kept. *b: its score on the old data. */
static int find_share(double *share, struct score *b, const struct training *t,
                      const struct ground *old, const struct pair *m, double before)
{
    static const double shares[] = {1, 0.75, 0.5, 0.25};
    size_t bytes = (size_t)m->after->size * sizeof(real);
    real *taught = memory_alloc((size_t)m->after->size, sizeof *taught);
    int code = taught ? 0 : GLT_ENOMEM;
    if (code == 0)
        memcpy(taught, m->after->block, bytes);
    for (size_t i = 0; code == 0 && i < sizeof shares / sizeof *shares; i++) {
        *share = shares[i];
        if (i > 0)
            blend(m, taught, *share);
        score_free(b);
        code = score(b, t, old, m->after);
        if (code == 0 && !(metric_of(b, old->data) < before - LOSS_MAX))
            break;
    }
    memory_free(taught);
    return code;
}

/* Replaces the best model by the blend, and records that in its card. */
static int save_blend(const struct training *t, struct model *m, double share)
{
    char path[RUN_PATH], *text = NULL;
    struct json *card = NULL;
    size_t len;
    if (m->card)
        TRY(json_parse(&card, "card", m->card, strlen(m->card)));
    int code = card && json_set(card, "blend", json_real(share)) == 0 &&
                       json_set(card, "metric", json_null()) == 0
                   ? json_print(&text, &len, card)
                   : GLT_ENOMEM;
    json_free(card);
    TRY(code);
    memory_free(m->card);
    m->card = text;
    TRY(run_path(path, &t->run, "best.safetensors"));
    run_say(&t->run, GLT_LOG_INFO,
            "the taught model lost more than %.0f point of the old task: best.safetensors is %.0f "
            "%% of the way from the old one to it",
            100 * LOSS_MAX, 100 * share);
    return model_save(m, path, false, NULL, 0, NULL);
}

/* The share of a blend, from its card; 0: it is not a blend. */
static double share_of(const struct model *m)
{
    struct json *card = NULL;
    double share = 0;
    if (m->card && json_parse(&card, "card", m->card, strlen(m->card)) == 0)
        share = json_number_value(json_get(card, "blend"));
    json_free(card);
    return share;
}

/* Compares on the old task, where m->after may become a blend. If the run was killed after that or
 * is resumed after its end, it is one already and stays: a blend of a blend would be another
 * model. */
static int compare_old(struct json *all, struct training *t, const struct pair *m)
{
    const struct ground old = {"old", "old data", t->replay.data, t->replay.split};
    struct score a = {0}, b = {0};
    double share = share_of(m->after);
    bool blended = share > 0;
    if (!old.data)
        return 0;
    int code = score(&a, t, &old, m->before);
    if (code == 0)
        code = blended ? score(&b, t, &old, m->after)
                       : find_share(&share, &b, t, &old, m, metric_of(&a, old.data));
    if (code == 0 && share < 1 && !blended)
        code = save_blend(t, m->after, share);
    if (code == 0)
        code = report(all, t, &old, &a, &b);
    if (code == 0)
        code = json_set(all, "blend", json_real(share));
    score_free(&a);
    score_free(&b);
    return code;
}

/* --- the comparison --- */

static int write_file(const struct training *t, const struct json *all)
{
    char path[RUN_PATH], *text;
    size_t len;
    struct file *f;
    TRY(run_path(path, &t->run, "comparison.json"));
    TRY(json_print(&text, &len, all));
    int code = file_create(&f, path);
    if (code == 0) {
        code = file_write(f, text, len);
        if (code == 0)
            code = file_write(f, "\n", 1);
        code = file_finish(f, code);
    }
    memory_free(text);
    return code;
}

static int compare_all(struct json *all, struct training *t, const struct pair *m)
{
    const struct ground held = {"held_back", "held back", t->data, SPLIT_VAL};
    TRY(compare_old(all, t, m));
    if (t->validated)
        return compare(all, t, &held, m);
    run_say(&t->run, GLT_LOG_INFO, "nothing was held out: review more tiles to compare");
    return 0;
}

/* Whether the parameters of a model are those of the run's: only such models can be blended. */
static int check_parameters(const struct training *t, const struct model *m, const char *path)
{
    bool same = m->count == t->model->count;
    for (int32_t i = 0; same && i < m->count; i++) {
        const struct parameter *a = &m->parameters[i], *b = &t->model->parameters[i];
        same = a->rows == b->rows && a->cols == b->cols && !strcmp(a->name, b->name);
    }
    return same ? 0
                : error_topic(error_in(GLT_EMODEL, path, "it is not a model of this run"),
                              GLT_TOPIC_INIT, NULL);
}

static int load_pair(struct pair *m, const struct training *t, const char *before,
                     const char *after)
{
    TRY(model_load(&m->before, before));
    TRY(check_parameters(t, m->before, before));
    TRY(model_load(&m->after, after));
    return check_parameters(t, m->after, after);
}

int comparison_write(struct training *t)
{
    char before[RUN_PATH], after[RUN_PATH];
    struct pair m = {0};
    if (!t->data->reviewed)
        return 0;
    TRY(run_path(before, &t->run, "start.safetensors"));
    TRY(run_path(after, &t->run, "best.safetensors"));
    if (!file_exists(before) || !run_has(before))
        return 0;
    struct json *all = json_pack("{s:s}", "metric", score_metric_name(t->data->task));
    int code = json_check(all);
    if (code == 0)
        code = load_pair(&m, t, before, after);
    if (code == 0)
        code = compare_all(all, t, &m);
    if (code == 0)
        code = write_file(t, all);
    model_free(m.before);
    model_free(m.after);
    json_free(all);
    return code;
}
