/* The loader: threads that prepare batches ahead of the step, pyramids included.
 *
 * The order and content of batches depend only on the items, the options and the epoch, never on
 * the number of threads. An error in a batch is handed to the consumer when that batch is due. The
 * last, short batch of an epoch is kept. */
#ifndef SAMPLING_LOADER_H
#define SAMPLING_LOADER_H

#include "sampling/batch.h"
#include "sampling/sample.h"

struct loader_options {
    struct item_source items; /* must outlive the loader */
    struct sample_options samples;
    int32_t batch; /* clouds of a batch */
    /* Of every `group` batches of an epoch only those from first to end - 1 are made and handed
     * out; group = 0: all. Numbers of batches are those of the whole epoch. */
    int32_t group, first, end;
    struct pyramid_options pyramid;
    int threads; /* 0: the caller makes batches on demand */
    int ahead;   /* maximum batches in memory; 0: two more than threads */
};

struct loader;

int loader_open(struct loader **out, const struct loader_options *o);
/* Starts an epoch at batch `first`, the first of a group; an epoch under way is dropped. The last
 * batch is no longer valid. */
int loader_start(struct loader *l, uint32_t epoch, int64_t first);
/* The next batch, valid until the next call; *out = NULL after the last. */
int loader_next(struct loader *l, const struct batch **out);
void loader_close(struct loader *l); /* accepts NULL */

int64_t loader_samples(const struct loader *l); /* of an epoch */
int64_t loader_batches(const struct loader *l);
/* Points of the largest sample of an epoch: a plan of this capacity can run all samples. */
int32_t loader_points(const struct loader *l);

/* Estimates the bytes that batches and their makers will take. tile: points of the densest tile of
 * a scene. */
int loader_bytes(size_t *bytes, const struct loader *l, int32_t tile);

#endif
