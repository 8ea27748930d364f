/* Buildings of aerial scenes. Each stands at the site's current frame, whose origin is the middle
 * of its plan on the ground: width along x, depth along y, height of the walls. */
#ifndef SYNTH_BUILDINGS_H
#define SYNTH_BUILDINGS_H

#include "synth/site.h"

void buildings_house(struct site *s, struct vec3 size);
void buildings_terrace_house(struct site *s, struct vec3 size); /* one of a row */
void buildings_tower(struct site *s, struct vec3 size);         /* flats, offices */
void buildings_courtyard(struct site *s, struct vec3 size);
void buildings_hall(struct site *s, struct vec3 size);
void buildings_barn(struct site *s, struct vec3 size);
void buildings_church(struct site *s, struct vec3 size);
void buildings_greenhouse(struct site *s, struct vec3 size);
void buildings_shed(struct site *s, struct vec3 size);

#endif
