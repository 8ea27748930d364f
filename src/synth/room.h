/* A room while it is being built: its outline, what is on its walls, what stands where.
 *
 * The outline is a counter-clockwise polygon, convex or L-shaped. Wall i runs from corner i to
 * corner i + 1; a wall's frame has y pointing out of the room and z up, so that furniture put
 * there stands with its back to the wall. */
#ifndef SYNTH_ROOM_H
#define SYNTH_ROOM_H

#include "synth/maker.h"

enum room_kind {
    ROOM_OFFICE,
    ROOM_CONFERENCE,
    ROOM_HALLWAY,
    ROOM_LOUNGE,
    ROOM_STORAGE,
    ROOM_KINDS
};

/* A rectangle on a wall that is taken: s along the wall, z up. */
struct wall_spot {
    int wall;
    double s0, s1, z0, z1;
    bool open; /* the wall has a hole there */
};

struct footprint {
    struct vec3 centre, x, y; /* half axes */
};

struct room_light {
    struct vec3 at, facing;
    double power;
    bool day;
};

enum { CORNERS_MAX = 8, SPOTS_MAX = 160, FOOTPRINTS_MAX = 200, LIGHTS_MAX = 32 };

/* What a building repeats in most of its rooms. */
struct room_style {
    uint8_t wall_look, floor_kind, ceiling_kind, door_look, frame_look, lamp_kind;
    double height, beams, columns, yaw;
};

struct room {
    struct maker make;
    enum room_kind kind;
    bool complete; /* must show every class */
    bool real;     /* as a depth camera finds it: homes too, odd sizes */
    struct room_style style;
    struct vec3 corner[CORNERS_MAX];
    struct wall_spot spots[SPOTS_MAX];
    struct footprint taken[FOOTPRINTS_MAX];
    struct room_light lights[LIGHTS_MAX];
    int corners, spots_n, taken_n, lights_n;
    double height, thickness;
    uint16_t wall_paint;
};

double room_area(const struct room *r);
bool room_contains(const struct room *r, double x, double y, double margin);
double room_wall_length(const struct room *r, int wall);
/* The frame at s metres along the wall, z up; y points outwards. */
struct frame3 room_wall_frame(const struct room *r, int wall, double s, double z);
void room_wall_take(struct room *r, const struct wall_spot *spot);
/* Looks for a free rectangle of a wall; z is that of its lower edge. */
bool room_wall_find(struct room *r, struct wall_spot *spot, double width, double z, double height);

/* --- standing places --- */
/* Free of everything but footprint `except` (-1 for none). */
bool room_place_fits(const struct room *r, const struct frame3 *at, struct vec3 size, int except);
int room_place_take(struct room *r, const struct frame3 *at, struct vec3 size);
bool room_place_at_wall(struct room *r, struct frame3 *at, struct vec3 size, double gap);
bool room_place_free(struct room *r, struct frame3 *at, struct vec3 size);

#endif
