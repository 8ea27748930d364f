/* Thinned clouds: what a model does on other densities than it learned from.
 *
 * Point i stays if its random number u_i in [0, 1) is below
 *     keep * min(1, (range / d_i)^2),
 * d_i being its distance from a scanner: of a scene one in the middle of its box, 1.5 above the
 * floor; of a shape one on the x axis at two radii from its centre, d_i in radii. u_i is keyed by
 * seed, item and canonical row, so neither threads nor the order of the file matter, and a smaller
 * share keeps a part of what a larger one does. A density lowers `keep` scene by scene. At least
 * THIN_LEAST points stay. */
#ifndef DATASETS_THIN_H
#define DATASETS_THIN_H

#include "sampling/item.h"

enum { THIN_LEAST = 16 };

struct thinning {
    double keep;    /* in (0, 1]; 0: nothing is thinned */
    double range;   /* 0: no scanner */
    double density; /* of scenes: points per square unit of their bounds at most; 0: any */
    uint64_t seed;
};

/* Item `number` in canonical form loses points; if it did, item_finish is due. The floor of a scene
 * is where the axis `up` begins. */
int thin_item(struct item *x, const struct thinning *t, uint32_t number, bool scene, int32_t up);

#endif
