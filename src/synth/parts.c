/* The twelve categories of parametric objects. A part's label is the category's first number plus
 * its place in the list of names. Forward is -y, up is z; sizes are free, the caller scales. */
#include "synth/parts.h"

#include "core/angle.h"
#include "synth/maker.h"

static void part(struct maker *m, int label)
{
    m->label = (uint8_t)label;
}

/* A hollow cylinder wall of flat pieces. */
static void tube(struct maker *m, struct vec3 base, double r, double wall, double height)
{
    enum { PIECES = 24 };
    double width = 2.05 * r * angle_sin(ANGLE_PI / PIECES);
    for (int i = 0; i < PIECES; i++) {
        struct frame3 old = maker_enter(m, base, 2 * ANGLE_PI * i / PIECES, 0, 0);
        maker_box(m, vec3(0, r - wall / 2, height / 2), vec3(width, wall, height));
        m->frame = old;
    }
}

static void airplane(struct maker *m, int first)
{
    double u[10];
    maker_roll(m, u, 10);
    double length = 2.4 + 0.8 * u[0], r = 0.16 + 0.08 * u[1], span = 1.0 + 0.5 * u[2];
    double sweep = 0.1 + 0.5 * u[3], chord = 0.3 + 0.25 * u[4], low = -r * 0.5 * u[5];
    part(m, first);
    maker_ball(m, vec3(0, -length * 0.25, 0), vec3(2 * r, length * 0.5, 2 * r));
    maker_bar(m, vec3(0, -length * 0.25, 0), vec3(0, length * 0.15, 0), r);
    struct frame3 old = maker_enter(m, vec3(0, length * 0.15, 0), 0, -ANGLE_PI / 2, 0);
    maker_cone(m, vec3(0, 0, 0), r, r * 0.25, length * 0.35);
    m->frame = old;
    int engines = u[6] < 0.3 ? 0 : u[6] < 0.75 ? 1 : 2;
    for (int side = -1; side <= 1; side += 2) {
        part(m, first + 1);
        old =
            maker_enter(m, vec3(side * r * 0.5, -0.1, low), -side * sweep, 0, -side * 0.08 * u[7]);
        maker_box(m, vec3(side * span / 2, 0, 0), vec3(span, chord, 0.045));
        part(m, first + 3);
        for (int i = 0; i < engines; i++) {
            double x = side * span * (0.35 + 0.3 * i);
            maker_bar(m, vec3(x, -chord * 0.9, -0.1), vec3(x, chord * 0.2, -0.1),
                      0.07 + 0.03 * u[8]);
        }
        m->frame = old;
        part(m, first + 2);
        old = maker_enter(m, vec3(0, length * 0.44, 0), -side * sweep, 0, 0);
        maker_box(m, vec3(side * span * 0.2, 0, 0), vec3(span * 0.4, chord * 0.5, 0.035));
        m->frame = old;
    }
    old = maker_enter(m, vec3(0, length * 0.42, 0), 0, -0.4, 0);
    maker_box(m, vec3(0, 0, 0.2 + 0.1 * u[9]), vec3(0.035, chord * 0.6, 0.4 + 0.2 * u[9]));
    m->frame = old;
}

static void bottle(struct maker *m, int first)
{
    double u[6];
    maker_roll(m, u, 6);
    double r = 0.25 + 0.2 * u[0], tall = 0.8 + 0.8 * u[1], neck = 0.06 + 0.1 * u[2];
    double shoulder = 0.1 + 0.3 * u[3], length = 0.1 + 0.4 * u[4];
    part(m, first);
    if (u[5] < 0.75)
        maker_cylinder(m, vec3(0, 0, 0), r, tall);
    else
        maker_round(m, vec3(0, 0, tall / 2), vec3(2 * r, 1.2 * r, tall), 0.05);
    maker_cone(m, vec3(0, 0, tall), u[5] < 0.75 ? r : 0.58 * r, neck, shoulder);
    part(m, first + 1);
    maker_cylinder(m, vec3(0, 0, tall + shoulder), neck, length);
    part(m, first + 2);
    maker_cylinder(m, vec3(0, 0, tall + shoulder + length), neck * 1.15, 0.05 + 0.08 * u[4]);
}

static void car(struct maker *m, int first)
{
    double u[7];
    maker_roll(m, u, 7);
    double length = 1.7 + 0.6 * u[0], width = 0.7 + 0.15 * u[1], body = 0.25 + 0.12 * u[2];
    double roof = 0.22 + 0.2 * u[3], from = -0.25 + 0.2 * u[4], to = 0.25 + 0.24 * u[5];
    double wheel = 0.14 + 0.06 * u[6], floor = wheel * 1.1;
    part(m, first);
    maker_round(m, vec3(0, 0, floor + body / 2), vec3(width, length, body), 0.06);
    part(m, first + 1);
    maker_round(m, vec3(0, (from + to) / 2 * length, floor + body + roof / 2 - 0.02),
                vec3(width * 0.88, (to - from) * length, roof), 0.09);
    part(m, first + 2);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) * (width / 2 - 0.03), y = (i & 2 ? 1 : -1) * length * 0.31;
        maker_bar(m, vec3(x - 0.06, y, wheel), vec3(x + 0.06, y, wheel), wheel);
    }
}

