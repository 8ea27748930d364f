/* The sampler: from points to the input of the network. Only this module puts points in canonical
 * order, builds their pyramid and lays out network rows; loader, engine and trainer all use it.
 *
 * Clouds are added one by one, then joined into a batch. All memory is taken by sampler_reserve:
 * adding allocates nothing. A sampler belongs to one thread. */
#ifndef SAMPLING_SAMPLER_H
#define SAMPLING_SAMPLER_H

#include "config/settings.h"
#include "core/arena.h"
#include "core/random.h"
#include "sampling/batch.h"

#include <stdbool.h>

/* One cloud. Only n and xyz are required. */
struct sampler_cloud {
    int32_t n;
    const float *xyz;      /* (n, 3) in network coordinates, except for `sphere` */
    const float *seen;     /* (n, 3) coordinates as input features; NULL: xyz */
    const float *features; /* (n, channels - 3); NULL if there are none */
    const int32_t *row;    /* (n) row of the item that each point came from; NULL: they count up */
    const int32_t *labels; /* by row; NULL: the points have none */
    bool sphere;           /* move the mean to 0 and scale the largest radius to 1 first */
    struct random_key key; /* of the random neighbours */
    int32_t item, category, class_first, class_count; /* as in struct batch */
};

struct sampler {
    struct pyramid_options pyramid; /* its key is set for each cloud */
    int32_t channels;
    int32_t clouds, points;          /* capacity, of a batch and of each cloud */
    int32_t n;                       /* clouds added */
    struct batch *parts;             /* (clouds) each a batch of one */
    const struct pyramid **pyramids; /* (clouds) of the parts */
    struct arena arena;              /* of the parts */
    struct arena work;               /* of the cloud being added */
};

/* The options of a network's pyramid; a classification has no up-sampling. */
struct pyramid_options sampler_pyramid(const struct network_settings *n, int32_t task,
                                       int64_t seed);

/* Takes memory for batches of `clouds` clouds of `points` points; pyramid and channels are set. */
int sampler_reserve(struct sampler *s, int32_t clouds, int32_t points);
void sampler_free(struct sampler *s);
/* Bytes it takes, and the maximum of a joined batch. */
int sampler_bytes(size_t *bytes, const struct pyramid_options *o, int32_t channels, int32_t clouds,
                  int32_t points);
int sampler_batch_bytes(size_t *bytes, const struct pyramid_options *o, int32_t channels,
                        int32_t clouds, int32_t points);

void sampler_begin(struct sampler *s); /* a new batch: forgets the clouds of the last */
/* GLT_ELIMIT beyond the capacity, GLT_EARGUMENT if a coordinate or a feature is not finite. The
 * arrays may be freed afterwards. */
int sampler_add(struct sampler *s, const struct sampler_cloud *c);
/* Joins the clouds into one batch in the slot's arena, which grows if necessary. slot NULL: a batch
 * of one, in place in the sampler, valid until the next sampler_begin. */
int sampler_join(struct batch *out, const struct sampler *s, struct arena *slot);

#endif
