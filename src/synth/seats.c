/* Chairs seat one, sofas several. Sizes are width, depth, height of the whole; the sitter looks to
 * -y. */
#include "synth/seats.h"

#include "core/angle.h"
#include "core/vec3.h"
#include "synth/maker.h"

static const double upholstery[LOOKS] = {
    [LOOK_DARK] = 4,  [LOOK_FABRIC] = 4,    [LOOK_VIVID] = 2,     [LOOK_GREY] = 2,
    [LOOK_CREAM] = 1, [LOOK_WOOD_DARK] = 1, [LOOK_CARDBOARD] = .5};
static const double frames[LOOKS] = {
    [LOOK_METAL] = 4, [LOOK_DARK] = 4, [LOOK_WOOD] = 2, [LOOK_WOOD_DARK] = 2, [LOOK_WHITE] = 1};
static const double shells[LOOKS] = {
    [LOOK_WOOD] = 3, [LOOK_WOOD_DARK] = 2, [LOOK_WHITE] = 2,  [LOOK_VIVID] = 2,
    [LOOK_GREY] = 2, [LOOK_DARK] = 2,      [LOOK_FABRIC] = 3, [LOOK_CREAM] = 1};

/* Five arms with castors and the gas spring up to the seat. */
static void star_base(struct maker *m, double reach, double seat)
{
    double turn = maker_between(m, 0, 1.2566);
    for (int arm = 0; arm < 5; arm++) {
        double s, c;
        angle_sincos(turn + arm * (2 * ANGLE_PI / 5), &s, &c);
        struct vec3 tip = vec3(reach * c, reach * s, 0.075);
        maker_bar(m, vec3(0, 0, 0.11), tip, 0.019);
        maker_ball(m, vec3(tip.x, tip.y, 0.032), vec3(0.05, 0.05, 0.064));
    }
    maker_cylinder(m, vec3(0, 0, 0.08), 0.035, 0.12);
    maker_cylinder(m, vec3(0, 0, 0.15), 0.022, seat - 0.15);
}

static void armrests(struct maker *m, double width, double seat, double y)
{
    for (int side = -1; side <= 1; side += 2) {
        double x = side * (width / 2 + 0.035);
        maker_box(m, vec3(x, y, seat + 0.11), vec3(0.03, 0.05, 0.22));
        maker_round(m, vec3(x, y - 0.04, seat + 0.22), vec3(0.06, 0.25, 0.035), 0.014);
    }
}

void seats_chair_office(struct maker *m, struct vec3 size)
{
    double u[6];
    maker_roll(m, u, 6);
    double seat = 0.42 + 0.12 * u[0], width = 0.44 + 0.08 * u[1], deep = 0.42 + 0.07 * u[2];
    double back = size.z - seat - 0.05 + 0.1 * u[3];
    maker_look_of(m, frames);
    star_base(m, 0.27 + 0.05 * u[4], seat - 0.03);
    if (u[5] < 0.65)
        armrests(m, width, seat, 0.02);
    maker_box(m, vec3(0, deep / 2 + 0.02, seat + 0.02), vec3(0.06, 0.1, 0.03));
    maker_box(m, vec3(0, deep / 2 + 0.07, seat + 0.12), vec3(0.06, 0.025, 0.28));
    maker_look_of(m, upholstery);
    maker_round(m, vec3(0, 0, seat), vec3(width, deep, 0.08), 0.035);
    bool mesh = maker_chance(m, 0.3);
    double lean = maker_between(m, -0.22, -0.05);
    struct frame3 old = maker_enter(m, vec3(0, deep / 2 + 0.04, seat + 0.1), 0, lean, 0);
    maker_round(m, vec3(0, 0, back / 2), vec3(width * 0.95, mesh ? 0.03 : 0.07, back), 0.03);
    if (maker_chance(m, 0.25))
        maker_round(m, vec3(0, -0.01, back + 0.1), vec3(width * 0.55, 0.06, 0.15), 0.028);
    m->frame = old;
}

