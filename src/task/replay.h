/* Replay: old training data of a model, mixed into a run on reviewed points so that the model does
 * not forget it.
 *
 * The dataset names that data (`replay`), or else the card of the model (`replay`, which a taught
 * model keeps, or `data`). From its name alone, only synthetic data can be made again. The number
 * of its samples in an epoch follows from its share; they are spread evenly over up to
 * REPLAY_CLOUDS clouds. */
#ifndef TASK_REPLAY_H
#define TASK_REPLAY_H

#include "config/options.h"
#include "datasets/dataset.h"
#include "datasets/digest.h"
#include "model/model.h"
#include "sampling/item.h"

enum {
    REPLAY_CLOUDS = 64, /* to learn from */
    REPLAY_SCORED = 10, /* to score the old task on */
    REPLAY_SAMPLES = 20 /* minimum samples of reviewed points in an epoch: few points are
                         * repeated */
};

struct replay {
    struct dataset *data; /* NULL: there is none */
    enum split split;     /* on which the old task is scored */
    int32_t points;       /* of a sample */
    double factor;        /* of the weights of reviewed clouds */
    int64_t samples;      /* of old data in an epoch */
    struct item_source reviewed, old;
};

/* The path of the old data, "" for none. from: the initial model of the run; NULL: none. */
int replay_choose(char *path, size_t size, const struct dataset *d, const struct model *from);
/* seed: of the old data's split, as when the model was trained on it. */
int replay_open(struct replay *r, const char *path, const struct dataset *d, const struct config *c,
                int64_t seed);
/* Of the old data and its share of the samples: both decide the steps. */
int replay_fingerprint(char hex[DIGEST_SIZE], const struct replay *r, double share);
void replay_close(struct replay *r); /* accepts an empty one */
/* The items of both datasets, the reviewed one first. r must outlive them. */
int replay_mix(struct item_source *out, struct replay *r, const struct item_source *reviewed,
               double share, int32_t points);

#endif
