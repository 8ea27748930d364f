/* Checkpoints: one model file with everything a run needs to continue as if it had never stopped:
 * weights, Adam's moments, counters, the best score, configuration, fingerprint of the data,
 * digest.
 *
 * There is no pointer to the latest: the newest file that verifies wins. The newest three are kept;
 * a new one is complete, synced and renamed before an old one is removed. */
#ifndef TASK_CHECKPOINT_H
#define TASK_CHECKPOINT_H

#include "datasets/digest.h"
#include "model/trainer.h"

enum { CHECKPOINT_KEPT = 3, CHECKPOINT_PATH = 4096 };

/* How far a training run has come: the next step is batch `batch` of epoch `epoch`. */
struct checkpoint {
    int64_t epoch, batch, steps;
    bool scored;   /* the score of this step is counted */
    double metric; /* of the last validation; NaN: none yet */
    double best;   /* NaN: none yet */
    int64_t best_epoch;
    int64_t end, validate; /* as requested: steps in total (0: all epochs), epochs per validation */
    double seconds;        /* spent so far */
    double losses[6];      /* sums over the epoch: total, main, aux1..4 */
    char data[CHECKPOINT_PATH];
    char fingerprint[DIGEST_SIZE];
    char replay[CHECKPOINT_PATH]; /* path of the old data to mix in; "": none */
    int64_t replay_seed;
    char replay_fingerprint[DIGEST_SIZE]; /* of it and its share; "": not known */
};

/* Writes folder/step-NNNNNNNN.safetensors, then removes the oldest beyond those to keep. */
int checkpoint_save(const struct trainer *t, const struct checkpoint *c, const char *folder);
/* The newest that verifies, with its path; others are named in the log. GLT_EIO if there is
 * none. */
int checkpoint_find(char path[CHECKPOINT_PATH], struct model **m, struct checkpoint *c,
                    const char *folder);
/* Renames those of later steps, which were passed over: they must not push out good ones. */
int checkpoint_set_aside(const char *folder, int64_t steps);
int checkpoint_read(struct model **m, struct checkpoint *c, const char *path);
struct file;
int checkpoint_read_file(struct model **m, struct checkpoint *c, struct file *f);
/* Loads Adam's moments and the number of steps into a trainer of the checkpoint's model. */
int checkpoint_moments(struct trainer *t, const struct checkpoint *c, const char *path);
/* A kill loses the work since the last checkpoint: at most CHECKPOINT_SECONDS, unless writing them
 * would take more than CHECKPOINT_SHARE of the time. Whether it is time to write one: `since` the
 * last one, `ahead` until the next occasion, `cost` of writing one, in seconds. */
enum { CHECKPOINT_SECONDS = 120 };
#define CHECKPOINT_SHARE 0.05
bool checkpoint_is_due(double since, double ahead, double cost);
int checkpoint_any(bool *any, const char *folder); /* complete or not */
/* Removes all of them, once a run is finished and scored. */
int checkpoint_clear(const char *folder);
/* Removes those that a killed process left half written. */
int checkpoint_sweep(const char *folder);

#endif
