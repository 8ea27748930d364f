/* The batch: the input of one step, from the sampler to the plan. Rows are network rows: clouds one
 * after the other, each in farthest-point order, so that level l of a cloud is its first rows. */
#ifndef SAMPLING_BATCH_H
#define SAMPLING_BATCH_H

#include "geometry/pyramid.h"

struct batch {
    uint32_t epoch; /* epoch and number key the dropout of a training step */
    int64_t number; /* in the epoch */
    int32_t clouds, channels;
    float *features;                     /* (n[0], channels): xyz, then the other inputs */
    int32_t *labels[PYRAMID_LEVELS + 1]; /* (n[l]) class or -1; NULL if the points have none */
    int32_t *category;                   /* (clouds) class of the shape or category of its parts */
    int32_t *class_first, *class_count;  /* (clouds) classes the cloud's points may have */
    int32_t *item;                       /* (clouds) number of the item it was drawn from */
    int32_t *row;           /* (n[0]) row of the item that each network row came from */
    struct pyramid pyramid; /* of all clouds */
};

#endif
