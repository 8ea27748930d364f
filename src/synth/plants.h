/* Vegetation of aerial scenes: crowns that let a part of each pulse through, and trunks. */
#ifndef SYNTH_PLANTS_H
#define SYNTH_PLANTS_H

#include "synth/site.h"

/* A tree of this height, of a kind that grows in the area. */
void plants_tree(struct site *s, double x, double y, double height);
void plants_bush(struct site *s, double x, double y, double height);
/* From a to b, following the ground. */
void plants_hedge(struct site *s, struct vec3 a, struct vec3 b, double width, double height);
/* Trees about `spacing` metres apart wherever the ground is free and noise below `share`. */
void plants_wood(struct site *s, double share, double spacing, double height);
/* Bushes and patches of tall grass on free ground, per_hectare of them on each hectare. */
void plants_scrub(struct site *s, double per_hectare);

#endif
