/* Tables: desks, conference tables, round, coffee and folding tables. What stands on them is
 * clutter and comes from items.c. */
#include "synth/tables.h"

#include "core/vec3.h"
#include "synth/maker.h"

static const double tops[LOOKS] = {
    [LOOK_WOOD] = 5, [LOOK_WOOD_DARK] = 3, [LOOK_WHITE] = 4, [LOOK_GREY] = 3,
    [LOOK_DARK] = 1, [LOOK_CREAM] = 2,     [LOOK_METAL] = .5};
static const double legs[LOOKS] = {[LOOK_METAL] = 5, [LOOK_DARK] = 4,  [LOOK_WOOD] = 2,
                                   [LOOK_GREY] = 2,  [LOOK_WHITE] = 2, [LOOK_WOOD_DARK] = 2};

static void four_legs(struct maker *m, struct vec3 size, double inset, double r, bool square)
{
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) * (size.x / 2 - inset);
        double y = (i & 2 ? 1 : -1) * (size.y / 2 - inset);
        if (square)
            maker_box(m, vec3(x, y, size.z / 2), vec3(2 * r, 2 * r, size.z));
        else
            maker_cylinder(m, vec3(x, y, 0), r, size.z);
    }
}

/* Two legs like an inverted T, as under height-adjustable and folding tables. */
static void t_legs(struct maker *m, struct vec3 size)
{
    for (int side = -1; side <= 1; side += 2) {
        double x = side * (size.x / 2 - 0.18);
        maker_box(m, vec3(x, 0, 0.025), vec3(0.07, size.y * 0.85, 0.05));
        maker_box(m, vec3(x, 0, size.z / 2), vec3(0.06, 0.09, size.z - 0.03));
        maker_box(m, vec3(x, 0, size.z - 0.045), vec3(0.05, size.y * 0.7, 0.03));
    }
    maker_box(m, vec3(0, 0, size.z - 0.08), vec3(size.x - 0.36, 0.04, 0.04));
}

/* A drawer unit; under a desk it belongs to the desk. */
void tables_pedestal(struct maker *m, struct vec3 size)
{
    maker_box(m, vec3(0, 0, size.z / 2), vec3(size.x, size.y, size.z));
    int drawers = maker_count(m, 2, 4);
    for (int i = 0; i < drawers; i++) {
        double tall = size.z / drawers, z = tall * (i + 0.5);
        maker_box(m, vec3(0, -size.y / 2 - 0.008, z), vec3(size.x - 0.02, 0.016, tall - 0.015));
        maker_box(m, vec3(0, -size.y / 2 - 0.025, z + tall * 0.25), vec3(0.12, 0.02, 0.012));
    }
}

static void panel_legs(struct maker *m, struct vec3 size)
{
    for (int side = -1; side <= 1; side += 2)
        maker_box(m, vec3(side * (size.x / 2 - 0.02), 0, size.z / 2),
                  vec3(0.03, size.y - 0.06, size.z));
    maker_box(m, vec3(0, size.y / 2 - 0.1, size.z * 0.62), vec3(size.x - 0.06, 0.02, size.z * .7));
}

void tables_desk(struct maker *m, struct vec3 size)
{
    double thick = maker_between(m, 0.022, 0.04);
    struct vec3 under = vec3(size.x, size.y, size.z - thick);
    double style = maker_between(m, 0, 1);
    maker_look_of(m, tops);
    uint16_t top = m->paint;
    maker_box(m, vec3(0, 0, size.z - thick / 2), vec3(size.x, size.y, thick));
    if (style < 0.4) {
        panel_legs(m, under);
    } else {
        maker_look_of(m, legs);
        if (style < 0.7)
            t_legs(m, under);
        else
            four_legs(m, under, 0.05, 0.025, true);
    }
    if (maker_chance(m, 0.55)) {
        if (maker_chance(m, 0.6))
            m->paint = top;
        double side = maker_chance(m, 0.5) ? 1 : -1;
        struct frame3 old = maker_enter(m, vec3(side * (size.x / 2 - 0.26), 0.03, 0.02), 0, 0, 0);
        tables_pedestal(m, vec3(0.41, size.y * 0.8, size.z - thick - 0.06));
        m->frame = old;
    }
    if (maker_chance(m, 0.25)) { /* a privacy screen along the back */
        maker_look(m, LOOK_FABRIC);
        maker_box(m, vec3(0, size.y / 2 + 0.015, size.z + 0.12), vec3(size.x, 0.03, 0.5));
    }
}

