/* The tile of a training sample: a square column of a scene around a random point. */
#ifndef SAMPLING_TILE_H
#define SAMPLING_TILE_H

#include "config/settings.h"
#include "core/random.h"
#include "sampling/item.h"

/* Its rows of x, ascending, into rows (x->n); their number. One with fewer points than block_min is
 * drawn again, at most ten times. */
int32_t tile_draw(int32_t *rows, float centre[3], const struct item *x,
                  const struct sampling_settings *s, struct random_key key);

#endif