void seats_chair_plain(struct maker *m, struct vec3 size)
{
    double seat = maker_between(m, 0.42, 0.48), w = size.x, d = size.y;
    double r = maker_between(m, 0.011, 0.022);
    bool square = maker_chance(m, 0.5), slats = maker_chance(m, 0.45);
    bool arms = maker_chance(m, 0.25);
    double lean = maker_between(m, 0, 0.07);
    maker_look_of(m, frames);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) * (w / 2 - 0.03), y = (i & 2 ? 1 : -1) * (d / 2 - 0.03);
        double top = i & 2 ? size.z : seat;
        double lift = i & 2 ? lean : 0;
        if (square)
            maker_box(m, vec3(x, y, seat / 2), vec3(2 * r, 2 * r, seat));
        else
            maker_bar(m, vec3(x * 1.05, y * 1.05, 0), vec3(x, y, seat), r);
        if (i & 2)
            maker_bar(m, vec3(x, y, seat), vec3(x, y + lift, top), r);
        if (arms)
            maker_box(m, vec3(x, y, seat + 0.11), vec3(2 * r, 2 * r, 0.22));
    }
    if (arms)
        for (int side = -1; side <= 1; side += 2)
            maker_box(m, vec3(side * (w / 2 - 0.03), 0, seat + 0.22), vec3(0.045, d * 0.9, 0.025));
    maker_look_of(m, shells);
    maker_round(m, vec3(0, 0, seat), vec3(w, d, 0.045), 0.02);
    double top = size.z - seat, y = d / 2 - 0.03 + lean * 0.8;
    if (slats) {
        for (int i = 0; i < 3; i++)
            maker_box(m, vec3(0, y - lean * 0.2 * (2 - i), seat + top * (0.4 + 0.26 * i)),
                      vec3(w - 0.06, 0.02, top * 0.13));
    } else {
        maker_round(m, vec3(0, y - 0.01, seat + top * 0.66), vec3(w - 0.03, 0.035, top * 0.66),
                    0.016);
    }
}

void seats_chair_cantilever(struct maker *m, struct vec3 size)
{
    double seat = maker_between(m, 0.43, 0.47), w = size.x, d = size.y, r = 0.013;
    maker_look_of(m, frames);
    for (int side = -1; side <= 1; side += 2) {
        double x = side * (w / 2 - 0.01);
        maker_bar(m, vec3(x, -d / 2, r), vec3(x, d / 2, r), r);
        maker_bar(m, vec3(x, -d / 2, r), vec3(x, -d / 2, seat + 0.2), r);
        maker_bar(m, vec3(x, -d / 2, seat + 0.2), vec3(x, d * 0.35, seat + 0.2), r);
        maker_bar(m, vec3(x, d * 0.4, seat), vec3(x, d * 0.5, size.z), r);
    }
    maker_bar(m, vec3(-w / 2, d / 2, r), vec3(w / 2, d / 2, r), r);
    maker_look_of(m, shells);
    maker_round(m, vec3(0, 0, seat), vec3(w - 0.04, d * 0.9, 0.05), 0.02);
    struct frame3 old = maker_enter(m, vec3(0, d * 0.44, seat + 0.12), 0, -0.13, 0);
    maker_round(m, vec3(0, 0, 0.16), vec3(w - 0.04, 0.045, size.z - seat - 0.12), 0.02);
    m->frame = old;
}

void seats_stool(struct maker *m, struct vec3 size)
{
    maker_look_of(m, frames);
    if (maker_chance(m, 0.5)) {
        maker_cylinder(m, vec3(0, 0, 0), size.x * 0.45, 0.02);
        maker_cylinder(m, vec3(0, 0, 0.02), 0.025, size.z - 0.04);
    } else {
        for (int i = 0; i < 4; i++) {
            double x = (i & 1 ? 1 : -1) * size.x * 0.4, y = (i & 2 ? 1 : -1) * size.x * 0.4;
            maker_bar(m, vec3(x, y, 0), vec3(x * 0.7, y * 0.7, size.z - 0.03), 0.014);
        }
    }
    maker_look_of(m, shells);
    maker_cylinder(m, vec3(0, 0, size.z - 0.05), size.x * 0.48, 0.05);
}

static void sofa_feet(struct maker *m, struct vec3 size)
{
    maker_look_of(m, frames);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) * (size.x / 2 - 0.07),
               y = (i & 2 ? 1 : -1) * (size.y / 2 - .07);
        maker_cylinder(m, vec3(x, y, 0), 0.022, 0.12);
    }
}

