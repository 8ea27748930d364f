/* What a drawing does to points before it looks at them: the axis that points up becomes z, and the
 * ceiling of a room goes. */
#ifndef DRAW_CUTAWAY_H
#define DRAW_CUTAWAY_H

#include "core/call.h"

#include <stdint.h>

/* Axis 0, 1, 2 of "x", "y", "z"; GLT_EARGUMENT of the option "up" for anything else. */
int cutaway_axis(int *axis, const char *up);
/* Axes are renamed in a circle until `up` is z, as glt_cloud_edit does. */
void cutaway_turn(float *xyz, int64_t n, int up);
/* Heights between which all but a hundredth of the points lie: stray points must not set the cut.
 */
int cutaway_heights(double range[2], struct call *call, const float *xyz, int64_t n);

struct cutaway {
    double share;     /* of the height, from below, that stays: 1 = all, < 0 = 0.85 for rooms */
    double elevation; /* of the eye: what is seen from the side keeps its ceiling */
    double range[2];  /* of heights */
};
/* hidden[i] = 1 above the cut, else 0. */
void cutaway_hide(uint8_t *hidden, const struct cutaway *c, const float *xyz, int64_t n);

#endif
