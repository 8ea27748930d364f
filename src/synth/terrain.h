/* The ground of an aerial scene: heights on a square grid, water levels, and rays against both.
 *
 * Features are added one after another (hills, terraces, ditches, level plots, rivers), then the
 * grid is read-only. Between grid points heights are bilinear. */
#ifndef SYNTH_TERRAIN_H
#define SYNTH_TERRAIN_H

#include "core/vec3.h"
#include "synth/solid.h"

#include <stdbool.h>
#include <stdint.h>

struct terrain {
    double *height; /* (side, side), row = y */
    double
        *water; /* (side, side): level of the water there; below the ground where there is none */
    int32_t side;
    double step, reach; /* the grid covers -reach .. reach in x and y */
    double low, high;   /* of heights and water, set by terrain_finish */
};

/* A straight strip of ground: everything within `half` of the line through `at` along `way`. */
struct terrain_strip {
    struct vec3 at, way; /* way has length 1 and lies level */
    double half, bank;   /* half the width of the bottom; width of each bank */
    double bend;         /* metres that slow noise moves the line sideways */
};

/* A shore: land to the left of a line, a bed under water beyond it. */
struct terrain_shore {
    struct vec3 at, way; /* of the line; way has length 1 and lies level */
    double wave, bend;   /* noise of this wavelength moves the line by this much: bays, islands */
    double rise, depth;  /* of the lowest land above the water; of the water */
    double cliff, beach; /* width of the bank where it is steepest and where it is flattest */
};

/* Level ground that stands above the rest: mounds, ramparts, the edges of quarries. */
struct terrain_plateau {
    double wave, bank; /* wavelength of their outlines; width of their sides */
    double rise;       /* above the ground around them */
    double bar;        /* where noise of 0 to 1 is above it, ground is raised: 0 all, 1 nothing */
};

int terrain_create(struct terrain *t, double reach);
void terrain_free(struct terrain *t); /* accepts a zeroed one */
double terrain_height(const struct terrain *t, double x, double y);
/* The unit normal of the ground, and the depth of the water: <= 0 where it is dry. */
struct vec3 terrain_normal(const struct terrain *t, double x, double y);
double terrain_depth(const struct terrain *t, double x, double y);

void terrain_hills(struct terrain *t, double amplitude, double wavelength, uint32_t salt);
void terrain_tilt(struct terrain *t, double slope_x, double slope_y);
/* Steps of `rise` metres instead of even slopes. */
void terrain_terraces(struct terrain *t, double rise);
/* Lowers (or with a negative depth raises) a strip against the ground beside it. */
void terrain_carve(struct terrain *t, const struct terrain_strip *strip, double depth);
/* A strip that lies at `level` at its bottom, with water above it up to `water`, which is lower
 * than the land beside it. */
void terrain_river(struct terrain *t, const struct terrain_strip *strip, double level,
                   double water);
void terrain_coast(struct terrain *t, const struct terrain_shore *shore, uint32_t salt);
void terrain_plateaus(struct terrain *t, const struct terrain_plateau *plateau, uint32_t salt);
/* Brings a rectangle (half sizes hx, hy in the frame) to one level, with banks of `bank` metres. */
void terrain_level(struct terrain *t, const struct frame3 *at, double hx, double hy, double bank);
void terrain_finish(struct terrain *t);

/* The first point of ground or water on a ray that comes from above; false beyond the grid. */
bool terrain_cast(const struct terrain *t, double *out, const struct ray *ray);

#endif
