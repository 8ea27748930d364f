/* Thinning a cloud to a spacing, and mapping results back to all of its points.
 *
 * Space is divided into cubes, and the point nearest to the centre of each is kept. So the thinned
 * cloud is even, and the same for a shuffled file. */
#ifndef SAMPLING_SPACING_H
#define SAMPLING_SPACING_H

#include "sampling/item.h"

/* out: the points of x to keep, in the same order; x is an item in canonical order without
 * labels. */
int spacing_thin(struct item *out, const struct item *x, double spacing);
/* out: n of the points of x (n below x->n), drawn at random; the same for a shuffled file. */
int spacing_draw(struct item *out, const struct item *x, int32_t n, uint64_t seed);
/* nearest (whole->n): the row of `thin` that is nearest to each point; ties go to the lower row. */
int spacing_nearest(int32_t *nearest, const struct item *whole, const struct item *thin,
                    double spacing);

#endif
