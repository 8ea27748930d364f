/* Scores of confusion matrices: see scores.h. */
#include "sampling/scores.h"

#include "core/error.h"
#include "core/memory.h"
#include <math.h>
#include <string.h>

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

/* Mean of the numbers that are not NaN; NaN if there is none. */
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
