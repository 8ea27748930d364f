/* Other people's libraries that bench_geometry compares with; each is optional. */
#ifndef BENCH_GEOMETRY_PEERS_H
#define BENCH_GEOMETRY_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tree over points (n, 3), then for each of the first `centres` points everything with
 * d2 <= r2: start (centres + 1), index (room): hits of each centre in the order they are found.
 * Returns the number of hits; only the first `room` are stored. */
int64_t peer_nanoflann_ball(int64_t *start, int32_t *index, int64_t room, const float *xyz,
                            int32_t n, int32_t centres, float r2);
/* Three nearest of the first `coarse` points for the points behind them: index (fine, 3). */
void peer_nanoflann_three(int32_t *index, const float *xyz, int32_t fine, int32_t coarse);

#ifdef __cplusplus
}
#endif
#endif
