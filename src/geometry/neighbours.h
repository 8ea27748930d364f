/* Neighbour lists of the first `centres` ranks among the first `candidates` ranks of a cloud, by
 * one of the four rules, with transposes.
 *
 * A search is done in three steps so that a pyramid can run the chunks of all its blocks in one
 * parallel loop: prepare (serial), chunk (any order, any thread), finish (serial). */
#ifndef GEOMETRY_NEIGHBOURS_H
#define GEOMETRY_NEIGHBOURS_H

#include "core/random.h"
#include "geometry/grid.h"
#include "geometry/lists.h"

struct neighbour_search {
    const float *xyz; /* of the cloud in rank order */
    enum neighbour_rule rule;
    int32_t k;                   /* at most `candidates` */
    float radius;                /* unused by NEIGHBOURS_KNN */
    double guess;                /* NEIGHBOURS_KNN: approximate distance of the k-th neighbour */
    struct random_stream stream; /* NEIGHBOURS_RANDOM: lane = rank of the centre */
    struct grid grid;            /* of the candidates */
    struct grid tiles;           /* of the centres */
    uint64_t *scratch;           /* (chunks, words of a chunk) */
};

/* GLT_ELIMIT if centres * min(k, candidates) edges are more than INT32_MAX. */
int neighbours_limit(int32_t centres, int32_t candidates, int32_t k);
/* Takes memory for at most this many; the lists outlive the search. */
void neighbours_take(struct neighbours *out, struct arena *a, int32_t centres, int32_t candidates,
                     int32_t k);
/* The same for lists of exactly this many entries, repeats included. */
void neighbours_take_slots(struct neighbours *out, struct arena *a, int32_t centres,
                           int32_t candidates, int32_t slots);
void neighbours_take_search(struct neighbour_search *s, struct arena *a, int32_t centres,
                            int32_t candidates, int32_t k);

void neighbours_prepare(struct neighbours *out, struct neighbour_search *s);
int64_t neighbours_chunks(const struct neighbours *out);
void neighbours_chunk(struct neighbours *out, const struct neighbour_search *s, int64_t chunk);
void neighbours_finish(struct neighbours *out, const struct neighbour_search *s);

/* All three steps, on all threads. */
void neighbours_search(struct neighbours *out, struct neighbour_search *s);

#endif
