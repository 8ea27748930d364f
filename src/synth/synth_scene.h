/* Scenes of simple solids, and rays through them.
 *
 * A solid is a shape in its own frame with a label, an instance and a paint. After scene_finish a
 * scene is read-only and any number of threads may cast rays. Failures while adding are remembered
 * and returned by scene_finish, so that builders read as plain lists of parts. Everything is plain
 * double arithmetic: the same hits on every platform. */
#ifndef SYNTH_SYNTH_SCENE_H
#define SYNTH_SYNTH_SCENE_H

#include "core/frame3.h"
#include "core/vec3.h"

#include <stdbool.h>
#include <stdint.h>

enum solid_shape {
    SOLID_BOX,       /* half sizes size.x, size.y, size.z */
    SOLID_CONE,      /* radius size.x at -size.z, radius size.y at +size.z: also cylinders */
    SOLID_ELLIPSOID, /* half axes */
    SOLID_ROUND,     /* a box of outer half sizes with edges rounded by `round` */
    SOLID_TORUS      /* ring of radius size.x in the xy plane, tube radius size.z */
};

struct solid {
    struct frame3 frame;
    struct vec3 size;
    double round;
    uint8_t shape, label;
    uint16_t instance, paint;
};

enum paint_pattern {
    PAINT_PLAIN,
    PAINT_TILES,   /* joints of the second colour, every `scale` metres */
    PAINT_PLANKS,  /* boards along x, each with its own shade */
    PAINT_GRAIN,   /* wood: noise stretched along x */
    PAINT_SPECKLE, /* carpet, terrazzo, ceiling tile: cells of the second colour */
    PAINT_STRIPES, /* bands across x */
    PAINT_BRICKS,
    PAINT_PRINT, /* poster, screen: blocks of mixed colours */
    PAINT_BLOTCH /* slow change between the two colours */
};

/* How a surface looks. Colours are 0..1 as displayed; opacity is the share of rays that return from
 * it at all; glow is light of its own. */
struct paint {
    struct vec3 colour, second;
    double scale, noise, opacity, glow;
    uint8_t pattern;
};

struct scene_node {
    struct vec3 low, high;
    int32_t first, count; /* count > 0: solids [first, first + count); else children first, +1 */
};

struct scene {
    struct solid *solids;
    struct paint *paints;
    struct scene_node *nodes;
    int32_t solids_n, paints_n, nodes_n;
    int error;
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

void scene_free(struct scene *s); /* accepts a zeroed one */
void scene_add(struct scene *s, const struct solid *solid);
uint16_t scene_paint(struct scene *s, const struct paint *paint);
/* Builds the tree; reorders solids. */
int scene_finish(struct scene *s);
/* Nearest hit with nearest < t < farthest. */
bool scene_cast(const struct scene *s, struct ray_hit *hit, const struct ray *ray, double nearest,
                double farthest);
/* Whether anything opaque stands within (nearest, farthest). */
bool scene_blocked(const struct scene *s, const struct ray *ray, double nearest, double farthest);

/* One solid: first crossing beyond `nearest` where the ray enters it. */
bool solid_cast(const struct solid *solid, struct ray_hit *hit, const struct ray *ray,
                double nearest, double farthest);
bool solid_inside(const struct solid *solid, struct vec3 p, double margin);
void solid_bounds(const struct solid *solid, struct vec3 *low, struct vec3 *high);

/* The colour of a paint at a local point; smooth noise in [0, 1]. */
struct vec3 paint_colour(const struct paint *paint, struct vec3 local, struct vec3 normal,
                         uint32_t salt);
double paint_noise(struct vec3 p, uint32_t salt);
uint32_t paint_hash(int32_t x, int32_t y, int32_t z, uint32_t salt);

#endif
