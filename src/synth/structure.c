/* What belongs to the building: columns, beams, lamps, ducts, and what is fixed to walls and
 * ceiling (boards, radiators, posters, switches, detectors). */
#include "synth/structure.h"

#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/clutter.h"
#include "synth/maker.h"
#include "synth/paint.h"
#include "synth/room.h"

static void structure_paint(struct room *r)
{
    static const double other[LOOKS] = {
        [LOOK_CONCRETE] = 3,  [LOOK_WHITE] = 3, [LOOK_GREY] = 2, [LOOK_WOOD] = 1,
        [LOOK_WOOD_DARK] = 1, [LOOK_CREAM] = 1, [LOOK_METAL] = 1};
    if (maker_chance(&r->make, 0.5))
        r->make.paint = r->wall_paint;
    else
        maker_look_of(&r->make, other);
}

/* Half in a wall, in a corner, or standing free in large rooms. */
static void columns(struct room *r)
{
    struct maker *m = &r->make;
    bool any = maker_chance(m, r->style.columns) || r->complete;
    int n = maker_count(m, 1, 3);
    bool round = maker_chance(m, 0.3);
    double w = maker_between(m, 0.25, 0.6), d = maker_between(m, 0.25, 0.6);
    structure_paint(r);
    uint16_t paint = m->paint;
    for (int i = 0; any && i < n; i++) {
        struct frame3 at;
        struct vec3 size = vec3(w, d, r->height);
        bool alone = maker_chance(m, 0.3);
        bool found = alone && room_area(r) > 30 ? room_place_free(r, &at, size)
                                                : room_place_at_wall(r, &at, size, 0);
        if (!found)
            continue;
        maker_begin(m, LABEL_COLUMN);
        m->paint = paint;
        m->frame = at;
        if (round)
            maker_cylinder(m, vec3(0, 0, 0), w / 2, r->height);
        else
            maker_box(m, vec3(0, 0.04, r->height / 2), vec3(w, d + 0.08, r->height));
    }
}

static void beams(struct room *r)
{
    struct maker *m = &r->make;
    if (!maker_chance(m, r->style.beams) && !r->complete)
        return;
    double u[5];
    maker_roll(m, u, 5);
    bool along = u[0] < 0.5;
    double spacing = 1.6 + 2 * u[1], wide = 0.18 + 0.25 * u[2], deep = 0.15 + 0.3 * u[3];
    structure_paint(r);
    double span = 0;
    for (int i = 0; i < r->corners; i++) {
        double at = along ? r->corner[i].y : r->corner[i].x;
        span = at > span ? at : span;
    }
    m->frame = frame3_identity();
    for (double s = -span + spacing * (0.3 + 0.7 * u[4]); s < span - 0.2; s += spacing) {
        maker_begin(m, LABEL_BEAM);
        maker_box(m, along ? vec3(0, s, r->height - deep / 2) : vec3(s, 0, r->height - deep / 2),
                  along ? vec3(30, wide, deep) : vec3(wide, 30, deep));
    }
}

static void lamp(struct room *r, double x, double y, int kind, struct vec3 size)
{
    struct maker *m = &r->make;
    struct paint glow = {vec3(.95, .95, .92), vec3(.9, .9, .88), 0.3, 0.01, 0.85, 0.6,
                         PAINT_BLOTCH};
    double top = r->height;
    m->frame = frame3_identity();
    m->frame.o = vec3(x, y, 0);
    maker_begin(m, kind == 0 ? LABEL_CEILING : LABEL_CLUTTER);
    if (kind == 0) { /* flush panel: annotators call it ceiling */
        maker_paint(m, &glow);
        maker_box(m, vec3(0, 0, top), vec3(size.x, size.y, 0.012));
    } else if (kind == 1) { /* mounted box */
        maker_paint(m, &glow);
        maker_box(m, vec3(0, 0, top - 0.04), vec3(size.x, size.y, 0.08));
    } else { /* hanging */
        double drop = size.z;
        maker_look(m, LOOK_METAL);
        maker_cylinder(m, vec3(-size.x * 0.4, 0, top - drop), 0.006, drop);
        maker_cylinder(m, vec3(size.x * 0.4, 0, top - drop), 0.006, drop);
        maker_box(m, vec3(0, 0, top - drop + 0.03), vec3(size.x, size.y * 0.6, 0.05));
        maker_paint(m, &glow);
        maker_box(m, vec3(0, 0, top - drop), vec3(size.x * 0.98, size.y * 0.5, 0.02));
    }
    if (r->lights_n < LIGHTS_MAX)
        r->lights[r->lights_n++] = (struct room_light){
            vec3(x, y, top - (kind == 2 ? size.z : 0.1) - 0.05), vec3(0, 0, -1), 1, false};
}

