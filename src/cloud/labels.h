/* Labels of a cloud. */
#ifndef CLOUD_LABELS_H
#define CLOUD_LABELS_H

#include "cloud/cloud.h"

/* Sets label (u8, or i32 above 255 classes) and, if not NULL, confidence, replacing old ones; class
 * names become comments "class 0 ceiling". names may be NULL. */
int labels_set(struct glt_cloud *c, const int32_t *labels, const float *confidence,
               const char *const *names, int32_t n_classes);
/* Names follow their classes to other numbers: map (n) of old, new. Different names that meet on
 * one number are left out. */
int labels_map(struct glt_cloud *c, const int32_t (*map)[2], int32_t n);

#endif
