/* The room itself: outline, floor, ceiling, walls with holes where doors and windows are. */
#include "synth/shell.h"

#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/paint.h"
#include "synth/room.h"

#include <stddef.h>

/* width, depth: ranges per kind of room, in metres */
static const double extents[ROOM_KINDS][4] = {
    [ROOM_OFFICE] = {3.0, 5.6, 3.2, 6.4},   [ROOM_CONFERENCE] = {4.6, 7.0, 5.5, 10.0},
    [ROOM_HALLWAY] = {1.9, 3.2, 7.0, 13.0}, [ROOM_LOUNGE] = {5.0, 8.5, 5.0, 9.0},
    [ROOM_STORAGE] = {2.4, 4.2, 3.0, 5.8},
};

void shell_outline(struct room *r)
{
    struct maker *m = &r->make;
    double u[6];
    maker_roll(m, u, 6);
    const double *e = extents[r->kind];
    double w = e[0] + (e[1] - e[0]) * u[0], d = e[2] + (e[3] - e[2]) * u[1];
    double x = w / 2, y = d / 2, cut = 0.25 + 0.2 * u[3];
    struct vec3 *c = r->corner;
    c[0] = vec3(-x, -y, 0);
    c[1] = vec3(x, -y, 0);
    r->corners = 4;
    if (u[2] < 0.35 || r->complete) {
        c[2] = vec3(x, y, 0);
        c[3] = vec3(-x, y, 0);
    } else if (u[2] < 0.6) { /* one wall askew */
        c[2] = vec3(x, y + d * 0.12 * (u[4] - 0.5), 0);
        c[3] = vec3(-x, y - d * 0.12 * u[4], 0);
        c[1].x += w * 0.1 * (u[5] - 0.5);
    } else if (u[2] < 0.78) { /* a corner cut off */
        c[2] = vec3(x, y * (1 - cut), 0);
        c[3] = vec3(x - w * cut * (0.4 + 0.4 * u[4]), y, 0);
        c[4] = vec3(-x, y, 0);
        r->corners = 5;
    } else { /* L-shaped: the corner (x, y) is missing */
        double nx = x - w * (r->kind == ROOM_HALLWAY ? 0.25 : cut), ny = y - d * cut;
        c[2] = vec3(x, ny, 0);
        c[3] = vec3(nx, ny, 0);
        c[4] = vec3(nx, y, 0);
        c[5] = vec3(-x, y, 0);
        r->corners = 6;
    }
    r->height = r->style.height + maker_between(m, -0.08, 0.08);
    r->thickness = maker_between(m, 0.12, 0.25);
}

static bool reflex(const struct room *r, int corner)
{
    int n = r->corners;
    struct vec3 a = r->corner[(corner + n - 1) % n], b = r->corner[corner];
    struct vec3 c = r->corner[(corner + 1) % n];
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) < 0;
}

static void wall_piece(struct room *r, const struct wall_spot *p, bool skirting)
{
    if (p->s1 - p->s0 < 1e-4 || p->z1 - p->z0 < 1e-4)
        return;
    struct maker *m = &r->make;
    m->frame = room_wall_frame(r, p->wall, (p->s0 + p->s1) / 2, (p->z0 + p->z1) / 2);
    maker_box(m, vec3(0, r->thickness / 2, 0), vec3(p->s1 - p->s0, r->thickness, p->z1 - p->z0));
    if (!skirting || p->z0 > 0)
        return;
    m->frame.o.z = 0.04;
    maker_box(m, vec3(0, -0.006, 0), vec3(p->s1 - p->s0, 0.012, 0.08));
}

/* Pieces between, under and above the holes of one wall, from left to right. */
static void build_wall(struct room *r, int wall, bool skirting)
{
    double s = reflex(r, wall) ? 0 : -r->thickness;
    double end =
        room_wall_length(r, wall) + (reflex(r, (wall + 1) % r->corners) ? 0 : r->thickness);
    maker_begin(&r->make, LABEL_WALL);
    for (;;) {
        const struct wall_spot *next = NULL;
        for (int i = 0; i < r->spots_n; i++) {
            const struct wall_spot *o = &r->spots[i];
            if (o->wall == wall && o->open && o->s0 >= s && (!next || o->s0 < next->s0))
                next = o;
        }
        struct wall_spot piece = {wall, s, next ? next->s0 : end, 0, r->height, false};
        wall_piece(r, &piece, skirting);
        if (!next)
            return;
        struct wall_spot under = {wall, next->s0, next->s1, 0, next->z0, false};
        struct wall_spot above = {wall, next->s0, next->s1, next->z1, r->height, false};
        wall_piece(r, &under, skirting);
        wall_piece(r, &above, false);
        s = next->s1;
    }
}

