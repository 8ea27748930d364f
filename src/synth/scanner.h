/* A room seen by a few tripod scanners: echoes with noise, and the colour of a surface point. */
#ifndef SYNTH_SCANNER_H
#define SYNTH_SCANNER_H

#include "synth/room.h"

enum { SCANNERS_MAX = 10 };

struct scan {
    const struct room *room;
    const struct scene *scene;
    struct random_stream stream;
    struct vec3 at[SCANNERS_MAX], shift[SCANNERS_MAX]; /* shift: registration error */
    double gain[SCANNERS_MAX];                         /* exposure */
    int scanners;
    double noise, warp; /* factor on the range noise; amplitude of slow distortion, metres */
    bool fused;         /* as if drawn from a mesh of a hand-held camera: even, smooth, warped */
    double lid;         /* nothing is seen above: hand-held scans rarely show a ceiling */
    struct vec3 tint;
    double pitch, roll; /* the levelling error of the whole cloud, radians */
    /* --- only of rooms that look real --- */
    bool real;
    double holes;       /* share of patches without a point */
    struct vec3 edge;   /* nothing is seen beyond this level line: edge.x x + edge.y y > edge.z */
    double smear;       /* radius over which the mesh is smoothed, metres */
    double curve, grey; /* 0: colours as they are, 1: squared; 1: colours as they are, 0: grey */
    double ambient, reference; /* light without direction; direct light mid-room */
};

/* One ray's return; key < 0 when there was none. */
struct echo {
    struct ray_hit hit;
    struct vec3 at; /* the true surface point */
    struct vec3 measured;
    double key; /* the smaller, the sooner the point is kept */
    int32_t scanner;
};

void scanner_plan(struct scan *s, const struct room *room, struct random_stream stream,
                  struct random *random);
/* Ray `number` of `rays`, in round `round`: a pure function. */
void scanner_ray(struct echo *echo, const struct scan *s, uint32_t round, uint32_t number,
                 uint32_t rays);
void scanner_colour(uint8_t rgb[3], const struct scan *s, const struct echo *echo, uint32_t lane);

#endif
