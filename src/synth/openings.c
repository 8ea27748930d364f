/* Doors and windows: holes in walls and what fills them. Built in the wall's frame: y = 0 is the
 * inner surface, y > 0 the reveal, y < 0 the room. */
#include "synth/openings.h"

#include "core/frame3.h"
#include "synth/maker.h"
#include "synth/paint.h"
#include "synth/room.h"

static const double frame_looks[LOOKS] = {[LOOK_WHITE] = 4, [LOOK_GREY] = 2,  [LOOK_DARK] = 2,
                                          [LOOK_WOOD] = 2,  [LOOK_METAL] = 2, [LOOK_WOOD_DARK] = 2};

static void glass(struct maker *m)
{
    struct paint p = {.noise = 0.05, .opacity = 0.3, .scale = 0.4, .pattern = PAINT_BLOTCH};
    double u[2];
    maker_roll(m, u, 2);
    double light = 0.5 + 0.45 * u[0];
    p.colour = vec3(light, light * 1.03, light * (1.05 + 0.08 * u[1]));
    p.second = vec3_scale(p.colour, 0.7);
    p.glow = 0.25;
    maker_paint(m, &p);
}

static void frame_around(struct maker *m, double w, double h, double bar, double y, bool sill)
{
    for (int side = -1; side <= 1; side += 2)
        maker_box(m, vec3(side * (w - bar) / 2, y, h / 2), vec3(bar, 0.07, h));
    maker_box(m, vec3(0, y, h - bar / 2), vec3(w, 0.07, bar));
    if (sill)
        maker_box(m, vec3(0, y, bar / 2), vec3(w, 0.07, bar));
}

static void blinds(struct maker *m, double w, double h)
{
    double drop = maker_between(m, 0.2, 1) * h, open = maker_between(m, 0.1, 0.9);
    static const double colours[LOOKS] = {[LOOK_WHITE] = 4, [LOOK_CREAM] = 2, [LOOK_GREY] = 3};
    maker_look_of(m, colours);
    maker_box(m, vec3(0, 0.0, h - 0.02), vec3(w, 0.05, 0.04));
    if (maker_chance(m, 0.35)) { /* roller blind */
        maker_box(m, vec3(0, 0.01, h - drop / 2), vec3(w - 0.04, 0.006, drop));
        return;
    }
    int slats = (int)(drop / 0.05);
    for (int i = 0; i < slats; i++) {
        struct frame3 old = maker_enter(m, vec3(0, 0, h - 0.05 - 0.05 * i), 0, open, 0);
        maker_box(m, vec3(0, 0, 0), vec3(w - 0.05, 0.045, 0.003));
        m->frame = old;
    }
}

static void curtain(struct maker *m, double w, double h)
{
    static const double cloth[LOOKS] = {
        [LOOK_FABRIC] = 3, [LOOK_CREAM] = 2, [LOOK_WHITE] = 2, [LOOK_VIVID] = 1, [LOOK_GREY] = 1};
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, cloth);
    for (int side = -1; side <= 1; side += 2) {
        int folds = maker_count(m, 4, 8);
        for (int i = 0; i < folds; i++)
            maker_cylinder(m, vec3(side * (w / 2 + 0.1 - i * 0.065), -0.07 - 0.02 * (i & 1), -0.2),
                           0.035, h + 0.25);
    }
    maker_bar(m, vec3(-w / 2 - 0.2, -0.08, h + 0.06), vec3(w / 2 + 0.2, -0.08, h + 0.06), 0.013);
}

static void window(struct room *r, const struct wall_spot *o)
{
    struct maker *m = &r->make;
    double w = o->s1 - o->s0, h = o->z1 - o->z0, deep = r->thickness * 0.6;
    maker_begin(m, LABEL_WINDOW);
    m->frame = room_wall_frame(r, o->wall, (o->s0 + o->s1) / 2, o->z0);
    if (maker_chance(m, 0.6))
        maker_look(m, (enum look)r->style.frame_look);
    else
        maker_look_of(m, frame_looks);
    double bar = maker_between(m, 0.045, 0.08);
    frame_around(m, w, h, bar, deep, true);
    int panes = (int)(w / maker_between(m, 0.7, 1.4)) + 1;
    for (int i = 1; i < panes; i++)
        maker_box(m, vec3(-w / 2 + w * i / panes, deep, h / 2), vec3(bar * 0.8, 0.06, h));
    if (maker_chance(m, 0.35))
        maker_box(m, vec3(0, deep, h * 0.7), vec3(w, 0.06, bar * 0.8));
    if (o->z0 > 0.3) /* the board inside */
        maker_box(m, vec3(0, deep / 2 - 0.06, -0.01), vec3(w + 0.04, deep + 0.1, 0.03));
    bool shaded = maker_chance(m, 0.45);
    glass(m);
    maker_box(m, vec3(0, deep, h / 2), vec3(w - 2 * bar, 0.012, h - 2 * bar));
    if (shaded)
        blinds(m, w, h);
    else if (maker_chance(m, 0.2))
        curtain(m, w, h);
    if (r->lights_n < LIGHTS_MAX)
        r->lights[r->lights_n++] =
            (struct room_light){frame3_apply(&m->frame, vec3(0, 0, h / 2)),
                                vec3_scale(m->frame.y, -1), shaded ? 0.5 * w * h : w * h, true};
}

