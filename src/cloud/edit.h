/* Edits of a cloud by readers, in place. (For callers: glt_cloud_edit.) */
#ifndef CLOUD_EDIT_H
#define CLOUD_EDIT_H

#include "gelatto.h"

/* Rotates coordinates and normals so that axis `from` (0 x, 1 y, 2 z) becomes axis `to`. */
int edit_turn(struct glt_cloud *c, int from, int to);
/* Keeps the points in a rectangle x, y, X, Y at any height: the option "box". */
int edit_box(struct glt_cloud **c, const double box[4]);

#endif