void tables_conference(struct maker *m, struct vec3 size)
{
    double thick = maker_between(m, 0.03, 0.05), style = maker_between(m, 0, 1);
    maker_look_of(m, tops);
    if (style < 0.6)
        maker_box(m, vec3(0, 0, size.z - thick / 2), vec3(size.x, size.y, thick));
    else
        maker_round(m, vec3(0, 0, size.z - thick / 2), vec3(size.x, size.y, thick), thick * 0.45);
    if (style > 0.75) { /* rounded ends */
        maker_cylinder(m, vec3(size.x / 2, 0, size.z - thick), size.y / 2, thick);
        maker_cylinder(m, vec3(-size.x / 2, 0, size.z - thick), size.y / 2, thick);
    }
    if (maker_chance(m, 0.5))
        maker_look_of(m, legs);
    struct vec3 under = vec3(size.x, size.y, size.z - thick);
    if (maker_chance(m, 0.5)) {
        int feet = size.x > 2.6 ? 3 : 2;
        for (int i = 0; i < feet; i++) {
            double x = -size.x * 0.34 + size.x * 0.68 * i / (feet - 1);
            maker_box(m, vec3(x, 0, under.z / 2), vec3(0.1, size.y * 0.5, under.z));
            maker_box(m, vec3(x, 0, 0.03), vec3(0.14, size.y * 0.7, 0.06));
        }
    } else {
        four_legs(m, under, 0.12, 0.035, maker_chance(m, 0.5));
        if (size.x > 2.6)
            maker_box(m, vec3(0, 0, under.z / 2), vec3(0.06, size.y * 0.8, under.z));
    }
}

void tables_round(struct maker *m, struct vec3 size)
{
    double thick = maker_between(m, 0.02, 0.04);
    maker_look_of(m, tops);
    maker_cylinder(m, vec3(0, 0, size.z - thick), size.x / 2, thick);
    maker_look_of(m, legs);
    if (maker_chance(m, 0.65)) {
        maker_cylinder(m, vec3(0, 0, 0.03), 0.04, size.z - thick - 0.03);
        maker_cone(m, vec3(0, 0, 0), size.x * 0.32, size.x * 0.27, 0.03);
    } else {
        double inner = size.x * 0.71;
        four_legs(m, vec3(inner, inner, size.z - thick), 0.02, 0.022, false);
    }
}

void tables_coffee(struct maker *m, struct vec3 size)
{
    double thick = maker_between(m, 0.02, 0.05);
    maker_look_of(m, tops);
    maker_box(m, vec3(0, 0, size.z - thick / 2), vec3(size.x, size.y, thick));
    if (maker_chance(m, 0.4)) /* a second board below */
        maker_box(m, vec3(0, 0, 0.14), vec3(size.x - 0.08, size.y - 0.08, 0.02));
    if (maker_chance(m, 0.6))
        maker_look_of(m, legs);
    four_legs(m, vec3(size.x, size.y, size.z - thick), 0.04, 0.022, maker_chance(m, 0.6));
}

void tables_folding(struct maker *m, struct vec3 size)
{
    maker_look_of(m, tops);
    maker_box(m, vec3(0, 0, size.z - 0.015), vec3(size.x, size.y, 0.03));
    maker_look_of(m, legs);
    if (maker_chance(m, 0.5)) {
        t_legs(m, vec3(size.x, size.y, size.z - 0.03));
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        double x = side * (size.x / 2 - 0.2);
        double y = size.y / 2 - 0.08, top = size.z - 0.03;
        maker_bar(m, vec3(x, -y, 0), vec3(x, -y, top), 0.014);
        maker_bar(m, vec3(x, y, 0), vec3(x, y, top), 0.014);
        maker_bar(m, vec3(x, -y, 0.02), vec3(x, y, 0.02), 0.014);
        maker_bar(m, vec3(x, 0, top), vec3(x - side * 0.3, 0, top - 0.02), 0.01);
    }
}
