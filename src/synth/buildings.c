/* Walls with roofs on them: see buildings.h. Plans are unions of rectangular wings. */
#include "synth/buildings.h"

#include "core/angle.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/roofs.h"
#include "synth/site.h"

/* Walls go down far enough to meet sloping ground. */
static const double cellar = 6;

static void walls(struct maker *m, struct vec3 size)
{
    maker_box(m, vec3(0, 0, (size.z - cellar) / 2), vec3(size.x, size.y, size.z + cellar));
}

static void wing(struct site *s, struct vec3 size, enum roof_kind roof, double pitch)
{
    walls(&s->make, size);
    roofs_cover(s, size, roof, pitch);
}

/* A wing whose middle is at x, y, turned by quarter turns. */
static void wing_at(struct site *s, struct vec3 at, bool turned, struct vec3 size,
                    enum roof_kind roof, double pitch)
{
    struct frame3 old = maker_enter(&s->make, at, turned ? ANGLE_PI / 2 : 0, 0, 0);
    wing(s, size, roof, pitch);
    s->make.frame = old;
}

/* A part beside the main wing, where the ground is free. */
static void extend(struct site *s, struct vec3 at, bool turned, struct vec3 size,
                   enum roof_kind roof, double pitch)
{
    struct frame3 inner = frame3_at(at, turned ? ANGLE_PI / 2 : 0, 0, 0);
    struct frame3 place = frame3_then(&s->make.frame, &inner);
    if (!site_fits(s, &place, size.x / 2, size.y / 2))
        return;
    wing_at(s, at, turned, size, roof, pitch);
    site_take(s, &place, size.x / 2, size.y / 2);
}

static void begin(struct site *s)
{
    site_begin(&s->make, SITE_BUILDING, 0.12, 0.6, 1);
}

/* Low parts beside a house: garage, porch, conservatory. */
static void annexes(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    int n = maker_count(m, 0, 2);
    for (int i = 0; i < n; i++) {
        double u[5];
        maker_roll(m, u, 5);
        struct vec3 part = vec3(2.5 + 4 * u[0], 2.5 + 3.5 * u[1], 2.3 + 0.9 * u[2]);
        if (part.z > size.z - 0.3)
            part.z = size.z - 0.3;
        bool side = u[3] < 0.5;
        double sign = u[4] < 0.5 ? -1 : 1;
        struct vec3 at = side ? vec3(sign * (size.x + part.y) / 2, (u[2] - 0.5) * 3, 0)
                              : vec3((u[2] - 0.5) * size.x / 2, sign * (size.y + part.y) / 2, 0);
        begin(s);
        bool shed = maker_chance(m, 0.4);
        extend(s, at, side, part, shed ? ROOF_LEAN : ROOF_BARE, 0.3);
    }
}

void buildings_house(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    double pitch = maker_between(m, s->style.pitch_low, s->style.pitch_high);
    enum roof_kind roof = roofs_draw(s);
    begin(s);
    wing(s, size, roof, pitch);
    double u[4];
    maker_roll(m, u, 4);
    struct vec3 small = vec3(size.y * (0.7 + 0.5 * u[0]), size.x * (0.35 + 0.25 * u[1]),
                             size.z * (u[2] < 0.6 ? 1 : 0.75));
    double sign = u[3] < 0.5 ? -1 : 1, reach = (size.y + small.x) / 2 - 0.5;
    double plan = maker_between(m, 0, 1);
    if (plan < 0.22) /* L: a wing at one end, across */
        extend(s, vec3((size.x - small.y) / 2, sign * reach, 0), true, small, roof, pitch);
    else if (plan < 0.36) /* T */
        extend(s, vec3((u[1] - 0.5) * 2, sign * reach, 0), true, small, roof, pitch);
    annexes(s, size);
    roofs_details(s, size, roof, pitch);
}

void buildings_terrace_house(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    double pitch = maker_between(m, s->style.pitch_low, s->style.pitch_high);
    bool flat = maker_chance(m, s->style.flat), mansard = maker_chance(m, 0.2);
    enum roof_kind roof = flat ? ROOF_FLAT : mansard ? ROOF_MANSARD : ROOF_GABLE;
    begin(s);
    wing(s, size, roof, pitch);
    if (maker_chance(m, 0.4)) { /* a lower part towards the yard */
        double deep = maker_between(m, 2.5, 7);
        struct vec3 low = vec3(size.x * 0.6, deep, size.z < 6 ? 2.6 : maker_between(m, 2.6, 6));
        extend(s, vec3(-size.x * 0.2, (size.y + deep) / 2, 0), false, low, ROOF_BARE, 0);
    }
    roofs_details(s, size, roof, pitch);
}

