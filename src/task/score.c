/* Scoring a model on a split: see score.h. Batches come item after item, so one set of votes is
 * alive at a time and is counted when the next item begins. */
#include "task/score.h"

#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "model/guess.h"
#include "model/network.h"
#include "model/softmax.h"
#include "sampling/loader.h"
#include "sampling/sampler.h"

#include <math.h>
#include <string.h>

struct scorer {
    struct model *model;
    struct dataset *data;
    enum split split;
    struct loader *loader;
    struct network network; /* alive during a run: an inference plan folds the weights it finds */
    struct network_options options;
    size_t bytes;         /* a run takes */
    float *probabilities; /* (points, classes) of one cloud */
    struct votes votes;   /* of the item under way */
    int32_t *labels;      /* (votes.n) */
    int32_t item;         /* under way, -1: none */
};

/* Clouds of a batch: batch mates change nothing, more of them fill the threads better. */
static int32_t clouds_of(const struct model *m)
{
    return m->config.task == TASK_CLASSIFY ? 8 : 2;
}

/* Besides the plan: batches, and votes of the largest cloud. */
static int count_bytes(struct scorer *s)
{
    size_t batches;
    int64_t most = 0;
    const struct entries *e = &s->data->split[s->split];
    TRY(loader_bytes(&batches, s->loader, 0));
    for (int32_t i = 0; i < e->n; i++)
        most = e->list[i].n > most ? e->list[i].n : most;
    s->bytes += batches;
    if (s->data->task != TASK_CLASSIFY)
        s->bytes += (size_t)most * (4 * (size_t)s->model->classes.n + 8);
    return 0;
}

static int prepare(struct scorer *s, int32_t overlap)
{
    const struct config *c = &s->data->config;
    struct loader_options o = {
        .samples = {.task = s->data->task,
                    .inputs = s->data->inputs,
                    .sampling = c->sampling,
                    .seed = (uint64_t)c->seed},
        .batch = clouds_of(s->model),
        .pyramid = sampler_pyramid(&s->model->config.network, s->model->config.task, c->seed),
        .threads = parallel_threads() > 1,
        .overlap = overlap};
    TRY(dataset_items(&o.items, s->data, s->split));
    TRY(loader_open(&s->loader, &o));
    int32_t points = loader_points(s->loader);
    struct network_options n = {.batch = o.batch, .points = points};
    s->probabilities = memory_alloc((size_t)points, (size_t)s->model->classes.n * sizeof(float));
    if (!s->probabilities)
        return GLT_ENOMEM;
    TRY(network_create(&s->network, s->model, &n, false));
    s->bytes = s->network.plan->bytes;
    network_free(&s->network);
    s->options = n;
    return count_bytes(s);
}

int score_fits(const struct dataset *d, const struct model *m)
{
    if (d->task != m->config.task)
        return error_set(GLT_EMODEL, "%s is a set for task %s, the model is one for %s", d->path,
                         task_name(d->task), task_name(m->config.task));
    if (d->classes.n != m->classes.n)
        return error_set(GLT_EMODEL, "%s has %d classes, the model %d: they do not fit", d->path,
                         d->classes.n, m->classes.n);
    return 0;
}

int scorer_create(struct scorer **out, struct model *m, struct dataset *d, enum split split,
                  int32_t overlap)
{
    TRY(score_fits(d, m));
    struct scorer *s = memory_alloc(1, sizeof *s);
    if (!s)
        return GLT_ENOMEM;
    s->model = m;
    s->data = d;
    s->split = split;
    s->item = -1;
    int code = prepare(s, overlap);
    if (code < 0)
        scorer_free(s);
    else
        *out = s;
    return code;
}

static void drop_votes(struct scorer *s)
{
    votes_free(&s->votes);
    memory_free(s->labels);
    s->labels = NULL;
    s->item = -1;
}

void scorer_free(struct scorer *s)
{
    if (!s)
        return;
    drop_votes(s);
    loader_close(s->loader);
    network_free(&s->network);
    memory_free(s->probabilities);
    memory_free(s);
}

size_t scorer_bytes(const struct scorer *s)
{
    return s->bytes;
}

static int no_labels(const struct scorer *s, int32_t item)
{
    return error_set(GLT_EDATA, "%s: it has no labels to compare with",
                     s->data->split[s->split].list[item].name);
}

/* The item under way is complete: counts it. */
static int count_item(struct scorer *s, struct score *out)
{
    const struct item *x;
    int32_t first, count;
    if (s->item < 0)
        return 0;
    votes_result(s->labels, NULL, &s->votes);
    TRY(dataset_take(&x, s->data, s->split, s->item));
    int code = x->labels ? 0 : no_labels(s, s->item);
    if (code == 0)
        code = confusion_add(&out->confusion, x->labels, s->labels, x->n);
    if (code == 0 && s->data->task == TASK_PARTS) {
        classes_range(&first, &count, &s->data->classes, x->category);
        part_scores_constant(out->constant, x->labels, x->n, first, count);
        code = part_scores_add(&out->parts, NULL, x->category, x->labels, s->labels, x->n, first,
                               count);
    }
    dataset_give(s->data, s->split, s->item);
    out->items++;
    drop_votes(s);
    return code;
}

