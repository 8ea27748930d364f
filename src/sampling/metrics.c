/* Metrics: see metrics.h. */
#include "sampling/metrics.h"

#include "core/error.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

int confusion_create(struct confusion *c, int32_t classes)
{
    int64_t *count = memory_alloc((size_t)classes * (size_t)classes, sizeof *count);
    if (!count)
        return GLT_ENOMEM;
    *c = (struct confusion){classes, count};
    return 0;
}

void confusion_free(struct confusion *c)
{
    memory_free(c->count);
    *c = (struct confusion){0};
}

int confusion_add(struct confusion *c, const int32_t *truth, const int32_t *predicted, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t t = truth[i], p = predicted[i];
        if (t < 0)
            continue;
        if (t >= c->classes || p < 0 || p >= c->classes)
            return error_set(GLT_EDATA, "point %lld: truth %d, prediction %d; classes are 0 to %d",
                             (long long)i, t, p, c->classes - 1);
        c->count[(int64_t)t * c->classes + p]++;
    }
    return 0;
}

int confusion_merge(struct confusion *to, const struct confusion *from)
{
    if (to->classes != from->classes)
        return error_set(GLT_EDATA, "folds of %d and %d classes cannot be pooled", to->classes,
                         from->classes);
    for (int64_t i = 0; i < (int64_t)to->classes * to->classes; i++)
        to->count[i] += from->count[i];
    return 0;
}

int confusion_check(const struct confusion *c)
{
    const int64_t most = (int64_t)1 << 53; /* whole numbers of a double */
    int64_t left = most;
    for (int64_t i = 0; i < (int64_t)c->classes * c->classes; i++) {
        if (c->count[i] < 0 || c->count[i] > left)
            return error_set(GLT_EDATA, "counts below 0, or of more than %lld points",
                             (long long)most);
        left -= c->count[i];
    }
    return 0;
}

int scores_create(struct scores *s, int32_t classes)
{
    struct scores x = {.classes = classes};
    x.iou = memory_alloc((size_t)classes, sizeof *x.iou);
    x.accuracy = memory_alloc((size_t)classes, sizeof *x.accuracy);
    if (!x.iou || !x.accuracy) {
        scores_free(&x);
        return GLT_ENOMEM;
    }
    *s = x;
    return 0;
}

void scores_free(struct scores *s)
{
    memory_free(s->iou);
    memory_free(s->accuracy);
    *s = (struct scores){0};
}

/* Mean of the numbers that are there; NaN if none is. */
static double mean_of(const double *x, int32_t n)
{
    double sum = 0;
    int32_t there = 0;
    for (int32_t i = 0; i < n; i++) {
        if (isnan(x[i]))
            continue;
        sum += x[i];
        there++;
    }
    return there ? sum / there : NAN;
}

void scores_of(struct scores *s, const struct confusion *c)
{
    ASSERT(s->classes == c->classes);
    int64_t right = 0, all = 0;
    for (int32_t k = 0; k < c->classes; k++) {
        int64_t truth = 0, predicted = 0, both = c->count[(int64_t)k * c->classes + k];
        for (int32_t j = 0; j < c->classes; j++) {
            truth += c->count[(int64_t)k * c->classes + j];
            predicted += c->count[(int64_t)j * c->classes + k];
        }
        int64_t either = truth + predicted - both;
        s->iou[k] = either ? (double)both / (double)either : NAN;
        s->accuracy[k] = truth ? (double)both / (double)truth : NAN;
        right += both;
        all += truth;
    }
    s->miou = mean_of(s->iou, s->classes);
    s->macc = mean_of(s->accuracy, s->classes);
    s->oa = all ? (double)right / (double)all : NAN;
    s->points = all;
}

/* Mean of a score over the folds that have it. */
static double fold_mean(const struct scores *folds, int32_t n,
                        const double *(*pick)(const struct scores *, int32_t), int32_t k)
{
    double sum = 0;
    int32_t there = 0;
    for (int32_t i = 0; i < n; i++) {
        double value = *pick(&folds[i], k);
        if (isnan(value))
            continue;
        sum += value;
        there++;
    }
    return there ? sum / there : NAN;
}

