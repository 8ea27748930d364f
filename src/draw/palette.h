/* Palettes. */
#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include "cloud/classes.h"
#include "draw/image.h"

/* That of class i; grey where i is none of the classes. */
struct colour palette_class(const struct classes *c, int32_t i);
/* 0..1 along viridis (van der Walt and Smith, 2015). */
struct colour palette_scale(double t);
struct colour palette_mix(struct colour a, struct colour b, double t);

#endif
