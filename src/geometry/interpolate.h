/* Up-sampling weights: the three nearest coarse points (fewer if there are fewer), weighted by
 * 1 / (d + 1e-8), normalised. Coarse points are the first ranks of the fine ones and copy
 * themselves. Steps as in neighbours.h. */
#ifndef GEOMETRY_INTERPOLATE_H
#define GEOMETRY_INTERPOLATE_H

#include "geometry/grid.h"
#include "geometry/lists.h"

struct interpolate_search {
    const float *xyz;  /* (fine, 3); the first `coarse` rows are the coarse points */
    double guess;      /* approximate distance of two coarse points */
    struct grid grid;  /* of the coarse points */
    struct grid tiles; /* of the others */
    uint64_t *scratch; /* (chunks, words of a chunk) */
};

void interpolate_take(struct upsampling *out, struct arena *a, int32_t fine, int32_t coarse);
void interpolate_take_search(struct interpolate_search *s, struct arena *a, int32_t fine,
                             int32_t coarse);

void interpolate_prepare(struct upsampling *out, struct interpolate_search *s);
int64_t interpolate_chunks(const struct upsampling *out);
void interpolate_chunk(struct upsampling *out, const struct interpolate_search *s, int64_t chunk);
void interpolate_finish(struct upsampling *out); /* the transpose */

#endif
