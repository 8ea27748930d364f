/* Coverages of the scenes being tested, shared by the threads of a loader. */
#ifndef SAMPLING_COVERS_H
#define SAMPLING_COVERS_H

#include "sampling/blocks.h"

struct covers;
/* cuts: by so many shifted grids, every point is covered as often. */
int covers_create(struct covers **out, const struct item_source *items,
                  const struct block_options *o, int32_t cuts);
void covers_free(struct covers *c); /* accepts NULL */
int32_t covers_samples(const struct covers *c, int32_t item);
/* The coverage this sample of the item belongs to: made when it is first wanted, kept until every
 * sample of it was given back. */
int covers_take(const struct coverage **out, struct covers *c, int32_t item, const struct item *x,
                int32_t sample);
void covers_give(struct covers *c, int32_t item, int32_t sample);
void covers_rewind(struct covers *c); /* for another pass */

#endif
