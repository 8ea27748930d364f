/* A solid: a shape in its own frame with a label, an instance and a paint; and a ray against it. */
#ifndef SYNTH_SOLID_H
#define SYNTH_SOLID_H

#include "core/frame3.h"
#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

enum solid_shape {
    SOLID_BOX,       /* half sizes size.x, size.y, size.z */
    SOLID_CONE,      /* radius size.x at -size.z, radius size.y at +size.z: also cylinders */
    SOLID_ELLIPSOID, /* half axes */
    SOLID_ROUND,     /* a box of outer half sizes with edges rounded by `round` */
    SOLID_TORUS,     /* ring of radius size.x in the xy plane, tube radius size.z */
    SOLID_ROOF       /* a box cut by planes that rise from the edges of its base, by `slope` */
};

enum roof_side { ROOF_EAST, ROOF_WEST, ROOF_NORTH, ROOF_SOUTH, ROOF_SIDES }; /* +x, -x, +y, -y */

struct solid {
    struct frame3 frame;
    struct vec3 size;
    double round;
    double slope[ROOF_SIDES]; /* height over run of a roof's planes; 0: an upright side */
    uint8_t shape, label;
    uint16_t instance, paint;
};

struct ray {
    struct vec3 from, along; /* along has length 1 */
};

struct ray_hit {
    double t;
    struct vec3 normal; /* outwards */
    struct vec3 local;  /* the point in the solid's frame */
    int32_t solid;
};

/* One solid: first crossing beyond `nearest` where the ray enters it. */
bool solid_cast(const struct solid *solid, struct ray_hit *hit, const struct ray *ray,
                double nearest, double farthest);
bool solid_inside(const struct solid *solid, struct vec3 p, double margin);
void solid_bounds(const struct solid *solid, struct vec3 *low, struct vec3 *high);

#endif
