/* Inference: how a trained network runs over clouds.
 *
 * A scene is cut into tiles whose points are dealt into samples (sampling/tiling.h); the network's
 * probabilities are added per point, within a tile and then over shifted tilings. A shape is one
 * sample. Samples follow a protocol: that of the paper, or the product's, which takes as many
 * points a pass as is efficient. Tiles and shapes are dealt to workers, each with an engine of its
 * own; a lone worker leaves the threads to the loops of its engine. A point belongs to one tile of
 * a tiling, so memory grows with the points of a tile, not with those of the scene.
 *
 * Items are taken from their source one after the other, and only a few are open at a time. Results
 * go to a sink. Evaluation and prediction differ only in source and sink, so they draw the same
 * samples. Results and errors are the same for any number of threads: the sink gets complete items
 * in their order, and of several failures the first in that order is reported. */
#ifndef TASK_INFERENCE_H
#define TASK_INFERENCE_H

#include "config/settings.h"
#include "core/context.h"
#include "core/random.h"
#include "model/model.h"
#include "sampling/tiling.h"

enum inference_protocol {
    INFERENCE_PAPER,  /* samples of the model's size */
    INFERENCE_PRODUCT /* each point once, in samples up to eight times as large, or less if memory
                       * is limited. Sparse tiles are joined. Points of a small cube share their
                       * votes. */
};

/* "paper" or "product"; GLT_EARGUMENT for another name. NULL leaves *p unchanged. */
int inference_protocol_read(enum inference_protocol *p, const char *name);
const char *inference_protocol_name(enum inference_protocol p);

/* An item under way. */
struct inference_item {
    int32_t number;
    const struct item *cloud;
    int32_t category, rival; /* parts: the predicted category, another nearly as likely; -1: none */
    int64_t samples;         /* seen by the network */
    void *user;              /* of the sink */
};

/* The result for some points of an item; each point comes once. */
struct inference_result {
    int32_t n;
    const int32_t *rows;  /* (n) of the item; NULL: they count up */
    const float *sum;     /* (n, classes) probabilities, added over the samples of a point */
    const int32_t *votes; /* (n) the number of these samples; NULL: one */
};

/* begin and end may be NULL. */
struct inference_sink {
    /* An item is opened: in the order of items, in any thread. */
    int (*begin)(void *user, struct inference_item *x);
    /* In any thread, in several at a time. A classification has one row. */
    int (*put)(void *user, const struct inference_item *x, const struct inference_result *r);
    /* The item is complete: in the order of items, one at a time. */
    int (*finish)(void *user, const struct inference_item *x);
    /* An item that was begun, complete or not, is closed. */
    void (*end)(void *user, struct inference_item *x);
};

/* Seconds spent by workers, summed over all of them. */
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
    bool guess; /* parts: predict the category even of items whose classes are given */

    struct item_source items; /* with class_count 0 if classes are not given */
    int32_t first, stride;    /* items first, first + stride, ..; stride 0: all */
    const struct inference_sink *sink;
    void *user;                    /* of the sink */
    const char *activity;          /* named in reports of progress */
    struct inference_times *times; /* increased by the run; may be NULL */
    const char *advice;            /* other advice if memory does not suffice; NULL: none */
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
/* The sample in which row `row` is drawn first, by the paper's protocol. */
int inference_find(struct inference_sample *out, const struct inference *o, const struct item *x,
                   int32_t row);

#endif
