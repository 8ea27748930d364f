/* Reference bodies that live outside ref.c: those of edges (ref_edges.c), and the geometry kernels,
 * float in every build (ref_geometry.c). */
#ifndef KERNELS_REF_H
#define KERNELS_REF_H

#include "kernels/tables.h"

void edge_sum_ref(real *y, const real *a, const real *b, int64_t c, int relu, int add);
void edge_attend_ref(real *y, real *weight, const real *score, const real *value,
                     const int32_t *index, int64_t len, int64_t c, int64_t g);
void edge_attend_back_ref(real *dv, real *ds, const real *weight, const real *value, const real *y,
                          const real *dy, int64_t len, int64_t c, int64_t g, int add_v, int add_s);
void edge_max_ref(real *y, const real *value, int64_t len, int64_t c);
void edge_squares_ref(double *sum, const real *x, const real *y, const real *mean,
                      const int32_t *start, const int32_t *index, int64_t begin, int64_t end,
                      int64_t c);
void edge_norm_back_ref(real *dx, const real *dy, const real *x, const real *y, const real *mean,
                        const real *t, const real *d, const real *k, const int32_t *start,
                        const int32_t *index, int64_t begin, int64_t end, int64_t c, int add);

int64_t farthest_step_ref(float *dist, const float *x, const float *y, const float *z,
                          const float q[3], int64_t n);
int64_t within_ref(uint64_t *mask, const float *x, const float *y, const float *z, const float q[3],
                   float r2, int64_t n);
void distances_ref(float *d2, const float *x, const float *y, const float *z, const float q[3],
                   int64_t n);
int64_t ball_ref(int32_t *out, const int32_t *value, const float *x, const float *y, const float *z,
                 const float q[3], float r2, int64_t n);
void keep_ref(int32_t *out, const int32_t *x, const uint64_t *mask, int64_t n);
void nearest3_ref(int32_t at[3], float best[3], float *d2, const float *x, const float *y,
                  const float *z, const float q[3], int64_t n);
void random_words_ref(uint32_t *out, const struct random_stream *s, uint32_t lane, uint32_t first,
                      int64_t blocks);
void boxes_near_ref(uint64_t *mask, const float *box, int64_t stride, const float q[3], int64_t n);
int64_t farthest_group_ref(struct farthest_group *g, const float q[3]);
int64_t largest_ref(const float *x, const int32_t *row, int64_t n);
void half_to_float_ref(float *y, const uint16_t *x, int64_t n);
void float_to_half_ref(uint16_t *y, const float *x, int64_t n);

#endif
