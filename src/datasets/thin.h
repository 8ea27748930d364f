/* Thinned clouds, to test a model on densities other than those of its training data.
 *
 * Point i stays if its random number u_i in [0, 1) is below
 *     keep * min(1, (range / d_i)^2),
 * where d_i is its distance from a scanner: for a scene in the middle of its box, 1.5 above the
 * floor; for a shape on the x axis at two radii from its centre, d_i in radii. u_i is keyed by
 * seed, item and canonical row, so neither threads nor the order of the file matter, and a smaller
 * share keeps a subset of the points of a larger one. A density lowers `keep` scene by scene. At
 * least THIN_LEAST points stay. */
#ifndef DATASETS_THIN_H
#define DATASETS_THIN_H

#include "sampling/item.h"

enum { THIN_LEAST = 16 };

struct thinning {
    double keep;    /* in (0, 1]; 0: nothing is thinned */
    double range;   /* 0: no scanner */
    double density; /* of scenes: maximum points per square unit of their bounds; 0: any */
    uint64_t seed;
};

/* Removes points from item `number`, in canonical form; if it did, call item_finish. The floor of a
 * scene is the lower end of the axis `up`. */
int thin_item(struct item *x, const struct thinning *t, uint32_t number, bool scene, int32_t up);

#endif
