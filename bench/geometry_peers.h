/* Other people's libraries that bench_geometry compares with; each is optional. */
#ifndef BENCH_GEOMETRY_PEERS_H
#define BENCH_GEOMETRY_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which of a centre's hits (n, ascending) go into its list; returns how many. */
typedef int32_t peer_choose(int32_t *out, const int32_t *hits, int32_t n, int32_t centre,
                            void *user);
/* A tree over points (n, 3), then for each of the first `centres` points everything with
 * d2 <= r2, put in order and chosen from: start (centres + 1), index. */
void peer_nanoflann_lists(int32_t *start, int32_t *index, const float *xyz, int32_t n,
                          int32_t centres, float r2, peer_choose *choose, void *user);
/* The tree and the bare searches alone: hits in any order, not kept. Returns how many. */
int64_t peer_nanoflann_balls(const float *xyz, int32_t n, int32_t centres, float r2);
/* Three nearest of the first `coarse` points for the points behind them: index (fine, 3). */
void peer_nanoflann_three(int32_t *index, const float *xyz, int32_t fine, int32_t coarse);

#ifdef __cplusplus
}
#endif
#endif