static void lamps(struct room *r)
{
    struct maker *m = &r->make;
    double u[4];
    maker_roll(m, u, 4);
    struct vec3 size = u[0] < 0.5 ? vec3(0.6, 0.6, 0) : vec3(1.25, 0.28, 0);
    if (u[1] < 0.5)
        size = vec3(size.y, size.x, 0);
    int kind = r->style.lamp_kind;
    size.z = 0.3 + 0.4 * u[2];
    double step = 1.7 + 0.9 * u[3];
    for (double x = -4.5 * step; x < 12; x += step)
        for (double y = -4.5 * step; y < 12; y += step)
            if (room_contains(r, x, y, 0.65))
                lamp(r, x, y, kind, size);
    if (r->lights_n == 0)
        lamp(r, 0, 0, kind, size);
}

/* Vents, detectors, a projector, pipes under the ceiling: clutter overhead. */
static void overhead(struct room *r)
{
    struct maker *m = &r->make;
    int n = maker_count(m, 1, 5);
    for (int i = 0; i < n; i++) {
        double u[3];
        maker_roll(m, u, 3);
        double x = (u[0] - 0.5) * 8, y = (u[1] - 0.5) * 8;
        if (!room_contains(r, x, y, 0.4))
            continue;
        m->frame = frame3_identity();
        m->frame.o = vec3(x, y, r->height);
        maker_begin(m, LABEL_CLUTTER);
        maker_look(m, u[2] < 0.6 ? LOOK_WHITE : LOOK_GREY);
        if (u[2] < 0.4)
            maker_cone(m, vec3(0, 0, -0.05), 0.045, 0.06, 0.05);
        else if (u[2] < 0.8)
            maker_box(m, vec3(0, 0, -0.015), vec3(0.45, 0.45, 0.03));
        else {
            maker_cylinder(m, vec3(0, 0, -0.25), 0.02, 0.25);
            maker_round(m, vec3(0, 0, -0.3), vec3(0.32, 0.26, 0.11), 0.03);
        }
    }
    if (!maker_chance(m, r->style.ceiling_kind == 2 ? 0.8 : 0.12))
        return;
    int pipes = maker_count(m, 1, 3);
    for (int i = 0; i < pipes; i++) {
        double at = maker_between(m, -1.5, 1.5), thick = maker_between(m, 0.03, 0.16);
        bool along = maker_chance(m, 0.5);
        maker_begin(m, LABEL_CLUTTER);
        maker_look(m, LOOK_METAL);
        m->frame = frame3_identity();
        double z = r->height - thick - 0.06;
        maker_bar(m, along ? vec3(-15, at, z) : vec3(at, -15, z),
                  along ? vec3(15, at, z) : vec3(at, 15, z), thick);
    }
}

void structure_build(struct room *r)
{
    columns(r);
    beams(r);
    lamps(r);
    overhead(r);
}

