/* An aerial scene while it is being built: its ground, what stands on it, and which square metres
 * are taken.
 *
 * Coordinates are metres from the middle of the area, z up. Hard things (buildings, cars, poles)
 * and crowns (trees, hedges) are two scenes: a pulse ends at the first and passes through the
 * second. A paint's colour.x is how much of a pulse comes back; its opacity is the share of the
 * pulse that a hard thing stops, and the leaves that a crown has per metre. */
#ifndef SYNTH_SITE_H
#define SYNTH_SITE_H

#include "synth/maker.h"
#include "synth/terrain.h"

/* Labels are the numbers of the ASPRS. */
enum site_label {
    SITE_OTHER = 1,
    SITE_GROUND = 2,
    SITE_VEGETATION = 5,
    SITE_BUILDING = 6,
    SITE_WATER = 9,
    SITE_BRIDGE = 17
};

enum site_kind {
    SITE_SUBURB,
    SITE_TOWN,
    SITE_TOWERS,
    SITE_INDUSTRY,
    SITE_FARMLAND,
    SITE_FOREST,
    SITE_COAST,
    SITE_RIVER,
    SITE_KINDS
};

/* What most scenes of one area share. */
struct site_style {
    double pitch_low, pitch_high; /* of roofs, height over run */
    double flat;                  /* share of flat roofs */
    double relief;                /* metres */
    double conifers;              /* share of trees */
    double leaves;                /* factor on crowns: low in winter */
    double green;                 /* factor on the number of trees */
    double yaw;                   /* of streets */
};

struct site {
    struct maker make, leaves; /* hard things, crowns */
    struct scene hard, crowns;
    struct terrain ground;
    struct site_style style;
    enum site_kind kind;
    double half;    /* the area is -half .. half in x and y */
    double reach;   /* things stand up to here, so that nothing ends at the area's edge */
    double rough;   /* height of grass and crops on open ground, metres */
    uint32_t salt;  /* of this scene's noise */
    uint8_t *taken; /* (cells, cells) square metres */
    int32_t cells;
};

int site_create(struct site *s, double half, struct random *random);
void site_free(struct site *s); /* accepts a zeroed one */

/* A level frame at x, y on the ground. */
struct frame3 site_frame(const struct site *s, double x, double y, double yaw);
/* The lowest ground under a rectangle of half sizes hx, hy. */
double site_lowest(const struct site *s, const struct frame3 *at, double hx, double hy);
/* Whether a rectangle is free of things and water, and lies within reach. */
bool site_fits(const struct site *s, const struct frame3 *at, double hx, double hy);
void site_take(struct site *s, const struct frame3 *at, double hx, double hy);
/* Begins a thing of this label whose surface returns between low and high of a pulse. */
void site_begin(struct maker *m, int label, double low, double high, double opacity);
/* Moves the maker of hard things to a place; returns the frame to put back. */
struct frame3 site_enter(struct site *s, const struct frame3 *at);

#endif
