/* Samples: the points that one cloud of a batch is made of, as the network sees them: drawn from a
 * block or a shape, augmented in training, in canonical order (docs/data.md, "From clouds to
 * batches"). */
#ifndef SAMPLING_SAMPLE_H
#define SAMPLING_SAMPLE_H

#include "core/arena.h"
#include "datasets/dataset.h"
#include "sampling/blocks.h"

struct sample {
    int32_t n;
    float *xyz;      /* (n, 3) */
    float *features; /* (n, extra) */
    int32_t *row;    /* (n) row of the item */
};

/* Memory of one maker of samples, grown when it must be and kept. */
struct sample_scratch {
    struct arena rows, work;
};
void sample_scratch_free(struct sample_scratch *s);
/* Bytes it grows to with items of this many rows and blocks of this many points. */
size_t sample_scratch_bytes(int64_t rows, int32_t block, int32_t extra);
/* An empty arena of at least this size; what it held is gone. */
int sample_reserve(struct arena *a, size_t bytes);

/* Points a sample of the item may have at the most, and the arena bytes it takes. */
int32_t sample_most(const struct dataset *d, const struct item *x, bool train);
size_t sample_bytes(int32_t most, int32_t extra);
struct block_options sample_blocks(const struct dataset *d);

/* Training sample number `sample` of the epoch. */
int sample_train(struct sample *out, struct arena *a, struct sample_scratch *s,
                 const struct dataset *d, const struct item *x, uint32_t epoch, uint32_t sample);
/* Test sample i of a scene, or (coverage NULL) all of a shape. */
int sample_test(struct sample *out, struct arena *a, struct sample_scratch *s, const struct item *x,
                const struct coverage *c, int32_t i);

#endif
