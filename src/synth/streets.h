/* Small things of aerial scenes: cars, poles, wires, walls, fences, bridges, tanks. */
#ifndef SYNTH_STREETS_H
#define SYNTH_STREETS_H

#include "synth/site.h"

void streets_car(struct site *s, const struct frame3 *at); /* sometimes a van or a lorry */
void streets_lamp(struct site *s, double x, double y, double yaw);
/* Poles or pylons of this height from a to b with wires between them. */
void streets_power_line(struct site *s, struct vec3 a, struct vec3 b, double height);
/* A wall, or a fence that lets most of a pulse through. */
void streets_wall(struct site *s, struct vec3 a, struct vec3 b, double height, bool fence);
/* A deck of this length and width along x, with railings; at->o.z is its top. */
void streets_bridge(struct site *s, const struct frame3 *at, double length, double width);
void streets_tank(struct site *s, double x, double y);
void streets_clutter(struct site *s, double x, double y, double yaw); /* containers, heaps */

#endif
