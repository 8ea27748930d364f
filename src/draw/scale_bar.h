/* What makes an image measurable: the scale of its colours, and of a map its length and north. */
#ifndef DRAW_SCALE_BAR_H
#define DRAW_SCALE_BAR_H

#include "draw/image.h"

struct scale_bar {
    const char *name, *unit; /* unit may be "" */
    double low, high;        /* values at the ends of the colours */
};

/* The name and unit, the lowest value, the colours, the highest value, in one row that begins at x,
 * y; returns its height. Parts that do not fit the width are left out from the left. */
int scale_bar_colours(struct image *im, int x, int y, int width, const struct scale_bar *s,
                      int text_scale, struct colour ink);
/* A line of a round length in the lower left corner of a rectangle, with the length; an arrow to
 * the north in the upper right one. pixels: of a unit. */
void scale_bar_map(struct image *im, const int rect[4], double pixels, const char *unit,
                   int text_scale, struct colour ink);
/* A value with as many decimals as `range` deserves: three digits of it. */
void scale_bar_number(char dst[32], double value, double range);

#endif
