/* Scoring a model on a split: see score.h. The driver runs the network over the items of the
 * dataset; here its results are compared with the labels. */
#include "task/score.h"

#include "cloud/classes.h"
#include "config/inputs.h"
#include "config/options.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/ranks.h"
#include "datasets/dataset_items.h"
#include "sampling/item.h"
#include "sampling/votes.h"
#include "task/inference.h"

#include <math.h>
#include <string.h>

int score_fits(const struct dataset *d, const struct model *m)
{
    if (d->task != m->config.task)
        return error_topic(
            error_file(error_set(GLT_EMODEL, "%s is for task %s, the model for %s", d->path,
                                 dataset_task_name(d->task), dataset_task_name(m->config.task)),
                       d->path),
            GLT_TOPIC_TASK, NULL);
    if (dataset_class_count(d) != m->classes.n)
        return error_topic(
            error_file(error_set(GLT_EMODEL, "%s has %d classes, the model %d: they do not fit",
                                 d->path, dataset_class_count(d), m->classes.n),
                       d->path),
            GLT_TOPIC_CLASSES, NULL);
    if (d->inputs.extra != m->channels - 3)
        return error_topic(error_file(error_set(GLT_EMODEL,
                                                "%s is read with %d channels besides xyz, the "
                                                "model has %d: they do not fit",
                                                d->path, d->inputs.extra, m->channels - 3),
                                      d->path),
                           GLT_TOPIC_INPUTS, NULL);
    return 0;
}

/* --- items of the split, and their results --- */

/* A rank scores every n-th item. Counts are summed over all ranks. Where the order of additions
 * affects the bits, each item has a row, and rows are added in the order of items. */
struct scoring {
    const struct model *model;
    struct dataset *data;
    enum split split;
    struct score score;
    struct part_scores one; /* parts only: of the current item */
    double *shapes;         /* parts only: (items, SHAPE_CONSTANT + classes) */
    bool keep_first;
};

/* A row of `shapes`: 1 if the shape counts, its category, its IoU, then those of constant
 * predictions. */
enum { SHAPE_COUNTS, SHAPE_CATEGORY, SHAPE_IOU, SHAPE_CONSTANT };

static int no_labels(const struct scoring *s, int32_t item)
{
    return error_topic(error_in(GLT_EDATA, s->data->split[s->split].list[item].name,
                                "it has no labels to compare with"),
                       GLT_TOPIC_LABELS, NULL);
}

/* x->user: (n) predicted classes, or one for the whole cloud. */
static int begin_item(void *user, struct inference_item *x)
{
    const struct scoring *s = user;
    bool whole = s->data->task == TASK_CLASSIFY;
    if (whole ? x->cloud->category < 0 : !x->cloud->labels)
        return no_labels(s, x->number);
    x->user = memory_alloc(whole ? 1 : (size_t)x->cloud->n, sizeof(int32_t));
    return x->user ? 0 : GLT_ENOMEM;
}

static void end_item(void *user, struct inference_item *x)
{
    struct scoring *s = user;
    if (s->keep_first && x->number == 0 && s->data->task != TASK_CLASSIFY)
        s->score.first = x->user;
    else
        memory_free(x->user);
}

static int put_labels(void *user, const struct inference_item *x, const struct inference_result *r)
{
    const struct scoring *s = user;
    int32_t *labels = x->user, classes = s->score.confusion.classes;
    for (int64_t i = 0; i < r->n; i++)
        labels[r->rows ? r->rows[i] : i] = votes_best(r->sum + i * classes, classes);
    return 0;
}

static int count_parts(struct scoring *s, const struct inference_item *x)
{
    const struct item *c = x->cloud;
    int32_t first = c->class_first, count = c->class_count;
    double *row = s->shapes + x->number * (SHAPE_CONSTANT + (int64_t)s->data->classes.n), iou;
    part_scores_constant(row + SHAPE_CONSTANT, c->labels, c->n, first, count);
    if (x->category >= 0)
        s->score.guessed += s->model->classes.categories[x->category].first == first;
    TRY(part_scores_add(&s->one, &iou, c->category, c->labels, x->user, c->n, first, count));
    row[SHAPE_COUNTS] = !isnan(iou);
    row[SHAPE_CATEGORY] = c->category;
    row[SHAPE_IOU] = isnan(iou) ? 0 : iou;
    return 0;
}

/* Adds the shapes in their order. */
static void add_shapes(struct scoring *s, int32_t items)
{
    int32_t classes = s->data->classes.n;
    for (int32_t i = 0; i < items; i++) {
        const double *row = s->shapes + i * (SHAPE_CONSTANT + (int64_t)classes);
        if (row[SHAPE_COUNTS] != 0)
            part_scores_count(&s->score.parts, (int32_t)row[SHAPE_CATEGORY], row[SHAPE_IOU]);
        for (int32_t k = 0; k < classes; k++)
            s->score.constant[k] += row[SHAPE_CONSTANT + k];
    }
}

static int count_item(void *user, const struct inference_item *x)
{
    struct scoring *s = user;
    const struct item *c = x->cloud;
    bool whole = s->data->task == TASK_CLASSIFY;
    s->score.items++;
    s->score.samples += x->samples;
    TRY(confusion_add(&s->score.confusion, whole ? &c->category : c->labels, x->user,
                      whole ? 1 : c->n));
    return s->data->task == TASK_PARTS ? count_parts(s, x) : 0;
}

static const struct inference_sink sink = {begin_item, put_labels, count_item, end_item};

/* --- runs --- */

