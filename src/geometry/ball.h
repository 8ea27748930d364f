/* Balls around centres: the part of a neighbour search that NEIGHBOURS_RANDOM and NEIGHBOURS_FIRST
 * share. */
#ifndef GEOMETRY_BALL_H
#define GEOMETRY_BALL_H

#include "core/random.h"
#include "geometry/grid.h"
#include "geometry/rankset.h"

struct ball_search {
    const struct grid *grid; /* of the candidates */
    const float *xyz;        /* (candidates, 3) */
    float radius;
    int32_t k;
    const struct random_stream *stream; /* NULL: the first k */
    struct rankset set;                 /* empty */
    uint64_t *places;                   /* (candidates) bits, all 0 */
};

/* Lists of the centres at positions [begin, end) of their own grid, all in one of its cells: that
 * of centre i in index[i * k ..], its length in count[i]. */
void ball_tile(int32_t *index, int32_t *count, const struct ball_search *s,
               const struct grid *centres, int32_t begin, int32_t end);

/* Draws k of 0 .. n-1 as bits of places (all 0 before), from one lane of a stream: every subset is
 * equally likely. */
void ball_draw(uint64_t *places, const struct random_stream *stream, uint32_t lane, int32_t k,
               int32_t n);

#endif