static void chair(struct maker *m, int first)
{
    double u[8];
    maker_roll(m, u, 8);
    double w = 0.42 + 0.14 * u[0], d = 0.4 + 0.14 * u[1], seat = 0.38 + 0.14 * u[2];
    double back = 0.3 + 0.4 * u[3], thick = 0.03 + 0.06 * u[4], r = 0.014 + 0.02 * u[5];
    part(m, first);
    struct frame3 old = maker_enter(m, vec3(0, d / 2 - 0.02, seat), 0, -0.25 * u[6], 0);
    if (u[7] < 0.6) {
        maker_round(m, vec3(0, 0, back / 2), vec3(w, 0.03 + thick / 2, back), 0.015);
    } else {
        for (int i = 0; i < 5; i++)
            maker_box(m, vec3(-w / 2 + w * (i + 0.5) / 5, 0, back / 2), vec3(w * 0.06, 0.02, back));
        maker_box(m, vec3(0, 0, back), vec3(w, 0.03, 0.06));
    }
    m->frame = old;
    part(m, first + 1);
    maker_round(m, vec3(0, 0, seat), vec3(w, d, thick), thick * 0.4);
    part(m, first + 2);
    bool swivel = maker_chance(m, 0.3), arms = maker_chance(m, 0.4);
    for (int i = 0; i < 5 && swivel; i++) {
        double s, c;
        angle_sincos(i * 2 * ANGLE_PI / 5, &s, &c);
        maker_bar(m, vec3(0, 0, 0.08), vec3(0.28 * c, 0.28 * s, 0.03), 0.022);
    }
    if (swivel)
        maker_cylinder(m, vec3(0, 0, 0.06), 0.03, seat - 0.06 - thick / 2);
    for (int i = 0; i < 4 && !swivel; i++) {
        double x = (i & 1 ? 1 : -1) * (w / 2 - r), y = (i & 2 ? 1 : -1) * (d / 2 - r);
        maker_bar(m, vec3(x * 1.08, y * 1.08, 0), vec3(x, y, seat - thick / 2), r);
    }
    part(m, first + 3);
    for (int side = -1; arms && side <= 1; side += 2) {
        maker_box(m, vec3(side * w / 2, 0, seat + 0.2), vec3(0.05, d * 0.85, 0.03));
        maker_box(m, vec3(side * w / 2, -d * 0.3, seat + 0.1), vec3(0.03, 0.03, 0.2));
        maker_box(m, vec3(side * w / 2, d * 0.3, seat + 0.1), vec3(0.03, 0.03, 0.2));
    }
}

static void guitar(struct maker *m, int first)
{
    double u[6];
    maker_roll(m, u, 6);
    double lower = 0.28 + 0.08 * u[0], upper = 0.2 + 0.06 * u[1], thick = 0.06 + 0.12 * u[2];
    double neck = 0.7 + 0.3 * u[3], head = 0.2 + 0.1 * u[4];
    part(m, first);
    maker_cylinder(m, vec3(0, 0, 0), lower, thick);
    maker_cylinder(m, vec3(0, -lower * 1.15, 0), upper, thick);
    maker_box(m, vec3(0, -lower * 0.6, thick / 2), vec3(upper * 1.6, lower, thick));
    maker_box(m, vec3(0, 0.1, thick + 0.01), vec3(0.16, 0.04, 0.02));
    double top = -lower * 1.15 - upper * 0.9;
    part(m, first + 1);
    maker_box(m, vec3(0, top - neck / 2, thick * 0.75), vec3(0.06, neck, 0.045));
    part(m, first + 2);
    maker_box(m, vec3(0, top - neck - head / 2, thick * 0.75 - 0.01), vec3(0.12, head, 0.03));
    for (int i = 0; i < 6; i++) {
        double x = (i & 1 ? 1 : -1) * 0.06, y = top - neck - head * (0.2 + 0.3 * (i / 2));
        maker_bar(m, vec3(x, y, thick * 0.75), vec3(x * (1.5 + u[5]), y, thick * 0.75), 0.012);
    }
}

