/* Confusion matrices: see confusion.h. */
#include "sampling/confusion.h"

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
            return error_topic(
                error_place(error_set(GLT_EDATA,
                                      "point %lld: truth %d, prediction %d; classes are 0 to %d",
                                      (long long)i, t, p, c->classes - 1),
                            GLT_PLACE_POINT, i),
                GLT_TOPIC_VALUE, NULL);
        c->count[(int64_t)t * c->classes + p]++;
    }
    return 0;
}

int confusion_merge(struct confusion *to, const struct confusion *from)
{
    if (to->classes != from->classes)
        return error_topic(error_set(GLT_EDATA, "folds of %d and %d classes cannot be pooled",
                                     to->classes, from->classes),
                           GLT_TOPIC_SHAPE, NULL);
    for (int64_t i = 0; i < (int64_t)to->classes * to->classes; i++)
        to->count[i] += from->count[i];
    return 0;
}

int confusion_check(const struct confusion *c)
{
    const int64_t max = (int64_t)1 << 53; /* doubles are exact up to here */
    int64_t left = max;
    for (int64_t i = 0; i < (int64_t)c->classes * c->classes; i++) {
        if (c->count[i] < 0 || c->count[i] > left)
            return error_topic(
                error_set(GLT_EDATA, "counts below 0, or of more than %lld points", (long long)max),
                GLT_TOPIC_VALUE, NULL);
        left -= c->count[i];
    }
    return 0;
}
