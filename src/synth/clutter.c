/* Clutter that stands on the floor or hangs on the wall. Wall things have their back at y = 0. */
#include "synth/clutter.h"

#include "core/angle.h"
#include "core/vec3.h"
#include "synth/items.h"
#include "synth/maker.h"
#include "synth/paint.h"

static const double mixed[LOOKS] = {
    [LOOK_WHITE] = 3, [LOOK_GREY] = 3,  [LOOK_DARK] = 4, [LOOK_VIVID] = 3,
    [LOOK_METAL] = 2, [LOOK_CREAM] = 1, [LOOK_WOOD] = 1};

void clutter_bin(struct maker *m, struct vec3 size)
{
    maker_look_of(m, mixed);
    if (maker_chance(m, 0.6)) {
        maker_cone(m, vec3(0, 0, 0), size.x * 0.4, size.x * 0.5, size.z);
        maker_ring(m, vec3(0, 0, size.z), size.x * 0.49, 0.01);
    } else {
        maker_round(m, vec3(0, 0, size.z / 2), vec3(size.x, size.y, size.z), 0.03);
        maker_round(m, vec3(0, 0, size.z), vec3(size.x + 0.02, size.y + 0.02, 0.06), 0.02);
    }
}

void clutter_boxes(struct maker *m, struct vec3 size)
{
    double z = 0;
    while (z < size.z - 0.1) {
        double u[5];
        maker_roll(m, u, 5);
        double h = 0.18 + 0.25 * u[0];
        if (z + h > size.z)
            h = size.z - z;
        if (u[1] < 0.75)
            maker_look(m, LOOK_CARDBOARD);
        else
            maker_look_of(m, mixed);
        struct frame3 old = maker_enter(m, vec3(0, 0, z), (u[2] - 0.5) * 0.5, 0, 0);
        struct vec3 box = vec3(size.x * (0.7 + 0.25 * u[3]), size.y * (0.7 + 0.25 * u[4]), h);
        maker_box(m, vec3(0, 0, h / 2), box);
        if (u[4] > 0.7 && z + h > size.z - 0.12) { /* open flaps */
            struct frame3 top = maker_enter(m, vec3(box.x / 2, 0, h), 0, 0, 0.7);
            maker_box(m, vec3(0, 0, box.x / 5), vec3(0.006, box.y, box.x / 2.5));
            m->frame = top;
        }
        m->frame = old;
        z += h;
    }
}

void clutter_bag(struct maker *m, struct vec3 size)
{
    maker_look(m, maker_chance(m, 0.5) ? LOOK_DARK : LOOK_VIVID);
    double lean = maker_between(m, -0.25, 0.05);
    struct frame3 old = maker_enter(m, vec3(0, 0, 0.01), 0, lean, 0);
    maker_round(m, vec3(0, 0, size.z / 2), size, 0.08);
    maker_round(m, vec3(0, -size.y * 0.6, size.z * 0.35),
                vec3(size.x * 0.7, size.y * 0.4, size.z * 0.5), 0.05);
    m->frame = old;
}

void clutter_plant(struct maker *m, struct vec3 size)
{
    maker_look_of(m, mixed);
    double pot = size.z * 0.22 + 0.08, r = size.x * 0.3;
    maker_cone(m, vec3(0, 0, 0), r * 0.75, r, pot);
    maker_look(m, LOOK_GREEN);
    maker_bar(m, vec3(0, 0, pot), vec3(0.02, 0.01, size.z * 0.7), 0.015);
    int leaves = maker_count(m, 14, 30);
    for (int i = 0; i < leaves; i++) {
        double u[5];
        maker_roll(m, u, 5);
        double z = pot + (size.z * 0.75 - pot) * u[0];
        struct frame3 old = maker_enter(m, vec3(0, 0, z), u[1] * 6.28, 0.35 + 0.9 * u[2], 0);
        double tall = size.x * (0.4 + 0.4 * u[3]);
        maker_ball(m, vec3(0, 0, tall * 0.55), vec3(0.07 + 0.08 * u[4], 0.014, tall));
        m->frame = old;
    }
}

void clutter_lamp_floor(struct maker *m, struct vec3 size)
{
    maker_look_of(m, mixed);
    maker_cylinder(m, vec3(0, 0, 0), 0.14, 0.025);
    maker_cylinder(m, vec3(0, 0, 0), 0.013, size.z - 0.15);
    maker_look(m, LOOK_CREAM);
    maker_cone(m, vec3(0, 0, size.z - 0.28), size.x * 0.5, size.x * 0.36, 0.28);
}

void clutter_coat_rack(struct maker *m, struct vec3 size)
{
    maker_look_of(m, mixed);
    for (int i = 0; i < 3; i++) {
        double s, c;
        angle_sincos(i * 2.0944, &s, &c);
        maker_bar(m, vec3(0, 0, 0.12), vec3(0.24 * c, 0.24 * s, 0.01), 0.014);
        maker_bar(m, vec3(0, 0, size.z - 0.12), vec3(0.14 * c, 0.14 * s, size.z), 0.01);
    }
    maker_cylinder(m, vec3(0, 0, 0), 0.018, size.z);
    int coats = maker_count(m, 0, 3);
    for (int i = 0; i < coats; i++) {
        maker_look(m, maker_chance(m, 0.6) ? LOOK_DARK : LOOK_VIVID);
        double turn = maker_between(m, 0, 6.28);
        struct frame3 old = maker_enter(m, vec3(0, 0, 0), turn, 0, 0);
        maker_round(m, vec3(0.13, 0, size.z - 0.6), vec3(0.18, 0.36, 0.95), 0.08);
        m->frame = old;
    }
}

