/* Palettes. */
#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include "draw/image.h"

/* Colours of n classes: the usual ones for S3DIS's 13, else hues spread by the golden angle. */
void palette_classes(struct colour *dst, int n);
/* The colour of a class of that name: the usual one of the ASPRS, else c. name may be NULL. */
struct colour palette_named(struct colour c, const char *name);
/* 0..1 along viridis (van der Walt and Smith, 2015). */
struct colour palette_scale(double t);
struct colour palette_mix(struct colour a, struct colour b, double t);

#endif
