/* Running statistics: see running.h. A statistic of c numbers has 1 + c numbers in a record:
 * whether the batch changed it, then the contribution of the batch to each. */
#include "nn/running.h"

#include "core/error.h"

#include <string.h>

void running_place(struct plan *p, struct tensor *t)
{
    t->running = 1 + p->running;
    p->running += 1 + t->fixed * t->cols;
}

void running_set(struct plan *p, const struct tensor *t, int64_t j, double share)
{
    ASSERT(p->record && t->running);
    p->record[t->running - 1] = 1;
    p->record[t->running + j] = share;
}

void running_clear(struct plan *p)
{
    memset(p->record, 0, (size_t)p->running * sizeof *p->record);
}

void running_apply(struct plan *p, const double *record)
{
    for (int i = 0; i < p->tensors_count; i++) {
        struct tensor *t = p->tensors[i];
        bool changed = t->running && record[t->running - 1] != 0;
        for (int64_t j = 0; changed && j < t->fixed * t->cols; j++)
            t->x[j] = (real)((1 - p->bn_momentum) * t->x[j] + record[t->running + j]);
    }
}
