/* A smaller set of points that stands for a larger one: which points are taken, and which of them
 * every other point belongs to. Both depend on the points and their number alone. */
#ifndef GEOMETRY_SUBSET_H
#define GEOMETRY_SUBSET_H

#include "core/call.h"

#include <stdint.h>

/* Takes up to m of the points with finite coordinates: xyz (n, 3). They are sorted along a Z-order
 * curve (cubes of 1 / 65536 of the longest side, then by row), the order is cut into m runs of
 * equal length, and the point in the middle of each run is taken. So places are covered in
 * proportion to their points. rows (m) ascend; returns how many there are, or GLT_ENOMEM. */
int64_t subset_rows(int32_t *rows, int64_t m, struct call *call, const float *xyz, int64_t n);

/* owner (n): the place in rows (m) of the nearest point that was taken, the lowest row of equally
 * near ones; a point that was taken belongs to itself, also where another one lies in the same
 * place; -1 for points without finite coordinates. */
int subset_owners(int32_t *owner, const int32_t *rows, int64_t m, struct call *call,
                  const float *xyz, int64_t n);

#endif