/* One leaf hinged at x = side * w / 2, open by `swing` into the room (negative: outwards). */
static void leaf(struct maker *m, double w, double h, double side, double swing)
{
    struct frame3 old = maker_enter(m, vec3(side * w / 2, 0.03, 0.008), side * swing, 0, 0);
    bool glazed = maker_chance(m, 0.25);
    double x = -side * w / 2, stile = 0.13;
    uint16_t wood = m->paint;
    if (glazed) {
        for (int i = -1; i <= 1; i += 2)
            maker_box(m, vec3(x + i * (w - stile) / 2, 0, h / 2), vec3(stile, 0.042, h));
        maker_box(m, vec3(x, 0, 0.15), vec3(w, 0.042, 0.3));
        maker_box(m, vec3(x, 0, h - stile / 2), vec3(w, 0.042, stile));
        glass(m);
        maker_box(m, vec3(x, 0, h / 2 + 0.08), vec3(w - 2 * stile, 0.01, h - stile - 0.3));
        m->paint = wood;
    } else {
        maker_box(m, vec3(x, 0, h / 2), vec3(w - 0.006, 0.042, h));
    }
    maker_look(m, LOOK_METAL);
    for (int face = -1; face <= 1; face += 2) {
        double hx = -side * (w - 0.07), y = face * 0.055;
        maker_cylinder(m, vec3(hx, face * 0.03, 1.0), 0.025, 0.05);
        maker_bar(m, vec3(hx, y, 1.03), vec3(hx + side * 0.12, y, 1.03), 0.01);
    }
    m->paint = wood;
    m->frame = old;
}

static void door(struct room *r, const struct wall_spot *o)
{
    static const double leaves[LOOKS] = {
        [LOOK_WOOD] = 4,  [LOOK_WOOD_DARK] = 3, [LOOK_WHITE] = 3, [LOOK_GREY] = 2,
        [LOOK_CREAM] = 2, [LOOK_VIVID] = 1,     [LOOK_METAL] = 1};
    struct maker *m = &r->make;
    double w = o->s1 - o->s0, h = o->z1, bar = maker_between(m, 0.05, 0.09);
    maker_begin(m, LABEL_DOOR);
    m->frame = room_wall_frame(r, o->wall, (o->s0 + o->s1) / 2, 0);
    maker_look_of(m, frame_looks);
    for (int side = -1; side <= 1; side += 2)
        maker_box(m, vec3(side * (w - bar) / 2, r->thickness / 2 - 0.01, h / 2),
                  vec3(bar, r->thickness + 0.04, h));
    maker_box(m, vec3(0, r->thickness / 2 - 0.01, h - bar / 2), vec3(w, r->thickness + 0.04, bar));
    if (maker_chance(m, 0.65))
        maker_look(m, (enum look)r->style.door_look);
    else
        maker_look_of(m, leaves);
    double u[3];
    maker_roll(m, u, 3);
    double swing = u[0] < 0.55 ? 0 : 0.15 + 1.5 * u[1];
    if (u[2] < 0.25)
        swing = -swing;
    double inner = w - 2 * bar;
    if (w > 1.3) {
        for (int side = -1; side <= 1; side += 2) {
            struct frame3 old = maker_enter(m, vec3(side * inner / 4, 0, 0), 0, 0, 0);
            leaf(m, inner / 2, h - bar, side, side > 0 ? swing : 0);
            m->frame = old;
        }
    } else {
        leaf(m, inner, h - bar, u[2] < 0.6 ? 1 : -1, swing);
    }
}

/* Keeps the way through a door free. */
static void reserve(struct room *r, const struct wall_spot *o)
{
    double w = o->s1 - o->s0;
    struct frame3 f = room_wall_frame(r, o->wall, (o->s0 + o->s1) / 2, 0);
    f.o = vec3_along(f.o, f.y, -w / 2);
    room_place_take(r, &f, vec3(w, w, 0));
}

static void plan_doors(struct room *r)
{
    struct maker *m = &r->make;
    int n = r->kind == ROOM_HALLWAY ? maker_count(m, 3, 6) : maker_count(m, 1, 2);
    double h = maker_between(m, 2.0, 2.2);
    for (int i = 0; i < n; i++) {
        double w = maker_between(m, 0.85, 1.05);
        if (maker_chance(m, 0.12))
            w = maker_between(m, 1.5, 1.9);
        struct wall_spot spot;
        if (!room_wall_find(r, &spot, w, 0, h))
            continue;
        spot.open = true;
        room_wall_take(r, &spot);
        reserve(r, &spot);
    }
}

static void plan_windows(struct room *r)
{
    static const double chance[ROOM_KINDS] = {0.85, 0.8, 0.5, 0.85, 0.3};
    struct maker *m = &r->make;
    if (!maker_chance(m, chance[r->kind]) && !r->complete)
        return;
    double sill = maker_chance(m, 0.2) ? 0.12 : maker_between(m, 0.7, 1.1);
    double top = maker_between(m, 2.05, r->height - 0.2);
    int n = maker_count(m, 1, 4);
    for (int i = 0; i < n; i++) {
        double w = maker_between(m, 0.8, 2.4);
        struct wall_spot spot;
        if (!room_wall_find(r, &spot, w, sill, top - sill))
            continue;
        spot.open = true;
        room_wall_take(r, &spot);
    }
}

void openings_build(struct room *r)
{
    plan_doors(r);
    plan_windows(r);
    int n = r->spots_n;
    for (int i = 0; i < n; i++) {
        struct wall_spot spot = r->spots[i];
        if (spot.z0 > 0)
            window(r, &spot);
        else
            door(r, &spot);
    }
}
