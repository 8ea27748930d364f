/* Cars, poles, wires, walls, bridges: see streets.h. */
#include "synth/streets.h"

#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/site.h"
#include "synth/terrain.h"

void streets_car(struct site *s, const struct frame3 *at)
{
    struct maker *m = &s->make;
    struct frame3 old = site_enter(s, at);
    double kind = maker_between(m, 0, 1);
    site_begin(m, SITE_OTHER, 0.05, 0.6, 0.9);
    if (kind < 0.8) {
        double u[3];
        maker_roll(m, u, 3);
        double length = 3.6 + 1.2 * u[0], wide = 1.65 + 0.25 * u[1], high = 1.35 + 0.4 * u[2];
        maker_round(m, vec3(0, 0, 0.55), vec3(length, wide, 0.75), 0.2);
        maker_round(m, vec3(-0.1 * length, 0, high - 0.4), vec3(length * 0.55, wide * 0.9, 0.8),
                    0.3);
    } else if (kind < 0.93) {
        double length = maker_between(m, 4.8, 6.5);
        maker_round(m, vec3(0, 0, 1.2), vec3(length, 2, 2), 0.25);
    } else {
        double length = maker_between(m, 7, 13);
        maker_box(m, vec3(-1.3, 0, 2.1), vec3(length, 2.5, 2.8));
        maker_round(m, vec3(length / 2, 0, 1.5), vec3(2.2, 2.4, 2.6), 0.2);
    }
    m->frame = old;
}

void streets_lamp(struct site *s, double x, double y, double yaw)
{
    struct maker *m = &s->make;
    struct frame3 at = site_frame(s, x, y, yaw), old = site_enter(s, &at);
    double high = maker_between(m, 4, 9);
    site_begin(m, SITE_OTHER, 0.2, 0.5, 0.7);
    maker_cylinder(m, vec3(0, 0, 0), 0.09, high);
    maker_bar(m, vec3(0, 0, high), vec3(1.3, 0, high + 0.1), 0.08);
    maker_box(m, vec3(1.5, 0, high + 0.05), vec3(0.6, 0.25, 0.15));
    m->frame = old;
}

/* A beam is wider than a wire: the wire is drawn as wide as what it disturbs, and mostly lets the
 * pulse pass. */
static void wire(struct maker *m, struct vec3 a, struct vec3 b)
{
    enum { PIECES = 8 };
    struct vec3 last = a;
    double sag = 0.025 * vec3_length(vec3_sub(b, a));
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / PIECES;
        struct vec3 p = vec3_along(a, vec3_sub(b, a), t);
        p.z -= 4 * sag * t * (1 - t);
        maker_bar(m, last, p, 0.12);
        last = p;
    }
}

static void pole(struct site *s, struct vec3 foot, struct vec3 across, double height)
{
    struct maker *m = &s->make;
    site_begin(m, SITE_OTHER, 0.2, 0.5, 0.6);
    if (height < 16) {
        maker_cylinder(m, foot, 0.15, height);
    } else { /* a lattice: four legs that meet */
        struct vec3 top = vec3(foot.x, foot.y, foot.z + height);
        for (int i = 0; i < 4; i++) {
            double x = i & 1 ? 2.2 : -2.2, y = i & 2 ? 2.2 : -2.2;
            maker_bar(m, vec3(foot.x + x, foot.y + y, foot.z), top, 0.2);
        }
        for (int i = 1; i < 5; i++)
            maker_box(m, vec3(foot.x, foot.y, foot.z + height * i / 5),
                      vec3(4.4 * (1 - i / 5.0), 4.4 * (1 - i / 5.0), 0.2));
    }
    double reach = height < 16 ? 1 : 5;
    struct vec3 arm = vec3(foot.x, foot.y, foot.z + height * 0.95);
    maker_bar(m, vec3_along(arm, across, -reach), vec3_along(arm, across, reach), 0.12);
}