static void floor_paint(struct room *r)
{
    struct maker *m = &r->make;
    struct paint p = {.noise = 0.02, .opacity = 1, .scale = 0.03, .pattern = PAINT_SPECKLE};
    static const enum look carpets[4] = {LOOK_FABRIC, LOOK_GREY, LOOK_DARK, LOOK_FABRIC};
    int variant = maker_count(m, 0, 3);
    switch (r->style.floor_kind) {
    case 0: /* carpet */
        p.colour = maker_look_colour(m, carpets[variant]);
        p.second = vec3_scale(p.colour, 0.8);
        break;
    case 1: /* boards */
        p.colour = maker_look_colour(m, variant < 3 ? LOOK_WOOD : LOOK_WOOD_DARK);
        p.second = vec3_scale(p.colour, 0.78);
        p.scale = 0.12;
        p.pattern = PAINT_PLANKS;
        break;
    case 2: /* tiles */
        p.colour = maker_look_colour(m, variant < 2   ? LOOK_CREAM
                                        : variant < 3 ? LOOK_GREY
                                                      : LOOK_WHITE);
        p.second = vec3_scale(p.colour, 0.7);
        p.scale = variant & 1 ? 0.3 : 0.6;
        p.pattern = PAINT_TILES;
        break;
    default: /* linoleum, concrete */
        p.colour = maker_look_colour(m, variant < 2   ? LOOK_CONCRETE
                                        : variant < 3 ? LOOK_GREY
                                                      : LOOK_CREAM);
        p.second = vec3_scale(p.colour, 0.88);
        p.scale = 0.5;
        p.pattern = PAINT_BLOTCH;
    }
    maker_paint(m, &p);
}

static void ceiling_paint(struct room *r)
{
    struct maker *m = &r->make;
    struct paint p = {.noise = 0.015, .opacity = 1, .scale = 0.6, .pattern = PAINT_BLOTCH};
    p.colour = maker_look_colour(m, r->style.ceiling_kind == 2 ? LOOK_CONCRETE : LOOK_WHITE);
    p.second = vec3_scale(p.colour, 0.93);
    if (r->style.ceiling_kind == 1) { /* panels in a grid */
        p.pattern = PAINT_TILES;
        p.second = vec3_scale(p.colour, 0.82);
    }
    maker_paint(m, &p);
}

static void choose_wall_paint(struct room *r)
{
    static const double others[LOOKS] = {
        [LOOK_WHITE] = 6, [LOOK_CREAM] = 3,     [LOOK_GREY] = 3,  [LOOK_CONCRETE] = 1.5,
        [LOOK_WOOD] = 1,  [LOOK_WOOD_DARK] = 1, [LOOK_BRICK] = 1, [LOOK_VIVID] = 0.8};
    if (maker_chance(&r->make, 0.6))
        maker_look(&r->make, (enum look)r->style.wall_look);
    else
        maker_look_of(&r->make, others);
    r->wall_paint = r->make.paint;
}

void shell_build(struct room *r)
{
    struct maker *m = &r->make;
    double x = 0, y = 0;
    for (int i = 0; i < r->corners; i++) {
        double ax = r->corner[i].x < 0 ? -r->corner[i].x : r->corner[i].x;
        double ay = r->corner[i].y < 0 ? -r->corner[i].y : r->corner[i].y;
        x = ax > x ? ax : x;
        y = ay > y ? ay : y;
    }
    struct vec3 slab = vec3(2 * x + 1.2, 2 * y + 1.2, 0.1);
    m->frame = frame3_identity();
    maker_begin(m, LABEL_FLOOR);
    floor_paint(r);
    maker_box(m, vec3(0, 0, -0.05), slab);
    maker_begin(m, LABEL_CEILING);
    ceiling_paint(r);
    maker_box(m, vec3(0, 0, r->height + 0.05), slab);
    choose_wall_paint(r);
    int accent = maker_chance(m, 0.2) ? maker_count(m, 0, r->corners - 1) : -1;
    bool skirting = maker_chance(m, 0.6);
    for (int wall = 0; wall < r->corners; wall++) {
        m->paint = r->wall_paint;
        if (wall == accent)
            maker_look(m, maker_chance(m, 0.5) ? LOOK_VIVID : LOOK_GREY);
        build_wall(r, wall, skirting);
    }
}
