/* The batch: what one step consumes. Rows are network rows: clouds one after the other, each in
 * farthest-point order, so that level l of cloud b is the first rows of it. */
#ifndef SAMPLING_BATCH_H
#define SAMPLING_BATCH_H

#include "core/arena.h"
#include "geometry/pyramid.h"
#include "sampling/sample.h"

struct batch {
    int64_t number; /* in the epoch */
    int32_t clouds, channels;
    float *features;                     /* (n[0], channels): xyz, then the other inputs */
    int32_t *labels[PYRAMID_LEVELS + 1]; /* (n[l]) class or -1; NULL if the points have none */
    int32_t *category;                   /* (clouds) class of the shape or category of its parts */
    int32_t *range_first, *range_count;  /* (clouds) classes the cloud's points may have */
    int32_t *item;                       /* (clouds) number in the split */
    int32_t *sample;                     /* (clouds) training: in the epoch; testing: of its item */
    int32_t *row;                        /* (n[0]) row of the item behind each network row */
    struct pyramid pyramid;              /* of all clouds */
};

/* One cloud to be made. */
struct batch_job {
    int32_t item;
    int32_t sample;
};

/* Where the clouds of a batch come from. */
struct batch_source {
    struct dataset *data;
    enum split split;
    bool train;
    struct pyramid_options pyramid; /* seed, epoch and sample are set here for each cloud */
    struct covers *covers;          /* testing scenes */
    uint32_t epoch;                 /* training */
};

/* Memory of one maker of batches. */
struct batch_scratch {
    struct sample_scratch sample;
    struct arena parts; /* samples and pyramids before they are joined */
    const struct item **items;
    const struct coverage **coverages;
    struct sample *samples;
    struct pyramid *pyramids;
    const struct pyramid **pointers;
    int32_t room; /* clouds the arrays hold */
};
void batch_scratch_free(struct batch_scratch *s);

/* Makes the batch of the given jobs in the slot's arena, which is grown when it must be. */
int batch_make(struct batch *out, struct arena *slot, struct batch_scratch *s,
               const struct batch_source *from, const struct batch_job *jobs, int32_t clouds);

/* --- coverages shared by the threads of a loader --- */
struct covers;
/* cuts: by so many shifted grids, every point is covered as often. */
int covers_create(struct covers **out, struct dataset *d, enum split s, int32_t cuts);
void covers_free(struct covers *c); /* accepts NULL */
int32_t covers_samples(const struct covers *c, int32_t item);
/* The coverage this sample of the item belongs to: made when it is first wanted, kept until every
 * sample of it was given back. */
int covers_take(const struct coverage **out, struct covers *c, int32_t item, const struct item *x,
                int32_t sample);
void covers_give(struct covers *c, int32_t item, int32_t sample);
void covers_rewind(struct covers *c); /* for another pass */

#endif
