/* Small clutter: what lies on tables, shelves and chairs. */
#ifndef SYNTH_ITEMS_H
#define SYNTH_ITEMS_H

#include "synth/maker.h"

/* For a table top of the given width and depth, at height size.z. */
void items_desk(struct maker *m, struct vec3 size);
void items_table(struct maker *m, struct vec3 size, int n);
void items_heap(struct maker *m, struct vec3 size);
/* A garment over a chair's back, something small anywhere. */
void items_jacket(struct maker *m, double seat_width, double back_height);
void items_small(struct maker *m);

#endif