static void hammer(struct maker *m, int first)
{
    double u[5];
    maker_roll(m, u, 5);
    double long_ = 0.8 + 0.5 * u[0], r = 0.03 + 0.02 * u[1], head = 0.3 + 0.25 * u[2];
    double face = 0.06 + 0.05 * u[3];
    part(m, first);
    maker_box(m, vec3(0, 0, long_), vec3(head * 0.7, face * 1.3, face * 1.3));
    maker_bar(m, vec3(head * 0.3, 0, long_), vec3(head * 0.6, 0, long_), face);
    if (u[4] < 0.6) { /* claw */
        for (int side = -1; side <= 1; side += 2)
            maker_bar(m, vec3(-head * 0.3, side * 0.03, long_),
                      vec3(-head * 0.75, side * 0.06, long_ - 0.1), 0.022);
    } else {
        maker_bar(m, vec3(-head * 0.3, 0, long_), vec3(-head * 0.6, 0, long_), face);
    }
    part(m, first + 1);
    maker_cone(m, vec3(0, 0, 0), r * 1.3, r, long_ - face * 0.65);
}

static void lamp(struct maker *m, int first)
{
    double u[7];
    maker_roll(m, u, 7);
    double tall = 0.6 + 1.2 * u[0], base = 0.15 + 0.15 * u[1], shade = 0.15 + 0.2 * u[2];
    double drop = 0.18 + 0.25 * u[3];
    part(m, first);
    if (u[4] < 0.5)
        maker_cylinder(m, vec3(0, 0, 0), base, 0.03 + 0.03 * u[5]);
    else
        maker_ball(m, vec3(0, 0, base * 0.6), vec3(base * 1.6, base * 1.6, base * 1.2));
    bool bent = u[6] < 0.3;
    double reach = bent ? 0.35 : 0;
    part(m, first + 1);
    maker_cylinder(m, vec3(0, 0, 0.02), 0.02, tall * (bent ? 0.7 : 1));
    if (bent)
        maker_bar(m, vec3(0, 0, tall * 0.7), vec3(reach, 0, tall), 0.018);
    part(m, first + 2);
    if (u[5] < 0.75)
        maker_cone(m, vec3(reach, 0, tall - drop * 0.5), shade, shade * (0.4 + 0.5 * u[4]), drop);
    else
        maker_ball(m, vec3(reach, 0, tall), vec3(shade * 1.6, shade * 1.6, shade * 1.6));
}

static void mug(struct maker *m, int first)
{
    double u[5];
    maker_roll(m, u, 5);
    double r = 0.3 + 0.15 * u[0], tall = 0.6 + 0.5 * u[1], wall = 0.03 + 0.03 * u[2];
    part(m, first);
    tube(m, vec3(0, 0, 0), r, wall, tall);
    maker_cylinder(m, vec3(0, 0, 0), r - wall * 0.5, wall);
    part(m, first + 1);
    double size = 0.16 + 0.1 * u[3], thick = 0.025 + 0.03 * u[4];
    if (u[4] < 0.7) {
        struct frame3 old = maker_enter(m, vec3(r + size * 0.6, 0, tall * 0.5), 0, ANGLE_PI / 2, 0);
        maker_ring(m, vec3(0, 0, 0), size, thick);
        m->frame = old;
        return;
    }
    maker_box(m, vec3(r + size, 0, tall * 0.5), vec3(thick * 2, thick * 2, size * 2));
    for (int side = -1; side <= 1; side += 2)
        maker_box(m, vec3(r + size / 2, 0, tall * 0.5 + side * size),
                  vec3(size + thick * 2, thick * 2, thick * 2));
}

static void rocket(struct maker *m, int first)
{
    double u[5];
    maker_roll(m, u, 5);
    double r = 0.15 + 0.12 * u[0], tall = 1.0 + 0.9 * u[1], nose = 0.25 + 0.35 * u[2];
    int fins = u[3] < 0.5 ? 3 : 4;
    part(m, first);
    maker_cylinder(m, vec3(0, 0, 0.1), r, tall);
    maker_cone(m, vec3(0, 0, 0), r * 0.8, r * 0.4, 0.1);
    part(m, first + 1);
    maker_cone(m, vec3(0, 0, 0.1 + tall), r, 0.01, nose);
    part(m, first + 2);
    for (int i = 0; i < fins; i++) {
        struct frame3 old = maker_enter(m, vec3(0, 0, 0.25), 2 * ANGLE_PI * i / fins, 0, 0.35);
        maker_box(m, vec3(r + 0.12, 0, -0.05), vec3(0.3 + 0.15 * u[4], 0.025, 0.3));
        m->frame = old;
    }
}