static const double *pick_iou(const struct scores *s, int32_t k)
{
    return &s->iou[k];
}

static const double *pick_accuracy(const struct scores *s, int32_t k)
{
    return &s->accuracy[k];
}

static const double *pick_mean(const struct scores *s, int32_t k)
{
    const double *means[] = {&s->miou, &s->macc, &s->oa};
    return means[k];
}

void scores_average(struct scores *s, const struct scores *folds, int32_t n)
{
    s->points = 0;
    for (int32_t i = 0; i < n; i++)
        s->points += folds[i].points;
    for (int32_t k = 0; k < s->classes; k++) {
        s->iou[k] = fold_mean(folds, n, pick_iou, k);
        s->accuracy[k] = fold_mean(folds, n, pick_accuracy, k);
    }
    s->miou = fold_mean(folds, n, pick_mean, 0);
    s->macc = fold_mean(folds, n, pick_mean, 1);
    s->oa = fold_mean(folds, n, pick_mean, 2);
}

int part_scores_create(struct part_scores *p, int32_t categories)
{
    struct part_scores x = {.categories = categories};
    x.sum = memory_alloc((size_t)categories, sizeof *x.sum);
    x.shapes = memory_alloc((size_t)categories, sizeof *x.shapes);
    if (!x.sum || !x.shapes) {
        part_scores_free(&x);
        return GLT_ENOMEM;
    }
    *p = x;
    return 0;
}

void part_scores_free(struct part_scores *p)
{
    memory_free(p->sum);
    memory_free(p->shapes);
    *p = (struct part_scores){0};
}

static int64_t count_labelled(const int32_t *truth, int64_t n)
{
    int64_t all = 0;
    for (int64_t i = 0; i < n; i++)
        all += truth[i] >= 0;
    return all;
}

int part_scores_add(struct part_scores *p, double *iou, int32_t category, const int32_t *truth,
                    const int32_t *predicted, int64_t n, int32_t first, int32_t count)
{
    if (category < 0 || category >= p->categories || count < 1)
        return error_set(GLT_EDATA, "category %d with %d parts; categories are 0 to %d", category,
                         count, p->categories - 1);
    double sum = 0;
    if (iou)
        *iou = NAN;
    if (count_labelled(truth, n) == 0)
        return 0;
    for (int32_t part = first; part < first + count; part++) {
        int64_t both = 0, either = 0;
        for (int64_t i = 0; i < n; i++) {
            if (truth[i] < 0)
                continue;
            both += truth[i] == part && predicted[i] == part;
            either += truth[i] == part || predicted[i] == part;
        }
        sum += either ? (double)both / (double)either : 1;
    }
    p->sum[category] += sum / count;
    p->shapes[category]++;
    if (iou)
        *iou = sum / count;
    return 0;
}

void part_scores_constant(double *sum, const int32_t *truth, int64_t n, int32_t first,
                          int32_t count)
{
    int32_t absent = 0;
    int64_t all = count_labelled(truth, n);
    for (int32_t part = first; all && part < first + count; part++) {
        int64_t own = 0;
        for (int64_t i = 0; i < n; i++)
            own += truth[i] == part;
        absent += own == 0;
        sum[part] += ((double)own / (double)all - (own == 0)) / count;
    }
    for (int32_t part = first; all && part < first + count; part++)
        sum[part] += (double)absent / count; /* rightly called nowhere */
}

int64_t part_scores_shapes(const struct part_scores *p)
{
    int64_t shapes = 0;
    for (int32_t i = 0; i < p->categories; i++)
        shapes += p->shapes[i];
    return shapes;
}

double part_scores_instance(const struct part_scores *p)
{
    double sum = 0;
    int64_t shapes = part_scores_shapes(p);
    for (int32_t i = 0; i < p->categories; i++)
        sum += p->sum[i];
    return shapes ? sum / (double)shapes : NAN;
}

double part_scores_category(const struct part_scores *p)
{
    double sum = 0;
    int32_t there = 0;
    for (int32_t i = 0; i < p->categories; i++) {
        if (!p->shapes[i])
            continue;
        sum += p->sum[i] / (double)p->shapes[i];
        there++;
    }
    return there ? sum / there : NAN;
}