static void board(struct room *r)
{
    static const double surface[LOOKS] = {
        [LOOK_WHITE] = 6,       [LOOK_GREEN] = 1.5, [LOOK_DARK] = 1,
        [LOOK_CARDBOARD] = 1.5, [LOOK_PAPER] = 1,   [LOOK_FABRIC] = 1};
    static const double rim[LOOKS] = {
        [LOOK_METAL] = 4, [LOOK_WOOD] = 2, [LOOK_WOOD_DARK] = 1, [LOOK_WHITE] = 2, [LOOK_DARK] = 1};
    struct maker *m = &r->make;
    struct wall_spot spot;
    double w = maker_between(m, 0.9, r->kind == ROOM_CONFERENCE ? 3.4 : 2.4);
    double h = maker_between(m, 0.8, 1.3), z = maker_between(m, 0.75, 1.05);
    if (!room_wall_find(r, &spot, w, z, h))
        return;
    room_wall_take(r, &spot);
    m->frame = room_wall_frame(r, spot.wall, (spot.s0 + spot.s1) / 2, z);
    maker_begin(m, LABEL_BOARD);
    maker_look_of(m, surface);
    maker_box(m, vec3(0, -0.012, h / 2), vec3(w, 0.024, h));
    maker_look_of(m, rim);
    for (int side = -1; side <= 1; side += 2) {
        maker_box(m, vec3(side * w / 2, -0.016, h / 2), vec3(0.03, 0.034, h + 0.03));
        maker_box(m, vec3(0, -0.016, h / 2 + side * h / 2), vec3(w, 0.034, 0.03));
    }
    if (!maker_chance(m, 0.6))
        return;
    maker_box(m, vec3(0, -0.05, 0), vec3(w * 0.5, 0.08, 0.012));
    maker_begin(m, LABEL_CLUTTER); /* notes pinned or written */
    maker_look(m, LOOK_PRINT);
    double u[4];
    maker_roll(m, u, 4);
    maker_box(m, vec3((u[0] - 0.5) * w * 0.6, -0.026, h * (0.35 + 0.3 * u[1])),
              vec3(0.2 + 0.4 * u[2], 0.004, 0.15 + 0.3 * u[3]));
}

/* Begins an object at a free spot of a wall; false: there is none. */
static bool wall_place(struct room *r, struct vec3 size, double z)
{
    struct wall_spot spot;
    if (!room_wall_find(r, &spot, size.x, z, size.z))
        return false;
    room_wall_take(r, &spot);
    r->make.frame = room_wall_frame(r, spot.wall, (spot.s0 + spot.s1) / 2, z);
    maker_begin(&r->make, LABEL_CLUTTER);
    return true;
}

/* A flat or boxy thing. */
static void wall_thing(struct room *r, struct vec3 size, double z, enum look look)
{
    if (!wall_place(r, size, z))
        return;
    maker_look(&r->make, look);
    maker_box(&r->make, vec3(0, -size.y / 2, size.z / 2), size);
}

static void wall_object(struct room *r, maker_fn *make, struct vec3 size, double z)
{
    if (wall_place(r, size, z))
        make(&r->make, size);
}

void structure_fixtures(struct room *r)
{
    static const double board_chance[ROOM_KINDS] = {0.6, 0.9, 0.5, 0.35, 0.1};
    struct maker *m = &r->make;
    int boards = maker_chance(m, board_chance[r->kind]) || r->complete ? maker_count(m, 1, 2) : 0;
    for (int i = 0; i < boards; i++)
        board(r);
    if (maker_chance(m, 0.35)) {
        double w = maker_between(m, 0.6, 1.6);
        wall_object(r, clutter_radiator, vec3(w, 0.14, 0.55), 0.0);
    }
    if (maker_chance(m, r->kind == ROOM_CONFERENCE || r->kind == ROOM_LOUNGE ? 0.6 : 0.1)) {
        double w = maker_between(m, 0.9, 1.6);
        wall_object(r, clutter_television, vec3(w, 0.1, w * 0.57), 1.1);
    }
}

void structure_details(struct room *r)
{
    struct maker *m = &r->make;
    if (maker_chance(m, r->kind == ROOM_HALLWAY ? 0.7 : 0.15))
        wall_object(r, clutter_extinguisher, vec3(0.2, 0.2, 0.55), 0.7);
    int prints = maker_count(m, 1, 6);
    for (int i = 0; i < prints; i++) {
        double w = maker_between(m, 0.25, 0.9), h = maker_between(m, 0.3, 0.9);
        double z = maker_between(m, 1.1, 1.5);
        wall_thing(r, vec3(w, 0.02, h), z, maker_chance(m, 0.7) ? LOOK_PRINT : LOOK_PAPER);
    }
    int switches = maker_count(m, 2, 6);
    for (int i = 0; i < switches; i++) {
        bool low = maker_chance(m, 0.5);
        wall_thing(r, vec3(0.09, 0.02, 0.12), low ? 0.3 : 1.15, LOOK_WHITE);
    }
    if (maker_chance(m, 0.3))
        wall_thing(r, vec3(maker_between(m, 0.8, 2), 0.05, 0.08), 0.85, LOOK_WHITE); /* conduit */
    if (maker_chance(m, 0.3))
        wall_thing(r, vec3(0.4, 0.12, 0.5), 1.3, LOOK_GREY); /* fuse box */
}