static void skateboard(struct maker *m, int first)
{
    double u[4];
    maker_roll(m, u, 4);
    double length = 1.4 + 0.5 * u[0], width = 0.32 + 0.12 * u[1], wheel = 0.06 + 0.03 * u[2];
    double bend = 0.2 + 0.3 * u[3], z = wheel * 2.2;
    part(m, first);
    maker_round(m, vec3(0, 0, z), vec3(length * 0.7, width, 0.035), 0.015);
    for (int side = -1; side <= 1; side += 2) {
        part(m, first);
        struct frame3 old = maker_enter(m, vec3(side * length * 0.345, 0, z), 0, 0, -side * bend);
        maker_round(m, vec3(side * length * 0.075, 0, 0), vec3(length * 0.16, width, 0.035), 0.015);
        m->frame = old;
        double x = side * length * 0.25;
        part(m, first + 1);
        maker_bar(m, vec3(x, -width * 0.4, wheel), vec3(x, width * 0.4, wheel), 0.02);
        maker_box(m, vec3(x, 0, wheel * 1.6), vec3(0.06, 0.1, wheel));
        for (int end = -1; end <= 1; end += 2)
            maker_bar(m, vec3(x, end * width * 0.32, wheel), vec3(x, end * width * 0.48, wheel),
                      wheel);
    }
}

static void table(struct maker *m, int first)
{
    double u[7];
    maker_roll(m, u, 7);
    double w = 0.8 + 1.0 * u[0], d = 0.6 + 0.5 * u[1], tall = 0.4 + 0.45 * u[2];
    double thick = 0.02 + 0.05 * u[3], r = 0.015 + 0.035 * u[4];
    bool round = u[5] < 0.3;
    part(m, first);
    if (round)
        maker_cylinder(m, vec3(0, 0, tall), d / 2, thick);
    else
        maker_box(m, vec3(0, 0, tall + thick / 2), vec3(w, d, thick));
    part(m, first + 1);
    if (round && u[6] < 0.7) {
        maker_cylinder(m, vec3(0, 0, 0.03), r * 1.5, tall - 0.03);
        maker_cylinder(m, vec3(0, 0, 0), d * 0.3, 0.03);
        return;
    }
    double x = round ? d * 0.3 : w / 2 - 0.05, y = round ? d * 0.3 : d / 2 - 0.05;
    if (u[6] < 0.8) {
        for (int i = 0; i < 4; i++)
            maker_bar(m, vec3((i & 1 ? x : -x) * 1.02, (i & 2 ? y : -y) * 1.02, 0),
                      vec3(i & 1 ? x : -x, i & 2 ? y : -y, tall), r);
    } else {
        for (int side = -1; side <= 1; side += 2)
            maker_box(m, vec3(side * x, 0, tall / 2), vec3(0.04, 2 * y, tall));
    }
}

static void umbrella(struct maker *m, int first)
{
    double u[4];
    maker_roll(m, u, 4);
    enum { PETALS = 16 };
    double reach = 0.6 + 0.3 * u[0], tilt = 0.25 + 0.35 * u[1], tall = 1.0 + 0.4 * u[2];
    double width = 2.1 * reach * angle_sin(ANGLE_PI / PETALS);
    part(m, first);
    for (int i = 0; i < PETALS; i++) { /* three shorter and shorter strips make a wedge */
        struct frame3 turn = maker_enter(m, vec3(0, 0, tall), 2 * ANGLE_PI * i / PETALS, 0, 0);
        struct frame3 flat = maker_enter(m, vec3(0, 0, 0), 0, -tilt, 0);
        for (int k = 0; k < 3; k++)
            maker_box(m, vec3(0, reach * (k + 0.5) / 3, 0),
                      vec3(width * (k + 1) / 3, reach / 3, 0.012));
        m->frame = flat;
        m->frame = turn;
    }
    part(m, first + 1);
    maker_cylinder(m, vec3(0, 0, 0.12), 0.014, tall - 0.1);
    part(m, first + 2);
    if (u[3] < 0.6) {
        struct frame3 old = maker_enter(m, vec3(0.07, 0, 0.1), 0, ANGLE_PI / 2, 0);
        maker_ring(m, vec3(0, 0, 0), 0.07, 0.022);
        m->frame = old;
    } else {
        maker_cone(m, vec3(0, 0, -0.08), 0.035, 0.025, 0.22);
    }
}

const struct parts_category parts_categories[] = {
    {"airplane", "body wing tail engine", airplane},
    {"bottle", "body neck cap", bottle},
    {"car", "body roof wheel", car},
    {"chair", "back seat leg arm", chair},
    {"guitar", "body neck head", guitar},
    {"hammer", "head handle", hammer},
    {"lamp", "base pole shade", lamp},
    {"mug", "body handle", mug},
    {"rocket", "body nose fin", rocket},
    {"skateboard", "deck wheel", skateboard},
    {"table", "top leg", table},
    {"umbrella", "canopy shaft handle", umbrella},
};
const int parts_categories_n = sizeof parts_categories / sizeof *parts_categories;
