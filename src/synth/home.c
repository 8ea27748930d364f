/* Beds, wardrobes, kitchens, curtains: see home.h. */
#include "synth/home.h"

#include "core/vec3.h"
#include "synth/maker.h"

static const double wooden[LOOKS] = {[LOOK_WOOD] = 5,  [LOOK_WOOD_DARK] = 5, [LOOK_WHITE] = 4,
                                     [LOOK_CREAM] = 2, [LOOK_DARK] = 2,      [LOOK_GREY] = 1};
static const double woven[LOOKS] = {[LOOK_FABRIC] = 5, [LOOK_VIVID] = 5, [LOOK_WHITE] = 3,
                                    [LOOK_CREAM] = 3,  [LOOK_DARK] = 2,  [LOOK_PRINT] = 2};

/* Its head is at the wall: +y. */
void home_bed(struct maker *m, struct vec3 size)
{
    double base = size.z * maker_between(m, 0.4, 0.6);
    maker_look_of(m, wooden);
    maker_box(m, vec3(0, 0, base / 2), vec3(size.x, size.y, base));
    double head = maker_between(m, 0, 0.6);
    if (head > 0.15)
        maker_box(m, vec3(0, size.y / 2 - 0.03, (size.z + head) / 2),
                  vec3(size.x, 0.06, size.z + head));
    maker_look_of(m, woven);
    maker_round(m, vec3(0, 0, (base + size.z) / 2),
                vec3(size.x * 0.98, size.y * 0.97, size.z - base), 0.07);
    maker_look_of(m, woven);
    double cover = maker_between(m, 0.5, 0.8);
    maker_round(m, vec3(0, -size.y * (1 - cover) / 2, size.z - 0.05),
                vec3(size.x * 1.06, size.y * cover, 0.22), 0.08);
    int pillows = size.x > 1.2 ? 2 : 1;
    maker_look_of(m, woven);
    for (int i = 0; i < pillows; i++) {
        double turn = maker_between(m, -0.2, 0.2);
        struct frame3 old =
            maker_enter(m, vec3(size.x * ((i + 0.5) / pillows - 0.5), size.y * 0.37, size.z + 0.06),
                        turn, 0.2, 0);
        maker_round(m, vec3(0, 0, 0), vec3(0.6, 0.4, 0.16), 0.07);
        m->frame = old;
    }
}

void home_wardrobe(struct maker *m, struct vec3 size)
{
    maker_look_of(m, wooden);
    maker_box(m, vec3(0, 0, size.z / 2), size);
    int doors = 1 + (int)(size.x / 0.55);
    maker_look(m, LOOK_METAL);
    for (int i = 0; i < doors; i++)
        maker_box(m, vec3(size.x * ((i + 0.85) / doors - 0.5), -size.y / 2 - 0.015, size.z * 0.45),
                  vec3(0.02, 0.03, 0.2));
    if (maker_chance(m, 0.4)) {
        maker_look(m, LOOK_CARDBOARD);
        maker_box(m, vec3(0, 0, size.z + 0.12), vec3(size.x * 0.4, size.y * 0.7, 0.24));
    }
}

/* Cupboards below and above a worktop, with a sink or hob and what stands about. */
void home_kitchen(struct maker *m, struct vec3 size)
{
    const double top = 0.9;
    maker_look_of(m, wooden);
    uint16_t fronts = m->paint;
    maker_box(m, vec3(0, 0.02, top / 2), vec3(size.x, size.y - 0.04, top));
    double low = maker_between(m, 1.35, 1.55);
    if (size.z > low + 0.3)
        maker_box(m, vec3(0, size.y / 2 - 0.17, (low + size.z) / 2),
                  vec3(size.x * 0.9, 0.34, size.z - low));
    maker_look(m, LOOK_GREY);
    maker_box(m, vec3(0, 0, top + 0.02), vec3(size.x, size.y, 0.04));
    int things = maker_count(m, 2, 7);
    for (int i = 0; i < things; i++) {
        double u[4];
        maker_roll(m, u, 4);
        maker_look_of(m, woven);
        struct vec3 at = vec3(size.x * 0.9 * (u[0] - 0.5), 0.4 * size.y * (u[1] - 0.3), top + 0.04);
        if (u[3] < 0.5)
            maker_cylinder(m, at, 0.04 + 0.06 * u[2], 0.08 + 0.25 * u[1]);
        else
            maker_box(m, vec3(at.x, at.y, at.z + 0.1), vec3(0.1 + 0.3 * u[2], 0.2, 0.2));
    }
    m->paint = fronts;
}

/* Folds hang from a rail. */
void home_curtain(struct maker *m, struct vec3 size)
{
    int folds = 2 + (int)(size.x / 0.14);
    maker_look_of(m, woven);
    for (int i = 0; i < folds; i++) {
        double deep = maker_between(m, 0.03, 0.07);
        maker_cylinder(m, vec3(size.x * ((i + 0.5) / folds - 0.5), 0, 0.04), deep, size.z - 0.04);
    }
    maker_look(m, LOOK_METAL);
    maker_bar(m, vec3(-size.x / 2 - 0.1, 0, size.z), vec3(size.x / 2 + 0.1, 0, size.z), 0.015);
}