void buildings_tower(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    begin(s);
    double kind = maker_between(m, 0, 1);
    enum roof_kind roof = maker_chance(m, 0.85) ? ROOF_FLAT : ROOF_HIP;
    if (kind < 0.25 && size.z > 15) { /* a base with a narrower tower on it */
        double low = maker_between(m, 4, 9);
        wing(s, vec3(size.x, size.y, low), ROOF_FLAT, 0);
        wing_at(s, vec3(size.x * 0.1, 0, 0), false, vec3(size.x * 0.6, size.y * 0.75, size.z), roof,
                0.3);
    } else if (kind < 0.45) { /* a cross, an L or a T of slabs */
        double along = maker_between(m, -0.35, 0.35);
        wing(s, vec3(size.x, size.y * 0.45, size.z), roof, 0.3);
        wing_at(s, vec3(size.x * along, 0, 0), true,
                vec3(size.y, size.y * 0.45, size.z * (along < 0 ? 1 : 0.7)), roof, 0.3);
    } else if (kind < 0.6) { /* steps down along its length */
        for (int i = 0; i < 3; i++)
            wing_at(s, vec3(size.x * (i - 1) / 3, 0, 0), false,
                    vec3(size.x / 3, size.y, size.z * (1 - 0.22 * i)), ROOF_FLAT, 0);
    } else if (kind < 0.68) {
        double r = size.y / 2;
        maker_cylinder(m, vec3(0, 0, -cellar), r, size.z + cellar);
    } else {
        wing(s, size, roof, 0.3);
    }
}

void buildings_courtyard(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    double deep = maker_between(m, 9, 13);
    double pitch = maker_between(m, s->style.pitch_low, s->style.pitch_high);
    bool flat = maker_chance(m, s->style.flat), open = maker_chance(m, 0.3);
    enum roof_kind roof = flat ? ROOF_FLAT : ROOF_GABLE;
    begin(s);
    wing_at(s, vec3(0, (size.y - deep) / 2, 0), false, vec3(size.x, deep, size.z), roof, pitch);
    wing_at(s, vec3(0, -(size.y - deep) / 2, 0), false, vec3(size.x, deep, size.z), roof, pitch);
    wing_at(s, vec3((size.x - deep) / 2, 0, 0), true, vec3(size.y, deep, size.z), roof, pitch);
    if (!open)
        wing_at(s, vec3(-(size.x - deep) / 2, 0, 0), true, vec3(size.y, deep, size.z * 0.8), roof,
                pitch);
    if (maker_chance(m, 0.4))
        wing_at(s, vec3(0, 0, 0), false, vec3(size.x / 4, size.y / 4, 3.5), ROOF_BARE, 0);
}

void buildings_hall(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    begin(s);
    double kind = maker_between(m, 0, 1);
    double pitch = maker_between(m, 0.05, 0.22);
    if (kind < 0.4) {
        wing(s, size, ROOF_FLAT, 0);
    } else if (kind < 0.75) { /* naves side by side */
        int naves = maker_count(m, 1, 3);
        for (int i = 0; i < naves; i++)
            wing_at(s, vec3(0, size.y * ((i + 0.5) / naves - 0.5), 0), false,
                    vec3(size.x, size.y / naves, size.z), ROOF_GABLE, pitch);
    } else if (kind < 0.9) {
        wing(s, size, ROOF_SAWTOOTH, 0.45);
    } else {
        wing(s, vec3(size.x, size.y < 24 ? size.y : 24, size.z * 0.5), ROOF_BARREL, 0);
    }
    if (maker_chance(m, 0.6)) { /* an office at one end */
        double high = maker_between(m, 3, 11), wide = maker_between(m, 6, 14);
        extend(s, vec3((size.x + wide) / 2, 0, 0), false, vec3(wide, size.y * 0.6, high), ROOF_FLAT,
               0);
    }
}

void buildings_barn(struct site *s, struct vec3 size)
{
    begin(s);
    double pitch = maker_between(&s->make, 0.25, 0.9);
    bool broken = maker_chance(&s->make, 0.25);
    wing(s, size, broken ? ROOF_GAMBREL : ROOF_GABLE, pitch);
    if (maker_chance(&s->make, 0.5)) { /* a lean-to along the side */
        double deep = maker_between(&s->make, 3, 6);
        extend(s, vec3(0, (size.y + deep) / 2, 0), false, vec3(size.x, deep, size.z * 0.7),
               ROOF_LEAN, 0.2);
    }
}

void buildings_church(struct site *s, struct vec3 size)
{
    struct maker *m = &s->make;
    begin(s);
    wing(s, size, ROOF_GABLE, 1.2);
    double wide = maker_between(m, 4, 7), high = size.z * maker_between(m, 1.6, 2.6);
    wing_at(s, vec3((size.x + wide) / 2, 0, 0), false, vec3(wide, wide, high), ROOF_HIP,
            maker_chance(m, 0.6) ? 4 : 0.8);
    if (maker_chance(m, 0.5))
        wing_at(s, vec3(-size.x / 5, 0, 0), true, vec3(size.y * 1.9, size.y * 0.6, size.z * 0.9),
                ROOF_GABLE, 1.2);
    maker_cylinder(m, vec3(-size.x / 2, 0, -cellar), size.y / 2, size.z * 0.8 + cellar);
}

void buildings_greenhouse(struct site *s, struct vec3 size)
{
    site_begin(&s->make, SITE_BUILDING, 0.1, 0.3, 0.75);
    int naves = 1 + (int)(size.y / 6.4);
    for (int i = 0; i < naves; i++)
        wing_at(s, vec3(0, size.y * ((i + 0.5) / naves - 0.5), 0), false,
                vec3(size.x, size.y / naves, size.z), ROOF_GABLE, 0.45);
}

void buildings_shed(struct site *s, struct vec3 size)
{
    begin(s);
    double kind = maker_between(&s->make, 0, 1);
    wing(s, size,
         kind < 0.45  ? ROOF_GABLE
         : kind < 0.8 ? ROOF_LEAN
                      : ROOF_BARE,
         maker_between(&s->make, 0.15, 0.6));
}
