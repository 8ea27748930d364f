/* A subset of points that represents all: which points are taken, and which of them represents each
 * other point. Both depend only on the points and the size of the subset. */
#ifndef GEOMETRY_SUBSET_H
#define GEOMETRY_SUBSET_H

#include "core/call.h"

#include <stdint.h>

/* Takes up to m of the points with finite coordinates: xyz (n, 3). They are sorted along a Z-order
 * curve (cubes of 1 / 65536 of the longest side, then by row), the order is cut into m runs of
 * equal length, and the point in the middle of each run is taken. So every region is covered in
 * proportion to its points. rows (m) ascend; returns how many there are, or GLT_ENOMEM. */
int64_t subset_rows(int32_t *rows, int64_t m, struct call *call, const float *xyz, int64_t n);

/* owner (n): the index in rows (m) of the nearest point of the subset, the lowest of equally near
 * ones; a point of the subset owns itself, even if another is at the same place; -1 for points
 * without finite coordinates. */
int subset_owners(int32_t *owner, const int32_t *rows, int64_t m, struct call *call,
                  const float *xyz, int64_t n);

#endif