/* On a low board. */
void home_television(struct maker *m, struct vec3 size)
{
    maker_look_of(m, wooden);
    double board = size.z * 0.4;
    maker_box(m, vec3(0, 0, board / 2), vec3(size.x, size.y, board));
    maker_look(m, LOOK_SCREEN);
    maker_box(m, vec3(0, 0.05, board + (size.z - board) * 0.55),
              vec3(size.x * 0.75, 0.05, (size.z - board) * 0.8));
    maker_look(m, LOOK_DARK);
    maker_box(m, vec3(0, 0.05, board + 0.03), vec3(0.3, 0.2, 0.06));
}

/* Clothes, bags, toys. */
void home_heap(struct maker *m, struct vec3 size)
{
    int n = maker_count(m, 3, 8);
    for (int i = 0; i < n; i++) {
        double u[4];
        maker_roll(m, u, 4);
        maker_look_of(m, woven);
        struct vec3 part = vec3(size.x * (0.3 + 0.4 * u[2]), size.y * (0.3 + 0.4 * u[3]),
                                size.z * (0.4 + 0.6 * u[0]));
        maker_ball(m, vec3(0.5 * size.x * (u[0] - 0.5), 0.5 * size.y * (u[1] - 0.5), part.z * 0.3),
                   part);
    }
}

void home_bicycle(struct maker *m, struct vec3 size)
{
    double r = size.z * 0.33, reach = size.x / 2 - r;
    maker_look(m, LOOK_DARK);
    for (int i = -1; i <= 1; i += 2) {
        struct frame3 old = maker_enter(m, vec3(i * reach, 0, r), 0, 1.5707963267948966, 0);
        maker_ring(m, vec3(0, 0, 0), r - 0.02, 0.02);
        m->frame = old;
    }
    maker_look(m, LOOK_VIVID);
    struct vec3 hub = vec3(-reach, 0, r), pedal = vec3(-0.1, 0, r),
                head = vec3(reach - 0.12, 0, size.z * 0.8);
    struct vec3 seat = vec3(-0.25, 0, size.z * 0.85);
    maker_bar(m, hub, seat, 0.015);
    maker_bar(m, hub, pedal, 0.015);
    maker_bar(m, pedal, seat, 0.018);
    maker_bar(m, pedal, head, 0.018);
    maker_bar(m, seat, head, 0.018);
    maker_bar(m, head, vec3(reach, 0, r), 0.018);
    maker_bar(m, vec3(head.x, -0.28, size.z), vec3(head.x, 0.28, size.z), 0.015);
    maker_box(m, vec3(seat.x, 0, seat.z + 0.05), vec3(0.26, 0.14, 0.06));
}

void home_toilet(struct maker *m, struct vec3 size)
{
    maker_look(m, LOOK_WHITE);
    maker_round(m, vec3(0, size.y * 0.38, size.z * 0.7), vec3(size.x, size.y * 0.24, size.z * 0.6),
                0.04);
    maker_cone(m, vec3(0, -size.y * 0.1, 0), size.x * 0.3, size.x * 0.45, size.z * 0.5);
    maker_ball(m, vec3(0, -size.y * 0.1, size.z * 0.5), vec3(size.x, size.y * 0.7, 0.1));
}

void home_washstand(struct maker *m, struct vec3 size)
{
    maker_look(m, LOOK_WHITE);
    maker_round(m, vec3(0, 0, size.z - 0.09), vec3(size.x, size.y, 0.18), 0.05);
    maker_look_of(m, wooden);
    maker_box(m, vec3(0, 0.03, (size.z - 0.18) / 2),
              vec3(size.x * 0.85, size.y * 0.8, size.z - 0.18));
}

void home_dresser(struct maker *m, struct vec3 size)
{
    maker_look_of(m, wooden);
    maker_box(m, vec3(0, 0, size.z / 2), size);
    int rows = maker_count(m, 2, 4);
    for (int i = 0; i < rows; i++)
        maker_box(m, vec3(0, -size.y / 2 - 0.01, size.z * (i + 0.5) / rows),
                  vec3(size.x * 0.92, 0.02, size.z / rows * 0.85));
    int things = maker_count(m, 0, 4);
    for (int i = 0; i < things; i++) {
        double u[3];
        maker_roll(m, u, 3);
        maker_look_of(m, woven);
        maker_box(m, vec3(size.x * 0.8 * (u[0] - 0.5), 0, size.z + 0.05 + 0.1 * u[1]),
                  vec3(0.08 + 0.2 * u[2], 0.12, 0.1 + 0.2 * u[1]));
    }
}