void streets_power_line(struct site *s, struct vec3 a, struct vec3 b, double height)
{
    struct vec3 way = vec3_sub(b, a);
    way.z = 0;
    double length = vec3_length(way), span = height < 16 ? 42 : 140;
    struct vec3 along = vec3_unit(way), across = vec3(-along.y, along.x, 0), last = a;
    int n = 1 + (int)(length / span), wires = height < 16 ? 1 : 2;
    double first = maker_between(&s->make, -0.5, 0), reach = height < 16 ? 1 : 5;
    for (int i = 0; i <= n + 1; i++) {
        struct vec3 p = vec3_along(a, along, span * (i + first));
        p.z = terrain_height(&s->ground, p.x, p.y);
        pole(s, p, across, height);
        p.z += height * 0.95;
        site_begin(&s->make, SITE_OTHER, 0.15, 0.4, 0.35);
        for (int k = -wires; i > 0 && k <= wires; k++)
            wire(&s->make, vec3_along(last, across, reach * k / wires),
                 vec3_along(p, across, reach * k / wires));
        last = p;
    }
}

void streets_wall(struct site *s, struct vec3 a, struct vec3 b, double height, bool fence)
{
    struct vec3 way = vec3_sub(b, a);
    way.z = 0;
    double length = vec3_length(way);
    int pieces = 1 + (int)(length / 4);
    struct vec3 along = vec3_unit(way);
    struct frame3 at = {along, vec3(-along.y, along.x, 0), vec3(0, 0, 1), a};
    site_begin(&s->make, SITE_OTHER, 0.15, 0.5, fence ? 0.3 : 1);
    for (int i = 0; i < pieces; i++) {
        struct vec3 p = vec3_along(a, along, length * (i + 0.5) / pieces);
        at.o = vec3(p.x, p.y, terrain_height(&s->ground, p.x, p.y));
        struct frame3 old = site_enter(s, &at);
        maker_box(&s->make, vec3(0, 0, height / 2 - 0.3),
                  vec3(length / pieces, fence ? 0.1 : 0.35, height + 0.6));
        s->make.frame = old;
    }
}

void streets_bridge(struct site *s, const struct frame3 *at, double length, double width)
{
    struct maker *m = &s->make;
    struct frame3 old = site_enter(s, at);
    site_begin(m, SITE_BRIDGE, 0.15, 0.4, 1);
    maker_box(m, vec3(0, 0, -0.5), vec3(length, width, 1));
    double rail = maker_between(m, 0.8, 1.2);
    for (int i = -1; i <= 1; i += 2)
        maker_box(m, vec3(0, i * (width / 2 - 0.15), rail / 2), vec3(length, 0.25, rail));
    int piers = (int)(length / 14);
    for (int i = 1; i <= piers; i++)
        maker_box(m, vec3(length * ((double)i / (piers + 1) - 0.5), 0, -4),
                  vec3(1.2, width * 0.8, 7));
    m->frame = old;
}

void streets_tank(struct site *s, double x, double y)
{
    struct maker *m = &s->make;
    struct frame3 at = site_frame(s, x, y, 0), old = site_enter(s, &at);
    double r = maker_between(m, 2, 9), high = maker_between(m, 4, 16);
    site_begin(m, SITE_OTHER, 0.2, 0.6, 1);
    maker_cylinder(m, vec3(0, 0, -3), r, high + 3);
    if (maker_chance(m, 0.6))
        maker_cone(m, vec3(0, 0, high), r, 0.2, r * 0.25);
    m->frame = old;
}

void streets_clutter(struct site *s, double x, double y, double yaw)
{
    struct maker *m = &s->make;
    struct frame3 at = site_frame(s, x, y, yaw), old = site_enter(s, &at);
    double kind = maker_between(m, 0, 1);
    site_begin(m, SITE_OTHER, 0.1, 0.6, 1);
    if (kind < 0.5) { /* containers, stacked up to three high */
        int high = maker_count(m, 1, 3);
        double length = maker_chance(m, 0.5) ? 6.1 : 12.2;
        maker_box(m, vec3(0, 0, 1.3 * high), vec3(length, 2.44, 2.6 * high));
    } else if (kind < 0.8) { /* a heap */
        double r = maker_between(m, 2, 6);
        maker_cone(m, vec3(0, 0, -0.2), r, r * 0.1, r * 0.6);
    } else { /* pallets, boxes, skips */
        double u[3];
        maker_roll(m, u, 3);
        maker_box(m, vec3(0, 0, 0.5 + u[2] / 2), vec3(1 + 4 * u[0], 1 + 2 * u[1], 1 + u[2]));
    }
    m->frame = old;
}