static int describe(struct inference *o, struct model *m, struct dataset *d, enum split s,
                    const struct score_options *how)
{
    *o = (struct inference){.model = m,
                            .protocol = how->protocol,
                            .sampling = how->sampling,
                            .seed = (uint64_t)how->seed,
                            .tilings = how->overlap + 1,
                            .guess = true,
                            .sink = &sink,
                            .activity = "score"};
    TRY(score_fits(d, m));
    return dataset_items(&o->items, d, s);
}

/* The largest tile of all scenes or the largest shape, and the tiles of the first. */
static int measure_items(int32_t *largest, int32_t *first, const struct inference *o)
{
    const struct item_source *items = &o->items;
    bool scene = o->model->config.task == TASK_SEGMENT;
    for (int32_t i = 0; i < items->count; i++) {
        const struct item *x;
        int32_t tiles = 1, points = (int32_t)items->points(items->user, i);
        int code = scene ? items->take(&x, items->user, i) : 0;
        TRY(code);
        if (scene) {
            code = inference_measure(&tiles, &points, o, x);
            items->give(items->user, i);
        }
        if (code < 0)
            return error_prefix_file(code, items->name(items->user, i));
        *largest = points > *largest ? points : *largest;
        *first = i ? *first : tiles;
    }
    return 0;
}

int score_bytes(int64_t *bytes, struct model *m, struct dataset *d, enum split s,
                const struct score_options *how)
{
    struct inference o;
    int32_t largest = 0, tiles = 1;
    int64_t points = 0;
    TRY(describe(&o, m, d, s, how));
    TRY(measure_items(&largest, &tiles, &o));
    TRY(inference_bytes(bytes, &o, tiles, largest));
    for (int32_t i = 0; i < o.items.count; i++) {
        int64_t n = o.items.points(o.items.user, i);
        points = n > points ? n : points;
    }
    *bytes += (how->keep_first ? 24 : 20) * points; /* labels and tilings of two items */
    return 0;
}

static void summarise(struct score *x, int32_t task)
{
    scores_of(&x->scores, &x->confusion);
    x->metric = task == TASK_SEGMENT ? x->scores.miou
                : task == TASK_PARTS ? part_scores_instance(&x->parts)
                                     : x->scores.oa;
}

static int scoring_create(struct scoring *s, const struct dataset *d, int32_t items)
{
    struct score *x = &s->score;
    TRY(confusion_create(&x->confusion, dataset_class_count(d)));
    TRY(scores_create(&x->scores, dataset_class_count(d)));
    if (d->task == TASK_PARTS)
        TRY(part_scores_create(&x->parts, d->classes.n_categories));
    x->constant = memory_alloc((size_t)dataset_class_count(d), sizeof *x->constant);
    if (!x->constant || d->task != TASK_PARTS)
        return x->constant ? 0 : GLT_ENOMEM;
    TRY(part_scores_create(&s->one, d->classes.n_categories));
    s->shapes = memory_alloc((size_t)items, (SHAPE_CONSTANT + (size_t)d->classes.n) * 8);
    return s->shapes ? 0 : GLT_ENOMEM;
}

/* Joins the results of all ranks. */
static int join_ranks(struct scoring *s, int32_t items)
{
    struct score *x = &s->score;
    struct ranks *r = ranks_current();
    int64_t counts[] = {x->items, x->samples, x->guessed};
    int64_t cells = (int64_t)x->confusion.classes * x->confusion.classes;
    TRY(ranks_sum(r, x->confusion.count, cells));
    TRY(ranks_sum(r, counts, 3));
    x->items = counts[0];
    x->samples = counts[1];
    x->guessed = counts[2];
    if (s->shapes) {
        TRY(ranks_sum_reals(r, s->shapes, items * (SHAPE_CONSTANT + (int64_t)s->data->classes.n)));
        add_shapes(s, items);
    }
    return 0;
}

static void scoring_free(struct scoring *s)
{
    part_scores_free(&s->one);
    memory_free(s->shapes);
}

int score_model(struct score *out, struct model *m, struct dataset *d, enum split split,
                const struct score_options *how)
{
    struct inference o;
    struct scoring s = {.model = m, .data = d, .split = split, .keep_first = how->keep_first};
    struct ranks *ranks = ranks_current();
    int code = describe(&o, m, d, split, how);
    o.user = &s;
    o.first = ranks_number(ranks);
    o.stride = ranks_count(ranks);
    if (code == 0)
        code = scoring_create(&s, d, o.items.count);
    if (code == 0)
        code = inference_run(&o);
    code = ranks_agree(ranks, code, NULL);
    if (code == 0)
        code = join_ranks(&s, o.items.count);
    scoring_free(&s);
    if (code < 0) {
        score_free(&s.score);
        return code;
    }
    summarise(&s.score, d->task);
    *out = s.score;
    return 0;
}

void score_free(struct score *s)
{
    confusion_free(&s->confusion);
    scores_free(&s->scores);
    part_scores_free(&s->parts);
    memory_free(s->constant);
    memory_free(s->first);
    *s = (struct score){0};
}

int score_split(enum split *out, const struct dataset *d, const char *name)
{
    *out = dataset_count(d, SPLIT_TEST) || !dataset_count(d, SPLIT_VAL) ? SPLIT_TEST : SPLIT_VAL;
    for (int s = 0; name && s < SPLITS; s++)
        if (!strcmp(dataset_split_name((enum split)s), name))
            *out = (enum split)s;
    if (name && strcmp(dataset_split_name(*out), name))
        return error_topic(error_set(GLT_EARGUMENT, "split '%s': give train, val or test", name),
                           GLT_TOPIC_SPLIT, name);
    if (!name && *out == SPLIT_VAL)
        log_warning(GLT_TOPIC_SPLIT, "test", "%s: the test split is empty, so val is scored: %s",
                    d->path, dataset_advice(d));
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