void clutter_ladder(struct maker *m, struct vec3 size)
{
    maker_look(m, maker_chance(m, 0.6) ? LOOK_METAL : LOOK_WOOD);
    for (int side = -1; side <= 1; side += 2) {
        double x = side * size.x / 2;
        maker_bar(m, vec3(x, -size.y / 2, 0), vec3(x * 0.8, 0, size.z), 0.018);
        maker_bar(m, vec3(x, size.y / 2, 0), vec3(x * 0.8, 0, size.z), 0.014);
    }
    int steps = (int)(size.z / 0.27);
    for (int i = 1; i <= steps; i++) {
        double t = (double)i / (steps + 1);
        maker_box(m, vec3(0, -size.y / 2 * (1 - t), size.z * t), vec3(size.x * 0.9, 0.08, 0.022));
    }
}

void clutter_trolley(struct maker *m, struct vec3 size)
{
    maker_look_of(m, mixed);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) * (size.x / 2 - 0.02);
        double y = (i & 2 ? 1 : -1) * (size.y / 2 - 0.02);
        maker_cylinder(m, vec3(x, y, 0.07), 0.014, size.z - 0.07);
        maker_ball(m, vec3(x, y, 0.04), vec3(0.04, 0.08, 0.08));
    }
    for (int i = 0; i < 2; i++) {
        double z = i ? size.z - 0.12 : 0.16;
        maker_box(m, vec3(0, 0, z), vec3(size.x, size.y, 0.025));
        struct frame3 old = maker_enter(m, vec3(0, 0, z + 0.013), 0, 0, 0);
        items_heap(m, vec3(size.x - 0.06, size.y - 0.06, 0.3));
        m->frame = old;
    }
}

void clutter_bucket(struct maker *m, struct vec3 size)
{
    maker_look_of(m, mixed);
    maker_cone(m, vec3(0, 0, 0), size.x * 0.38, size.x * 0.5, 0.3);
    maker_bar(m, vec3(0.03, 0, 0.1), vec3(0.12, 0.14, size.z), 0.013); /* a mop */
    maker_ball(m, vec3(0.03, 0, 0.31), vec3(0.22, 0.16, 0.1));
}

void clutter_rolls(struct maker *m, struct vec3 size)
{
    int n = maker_count(m, 2, 6);
    for (int i = 0; i < n; i++) {
        double u[5];
        maker_roll(m, u, 5);
        maker_look_of(m, mixed);
        double x = (u[0] - 0.5) * size.x, tall = size.z * (0.6 + 0.4 * u[1]);
        maker_bar(m, vec3(x, -size.y / 2 * u[2], 0), vec3(x + 0.1 * (u[3] - 0.5), size.y / 2, tall),
                  0.025 + 0.035 * u[4]);
    }
}

void clutter_printer(struct maker *m, struct vec3 size)
{
    maker_look(m, maker_chance(m, 0.6) ? LOOK_WHITE : LOOK_GREY);
    maker_round(m, vec3(0, 0, size.z * 0.45), vec3(size.x, size.y, size.z * 0.9), 0.03);
    maker_box(m, vec3(-size.x * 0.5, 0, size.z * 0.55), vec3(size.x * 0.4, size.y * 0.5, 0.03));
    maker_look(m, LOOK_DARK);
    maker_box(m, vec3(0, 0.02, size.z * 0.95), vec3(size.x * 0.9, size.y * 0.85, size.z * 0.1));
    maker_box(m, vec3(size.x * 0.3, -size.y * 0.5, size.z * 0.88), vec3(0.2, 0.12, 0.03));
}

void clutter_cooler(struct maker *m, struct vec3 size)
{
    maker_look(m, LOOK_WHITE);
    maker_round(m, vec3(0, 0, size.z * 0.35), vec3(size.x, size.y, size.z * 0.7), 0.02);
    maker_box(m, vec3(0, -size.y / 2 - 0.03, size.z * 0.5), vec3(size.x * 0.6, 0.06, 0.03));
    maker_look(m, LOOK_VIVID);
    maker_cylinder(m, vec3(0, 0, size.z * 0.7), size.x * 0.42, size.z * 0.3);
}

void clutter_radiator(struct maker *m, struct vec3 size)
{
    maker_look(m, maker_chance(m, 0.8) ? LOOK_WHITE : LOOK_GREY);
    int ribs = (int)(size.x / 0.07);
    for (int i = 0; i < ribs; i++) {
        double x = -size.x / 2 + size.x * (i + 0.5) / ribs;
        maker_box(m, vec3(x, -0.08, 0.12 + size.z / 2), vec3(0.045, 0.1, size.z));
    }
    maker_box(m, vec3(0, -0.07, 0.12 + size.z / 2), vec3(size.x, 0.03, size.z * 0.9));
}

void clutter_television(struct maker *m, struct vec3 size)
{
    maker_look(m, LOOK_DARK);
    maker_box(m, vec3(0, -0.05, size.z / 2), vec3(size.x, 0.06, size.z));
    maker_look(m, LOOK_SCREEN);
    maker_box(m, vec3(0, -0.083, size.z / 2), vec3(size.x - 0.04, 0.01, size.z - 0.04));
}

void clutter_extinguisher(struct maker *m, struct vec3 size)
{
    struct paint red = {vec3(0.7, 0.1, 0.1), vec3(0.6, 0.08, 0.08), 0.1, 0.02, 1, 0, PAINT_BLOTCH};
    maker_paint(m, &red);
    maker_cylinder(m, vec3(0, -0.09, 0), 0.075, size.z * 0.75);
    maker_cone(m, vec3(0, -0.09, size.z * 0.75), 0.075, 0.02, size.z * 0.12);
    maker_look(m, LOOK_DARK);
    maker_box(m, vec3(0, -0.1, size.z * 0.92), vec3(0.05, 0.14, 0.05));
}
