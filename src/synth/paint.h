/* How surfaces look. */
#ifndef SYNTH_PAINT_H
#define SYNTH_PAINT_H

#include "core/vec3.h"

#include <stdint.h>

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

/* The colour of a paint at a local point; smooth noise in [0, 1]. */
struct vec3 paint_colour(const struct paint *paint, struct vec3 local, struct vec3 normal,
                         uint32_t salt);
double paint_noise(struct vec3 p, uint32_t salt);

#endif
