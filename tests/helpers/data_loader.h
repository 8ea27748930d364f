/* A loader over the split of a dataset, as in a training run. */
#ifndef TESTS_DATA_LOADER_H
#define TESTS_DATA_LOADER_H

#include "config/config.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "sampling/loader.h"
#include "sampling/sampler.h"

/* All options but the items. */
static inline struct loader_options data_loader_options(const struct config *c,
                                                        const struct dataset *d)
{
    return (struct loader_options){.samples = {.task = d->task,
                                               .inputs = d->inputs,
                                               .sampling = c->sampling,
                                               .augment = c->augment,
                                               .seed = (uint64_t)c->seed},
                                   .pyramid = sampler_pyramid(&c->network, d->task, c->seed)};
}

static inline int data_loader_open(struct loader **out, struct dataset *d, enum split s,
                                   const struct loader_options *o)
{
    struct loader_options all = *o;
    int code = dataset_items(&all.items, d, s);
    return code < 0 ? code : loader_open(out, &all);
}

#endif
