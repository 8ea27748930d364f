/* The pyramid: all geometry of a sample or of a batch of samples.
 *
 * Points of a cloud are in farthest-point order, so level l is the first n[l] rows of each cloud
 * (level 0 = all of them). At every level, a batch has the rows of one cloud after the other: row r
 * of cloud b at level l is first[l][b] + r. Lists hold such batch rows, ascending; transposes have
 * the same edges. The network never computes a distance; geometry never sees a gradient. */
#ifndef GEOMETRY_PYRAMID_H
#define GEOMETRY_PYRAMID_H

#include "core/arena.h"
#include "geometry/lists.h"

#include <stdint.h>

enum { PYRAMID_LEVELS = 4 };

struct pyramid {
    int32_t clouds;
    int32_t n[PYRAMID_LEVELS + 1];      /* rows of all clouds at each level */
    int32_t *first[PYRAMID_LEVELS + 1]; /* (clouds + 1) first row of each cloud */
    int32_t *order; /* (n[0]) row of the sample (as given) that each row came from */
    float *xyz;     /* (n[0], 3) in network rows */
    float *level_xyz[PYRAMID_LEVELS + 1]; /* (n[l], 3); [0] is xyz */
    int32_t *
        centre[PYRAMID_LEVELS + 1]; /* (n[l]) row of level l-1 that row i of level l is; [0] NULL */
    struct neighbours block[PYRAMID_LEVELS][2];
    struct upsampling up[PYRAMID_LEVELS]; /* up[l]: from level l+1 to level l */
};

struct pyramid_options {
    int32_t levels[PYRAMID_LEVELS];                /* points wanted per level */
    int32_t k[PYRAMID_LEVELS], k2[PYRAMID_LEVELS]; /* of block 1 and 2; k2 = 0: as k */
    float radius[PYRAMID_LEVELS];                  /* block 1 */
    float radius2_factor;                          /* block 2 = block 1 times this */
    enum neighbour_rule rule;
    int32_t fps_start; /* canonical row from which sampling starts */
    int pad;           /* fill lists up to k by repeating their first entry */
    int decoder;       /* 0: no up-sampling lists (classification) */
    uint64_t seed;
    uint32_t epoch, sample; /* of the random neighbours */
};

/* Maximum bytes of arena that pyramid_build needs for a cloud of n points, scratch included. */
int pyramid_bytes(size_t *bytes, const struct pyramid_options *o, int32_t n);
/* Those of them that are retained after building, if every ball is full. */
int pyramid_kept_bytes(size_t *bytes, const struct pyramid_options *o, int32_t n);
/* Builds one cloud's pyramid in the arena. The rows of xyz (n, 3) must be in canonical order
 * already (data sorts); NaN or infinite coordinates, n < 1, k < 1, a radius not above 0 or a level
 * under 1 are GLT_EARGUMENT. */
int pyramid_build(struct pyramid *out, struct arena *a, const struct pyramid_options *o,
                  const float *xyz, int32_t n);
/* Joins several pyramids into one, cloud after cloud. */
size_t pyramid_join_bytes(const struct pyramid *const *parts, int32_t clouds);
void pyramid_join(struct pyramid *out, struct arena *a, const struct pyramid *const *parts,
                  int32_t clouds);

#endif
