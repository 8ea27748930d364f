/* Inference: the one way in which a trained network goes over clouds.
 *
 * A scene is cut into tiles whose points are dealt into samples (sampling/tiling.h); the network's
 * probabilities are added per point, within a tile and then over shifted tilings. A shape is one
 * sample. Samples follow a protocol: that of the paper, or the product's, which takes as many
 * points a pass as pays. Tiles and shapes are dealt to workers, each with an engine of its own; a
 * lone worker leaves the threads to the loops of its engine. A point belongs to one tile of a
 * tiling, so memory grows with the points of a tile, not with those of the scene.
 *
 * Items are taken from their source one after the other, and at most a few are open at a time. What
 * is found goes to a sink. Evaluation and prediction differ in source and sink alone, so they draw
 * the same samples. Results and errors are the same for any number of threads: the sink hears of
 * complete items in their order, and of several failures the first in that order counts. */
#ifndef TASK_INFERENCE_H
#define TASK_INFERENCE_H

#include "config/settings.h"
#include "core/context.h"
#include "core/random.h"
#include "model/model.h"
#include "sampling/tiling.h"

enum inference_protocol {
    INFERENCE_PAPER,  /* samples of the model's size */
    INFERENCE_PRODUCT /* each point once, in samples up to eight times as large; fewer where the
                         memory limit says so. Sparse tiles are joined. Points of a small cube
                         share what is found. */
};

/* "paper" or "product"; GLT_EARGUMENT for another name. NULL leaves *p as it is. */
int inference_protocol_read(enum inference_protocol *p, const char *name);
const char *inference_protocol_name(enum inference_protocol p);

/* An item under way. */
struct inference_item {
    int32_t number;
    const struct item *cloud;
    int32_t category, rival; /* parts: what the network takes it for, and another category that is
                                not much less likely; -1: none */
    int64_t samples;         /* the network sees */
    void *user;              /* of the sink */
};

/* What was found for some points of an item, each of which comes once. */
struct inference_result {
    int32_t n;
    const int32_t *rows;  /* (n) of the item; NULL: they count up */
    const float *sum;     /* (n, classes) probabilities, added over the samples of a point */
    const int32_t *votes; /* (n) how many those were; NULL: one */
};

/* begin and end may be NULL. */
struct inference_sink {
    /* An item is opened: in the order of items, by any thread. */
    int (*begin)(void *user, struct inference_item *x);
    /* By any thread, by several at a time. A classification has one row. */
    int (*put)(void *user, const struct inference_item *x, const struct inference_result *r);
    /* The item is complete: in the order of items, one at a time. */
    int (*finish)(void *user, const struct inference_item *x);
    /* An item that was begun, complete or not, is closed. */
    void (*end)(void *user, struct inference_item *x);
};

/* Seconds that workers spent, added over all of them. */
struct inference_times {
    double geometry; /* tilings, sampling, neighbours */
    double network;
    double votes; /* soft-max, votes, the sink */
};

struct inference {
    struct context *context; /* NULL: the current one */
    struct model *model;
    enum inference_protocol protocol;
    struct sampling_settings sampling; /* of scenes */
    uint64_t seed;                     /* of all draws */
    int32_t tilings;                   /* of a scene: 1, or more by shifted grids */
    enum tile_grid grid;
    bool guess; /* parts: find the category also of items whose classes are given */

    struct item_source items; /* their class_count is 0 where classes are not given */
    int32_t first, stride;    /* items first, first + stride, ..; stride 0: all */
    const struct inference_sink *sink;
    void *user;                    /* of the sink */
    const char *activity;          /* that progress is reported of */
    struct inference_times *times; /* NULL, or what is added to */
    const char *advice;            /* what else helps if memory does not suffice; NULL: nothing */
};

int inference_run(const struct inference *o);

/* The tiles of a scene, and the points of the largest. */
int inference_measure(int32_t *tiles, int32_t *largest, const struct inference *o,
                      const struct item *x);
/* Bytes of the workers, if the first item has `tiles` tiles (a shape is one) and the largest of all
 * has `largest` points. */
int inference_bytes(int64_t *bytes, const struct inference *o, int32_t tiles, int32_t largest);

/* One sample of an item. */
struct inference_sample {
    int32_t n;
    int32_t *rows;         /* (n); release with memory_free */
    float centre[3];       /* coordinates are measured from it */
    struct random_key key; /* of its random neighbours */
};
/* The one in which row `row` is drawn first, by the paper's protocol. */
int inference_find(struct inference_sample *out, const struct inference *o, const struct item *x,
                   int32_t row);

#endif
