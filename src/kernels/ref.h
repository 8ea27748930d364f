/* Reference bodies that live outside ref.c: the geometry kernels, float in every build. */
#ifndef KERNELS_REF_H
#define KERNELS_REF_H

#include "kernels/tables.h"

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
