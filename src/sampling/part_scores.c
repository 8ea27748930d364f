/* Scores of part segmentation: see part_scores.h. */
#include "sampling/part_scores.h"

#include "core/error.h"
#include "core/memory.h"
#include <math.h>
#include <string.h>

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
        return error_topic(error_set(GLT_EDATA, "category %d with %d parts; categories are 0 to %d",
                                     category, count, p->categories - 1),
                           GLT_TOPIC_CATEGORY, NULL);
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
    part_scores_count(p, category, sum / count);
    if (iou)
        *iou = sum / count;
    return 0;
}

void part_scores_count(struct part_scores *p, int32_t category, double iou)
{
    p->sum[category] += iou;
    p->shapes[category]++;
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
        sum[part] += (double)absent / count; /* IoU 1 if absent from both */
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