static int begin_item(struct scorer *s, struct score *out, int32_t item)
{
    const struct item *x;
    if (item == s->item)
        return 0;
    TRY(count_item(s, out));
    TRY(dataset_take(&x, s->data, s->split, item));
    int32_t n = x->n;
    dataset_give(s->data, s->split, item);
    TRY(votes_create(&s->votes, n, s->model->classes.n));
    s->labels = memory_alloc((size_t)n, sizeof *s->labels);
    s->item = item;
    return s->labels ? 0 : GLT_ENOMEM;
}

static int count_class(struct scorer *s, struct score *out, const struct batch *b, int32_t cloud)
{
    int32_t classes = s->model->classes.n, best = 0;
    const real *x = s->network.main->x + (int64_t)cloud * classes;
    TRY(softmax_check(x, 1, classes, 0, classes));
    for (int32_t c = 1; c < classes; c++)
        best = x[c] > x[best] ? c : best;
    if (b->category[cloud] < 0)
        return no_labels(s, b->item[cloud]);
    out->items++;
    return confusion_add(&out->confusion, &b->category[cloud], &best, 1);
}

static int count_cloud(struct scorer *s, struct score *out, const struct batch *b, int32_t cloud)
{
    out->samples++;
    if (s->data->task == TASK_CLASSIFY)
        return count_class(s, out, b, cloud);
    int64_t first = b->pyramid.first[0][cloud], end = b->pyramid.first[0][cloud + 1];
    int32_t classes = s->model->classes.n, guess, rival;
    const real *logits = s->network.main->x + first * classes;
    TRY(softmax(s->probabilities, logits, end - first, classes, b->class_first[cloud],
                b->class_count[cloud]));
    if (s->model->classes.n_categories) {
        const struct model *m = s->model;
        TRY(guess_category(&guess, &rival, &m->classes, logits, end - first));
        out->guessed += m->classes.categories[guess].first == b->class_first[cloud];
    }
    TRY(begin_item(s, out, b->item[cloud]));
    votes_add(&s->votes, b->row + first, s->probabilities, (int32_t)(end - first));
    return 0;
}

static int run_batches(struct scorer *s, struct score *out)
{
    const struct batch *b;
    TRY(loader_start(s->loader, 0, 0));
    for (;;) {
        TRY(progress_report("score", out->samples, loader_samples(s->loader)));
        TRY(loader_next(s->loader, &b));
        if (!b)
            return count_item(s, out);
        network_batch(&s->network, b);
        plan_forward(s->network.plan);
        for (int32_t cloud = 0; cloud < b->clouds; cloud++)
            TRY(count_cloud(s, out, b, cloud));
    }
}

static void summarise(struct score *x, int32_t task)
{
    scores_of(&x->scores, &x->confusion);
    x->metric = task == TASK_SEGMENT ? x->scores.miou
                : task == TASK_PARTS ? part_scores_instance(&x->parts)
                                     : x->scores.oa;
}

int scorer_run(struct scorer *s, struct score *out)
{
    struct score x = {0};
    int code = confusion_create(&x.confusion, s->model->classes.n);
    if (code == 0)
        code = scores_create(&x.scores, s->model->classes.n);
    if (code == 0 && s->data->task == TASK_PARTS)
        code = part_scores_create(&x.parts, s->data->classes.n_categories);
    if (code == 0 && !(x.constant = memory_alloc((size_t)s->model->classes.n, sizeof *x.constant)))
        code = GLT_ENOMEM;
    if (code == 0)
        code = network_create(&s->network, s->model, &s->options, true);
    if (code == 0)
        code = run_batches(s, &x);
    network_free(&s->network);
    drop_votes(s);
    if (code < 0) {
        score_free(&x);
        return code;
    }
    summarise(&x, s->data->task);
    *out = x;
    return 0;
}

void score_free(struct score *s)
{
    confusion_free(&s->confusion);
    scores_free(&s->scores);
    part_scores_free(&s->parts);
    memory_free(s->constant);
    *s = (struct score){0};
}

int score_split(enum split *out, const struct dataset *d, const char *name)
{
    *out = dataset_count(d, SPLIT_TEST) || !dataset_count(d, SPLIT_VAL) ? SPLIT_TEST : SPLIT_VAL;
    for (int s = 0; name && s < SPLITS; s++)
        if (!strcmp(split_name((enum split)s), name))
            *out = (enum split)s;
    if (name && strcmp(split_name(*out), name))
        return error_set(GLT_EARGUMENT, "split '%s': give train, val or test", name);
    if (!name && *out == SPLIT_VAL)
        log_message(GLT_LOG_WARNING, "%s: the test split is empty, so val is scored: %s", d->path,
                    dataset_advice(d));
    return 0;
}

const char *score_metric_name(int32_t task)
{
    return task == TASK_SEGMENT ? "mIoU"
           : task == TASK_PARTS ? "instance mIoU"
                                : "overall accuracy";
}

void score_cell(struct string *table, double x)
{
    if (isnan(x))
        string_add(table, " %8s", "-");
    else
        string_add(table, " %8.2f", 100 * x);
}
