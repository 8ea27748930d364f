/* Samples: the points of one cloud of a batch, drawn from a tile or a shape and augmented in
 * training (docs/explanation/samples.md). The sampler brings them into canonical order. */
#ifndef SAMPLING_SAMPLE_H
#define SAMPLING_SAMPLE_H

#include "config/inputs.h"
#include "config/settings.h"
#include "core/arena.h"
#include "core/random.h"
#include "sampling/item.h"

/* Options for drawing samples. */
struct sample_options {
    int32_t task; /* enum config_task */
    struct inputs inputs;
    struct sampling_settings sampling;
    struct augment_settings augment;
    uint64_t seed;
};

struct sample {
    int32_t n;
    float *xyz;      /* (n, 3) */
    float *features; /* (n, extra) */
    int32_t *row;    /* (n) row of the item */
};

/* Memory of one maker of samples, which is kept and grows on demand. */
struct sample_scratch {
    struct arena rows, tile; /* of the tile a sample is drawn from */
    struct arena points;     /* of the sample */
};
void sample_scratch_free(struct sample_scratch *s);
/* Bytes it grows to for items of this many rows, and tiles and samples of this many points. */
size_t sample_scratch_bytes(int64_t rows, int32_t tile, int32_t points, int32_t extra);

/* Maximum points of a sample of an item of n points. */
int32_t sample_maximum(const struct sample_options *o, int64_t n);

/* The tile of a training sample, a square of the scene around a random point: writes its rows of x,
 * ascending, into rows (x->n) and returns their number. A tile with fewer points than block_min is
 * drawn again, at most ten times. */
int32_t sample_tile(int32_t *rows, float centre[3], const struct item *x,
                    const struct sampling_settings *s, struct random_key key);
/* Makes a training sample; its arrays are in the scratch, valid until the next one. */
int sample_train(struct sample *out, struct sample_scratch *s, const struct sample_options *o,
                 const struct item *x, uint32_t epoch, uint32_t sample);

#endif
