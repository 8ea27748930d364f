/* An airborne laser scanner: flight strips over a site, pulses, and the echoes of each pulse. */
#ifndef SYNTH_AIRBORNE_H
#define SYNTH_AIRBORNE_H

#include "synth/site.h"

enum { STRIPS_MAX = 20, ECHOES_MAX = 7 };

enum airborne_pattern {
    AIRBORNE_LINES,  /* a turning mirror: parallel lines across the flight */
    AIRBORNE_ZIGZAG, /* a swinging mirror */
    AIRBORNE_CIRCLES /* a slanted mirror: every place is seen from before and behind */
};

/* What all scenes of one area are scanned with. */
struct airborne_sensor {
    enum airborne_pattern pattern;
    double altitude, half_angle; /* metres above ground; radians */
    double overlap;              /* of neighbouring strips, a share of their width */
    double footprint;            /* diameter of the beam on the ground, metres */
    double noise;                /* of ranges, metres */
    double dead;                 /* least distance between two echoes of a pulse, metres */
    double threshold;            /* weakest echo, as a share of a pulse */
    int echoes_max;
    double gain; /* of intensity */
};

struct airborne_strip {
    struct vec3 across, along; /* level unit vectors */
    double line;               /* where the aircraft flies: metres across from the middle */
    double low, step_u, step_v;
    struct vec3 shift; /* registration error */
    uint32_t first, pulses, columns;
};

struct airborne {
    const struct site *site;
    struct airborne_sensor sensor;
    struct random_stream stream;
    struct airborne_strip strips[STRIPS_MAX];
    int strips_n;
    uint32_t pulses;
    double reach, level; /* of the aimed-at disc around the middle of the area */
};

struct airborne_echo {
    struct vec3 at;
    double intensity;
    uint8_t label, number, of; /* echo `number` of `of`, from 1 */
    int8_t angle;              /* whole degrees from straight down, positive to the right */
};

struct airborne_sensor airborne_draw(struct random *random);
/* Strips that give about `density` points per square metre. */
int airborne_plan(struct airborne *a, const struct site *site, const struct airborne_sensor *sensor,
                  double density, struct random *random);
/* The echoes of one pulse within the area, in order: a pure function. */
int airborne_pulse(struct airborne_echo out[ECHOES_MAX], const struct airborne *a, uint32_t pulse);

#endif
