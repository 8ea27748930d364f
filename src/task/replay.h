/* Replay: data that a model has learned from before, mixed into a training run on reviewed points
 * so that it does not forget them.
 *
 * Which data that is: what the dataset says (`replay`), else what the card of the model says
 * (`replay`, which a model that was taught has too, or `data`). Only synthetic data can be made
 * anew from its name. An epoch takes as many samples of it as its share asks for, spread evenly
 * over up to REPLAY_CLOUDS clouds. */
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
    REPLAY_SAMPLES = 20 /* of reviewed points in an epoch, at least: few points come more often */
};

struct replay {
    struct dataset *data; /* NULL: there is none */
    enum split split;     /* that the old task is scored on */
    int32_t points;       /* of a sample */
    double factor;        /* of the weights of reviewed clouds */
    int64_t samples;      /* of old data in an epoch */
    struct item_source reviewed, old;
};

/* The path of the old data, "" for none. from: the model the run begins with; NULL: none. */
int replay_choose(char *path, size_t size, const struct dataset *d, const struct model *from);
/* seed: of the split of the old data, as the model that learned from it had it. */
int replay_open(struct replay *r, const char *path, const struct dataset *d, const struct config *c,
                int64_t seed);
/* Of the old data and its share of the samples: both decide the steps. */
int replay_fingerprint(char hex[DIGEST_SIZE], const struct replay *r, double share);
void replay_close(struct replay *r); /* accepts an empty one */
/* The items of both: those of the reviewed dataset first. r must outlive them. */
int replay_mix(struct item_source *out, struct replay *r, const struct item_source *reviewed,
               double share, int32_t points);

#endif