/* Base, arms, back, and one seat and back cushion per place; shared by sofas and armchairs. */
static void sofa_body(struct maker *m, struct vec3 size, int places)
{
    double u[5];
    maker_roll(m, u, 5);
    double arm = 0.08 + 0.16 * u[0], base = 0.24 + 0.08 * u[1], seat = 0.4 + 0.07 * u[2];
    double back = 0.12 + 0.1 * u[3], arm_top = seat + 0.1 + 0.14 * u[4];
    sofa_feet(m, size);
    maker_look_of(m, upholstery);
    double inner = size.x - 2 * arm;
    maker_round(m, vec3(0, 0, (base + 0.08) / 2), vec3(size.x, size.y, base - 0.08), 0.03);
    maker_round(m, vec3(0, size.y / 2 - back / 2, size.z / 2), vec3(size.x, back, size.z - 0.16),
                0.04);
    for (int side = -1; side <= 1; side += 2)
        maker_round(m, vec3(side * (size.x - arm) / 2, 0, (arm_top + 0.08) / 2),
                    vec3(arm, size.y, arm_top - 0.08), 0.04);
    double deep = size.y - back;
    for (int i = 0; i < places; i++) {
        double w = inner / places, x = -inner / 2 + w * (i + 0.5);
        double slip = maker_between(m, -0.01, 0.02);
        maker_round(m, vec3(x, -back / 2 - slip, (base + seat) / 2 + 0.02),
                    vec3(w - 0.01, deep, seat - base + 0.05), 0.05);
        double lean = maker_between(m, -0.28, -0.12);
        struct frame3 old = maker_enter(m, vec3(x, size.y / 2 - back - 0.06, seat), 0, lean, 0);
        double tall = size.z - seat;
        maker_round(m, vec3(0, 0, tall * 0.52), vec3(w - 0.02, 0.14, tall), 0.055);
        m->frame = old;
    }
}

/* Loose pillows are clutter, as in the datasets we imitate. */
static void pillow(struct maker *m, struct vec3 size)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, upholstery);
    double u[3];
    maker_roll(m, u, 3);
    struct frame3 old = maker_enter(m, vec3((u[0] - 0.5) * size.x * 0.6, size.y * 0.1, 0.62),
                                    u[1] * 0.6 - 0.3, -0.4, u[2] - .5);
    maker_round(m, vec3(0, 0, 0), vec3(0.4, 0.13, 0.4), 0.06);
    m->frame = old;
}

void seats_sofa(struct maker *m, struct vec3 size)
{
    int places = (int)(size.x / 0.62);
    sofa_body(m, size, places > 4 ? 4 : places < 1 ? 1 : places);
    int pillows = maker_count(m, 0, 2);
    for (int i = 0; i < pillows; i++)
        pillow(m, size);
}

/* A sofa along the wall and, at its left or right end, a long seat to the front, with a back or
 * without. */
void seats_corner_sofa(struct maker *m, struct vec3 size)
{
    double deep = maker_between(m, 0.82, 0.98), side = maker_chance(m, 0.5) ? 1 : -1;
    double front = size.y - deep, seat = maker_between(m, 0.4, 0.46);
    uint16_t sofa = m->instance;
    struct frame3 old = maker_enter(m, vec3(0, front / 2, 0), 0, 0, 0);
    seats_sofa(m, vec3(size.x, deep, size.z));
    m->frame = old;
    maker_begin(m, LABEL_SOFA);
    m->instance = sofa;
    maker_look_of(m, upholstery);
    maker_round(m, vec3(side * (size.x - deep) / 2, -deep / 2, seat / 2 + 0.04),
                vec3(deep, front + 0.04, seat - 0.08), 0.05);
    if (maker_chance(m, 0.6))
        maker_round(m, vec3(side * (size.x / 2 - 0.1), -deep / 2, size.z / 2),
                    vec3(0.2, front, size.z - 0.16), 0.05);
}

void seats_armchair(struct maker *m, struct vec3 size)
{
    sofa_body(m, size, 1);
}

/* Low upholstered bench of a waiting area: seat and back on a thin frame, no arms. */
void seats_bench_sofa(struct maker *m, struct vec3 size)
{
    sofa_feet(m, size);
    maker_box(m, vec3(0, 0, 0.13), vec3(size.x - 0.06, size.y - 0.06, 0.04));
    maker_look_of(m, upholstery);
    maker_round(m, vec3(0, 0, 0.28), vec3(size.x, size.y, 0.28), 0.05);
    if (size.z > 0.6)
        maker_round(m, vec3(0, size.y / 2 - 0.09, 0.28 + size.z / 2 - 0.06),
                    vec3(size.x, 0.18, size.z - 0.28), 0.05);
}
