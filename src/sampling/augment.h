/* Augmentation (docs/explanation/samples.md): scaling, mirroring, rotation, slope, shift,
 * lift, jitter, dropped points and inputs, colours permuted, noisy or dropped. A pure function of
 * (seed, epoch, sample) and of the points in their canonical order. */
#ifndef SAMPLING_AUGMENT_H
#define SAMPLING_AUGMENT_H

#include "config/inputs.h"
#include "config/settings.h"
#include "core/random.h"

/* How many of n points a sample keeps: all but a share drawn from 0 to augment.drop, but at least
 * augment.least. */
int32_t augment_kept(int32_t n, const struct augment_settings *a, struct random_key key);
/* Changes xyz (n, 3) and features (n, inputs->extra) in place. grey: the cloud has no colours, and
 * stays as prediction sees such clouds. */
void augment_sample(float *xyz, float *features, int32_t n, const struct inputs *inputs, bool grey,
                    const struct augment_settings *a, struct random_key key);

#endif
