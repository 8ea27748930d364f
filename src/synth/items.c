/* Small clutter: what lies on tables, shelves and chairs. Everything here is LABEL_CLUTTER. */
#include "synth/items.h"

#include "core/angle.h"
#include "core/vec3.h"
#include "synth/maker.h"

static const double anything[LOOKS] = {
    [LOOK_WHITE] = 2, [LOOK_GREY] = 2,  [LOOK_DARK] = 4,  [LOOK_VIVID] = 4, [LOOK_METAL] = 1,
    [LOOK_PRINT] = 2, [LOOK_CREAM] = 1, [LOOK_PAPER] = 2, [LOOK_WOOD] = 1,  [LOOK_CARDBOARD] = 2};

static void monitor(struct maker *m)
{
    double u[3];
    maker_roll(m, u, 3);
    double w = 0.42 + 0.25 * u[0], h = w * (0.56 + 0.1 * u[1]), stand = 0.1 + 0.08 * u[2];
    maker_begin(m, LABEL_CLUTTER);
    maker_look(m, LOOK_DARK);
    maker_box(m, vec3(0, 0.05, 0.008), vec3(0.24, 0.18, 0.016));
    maker_box(m, vec3(0, 0.06, (stand + h / 2) / 2), vec3(0.05, 0.03, stand + h / 2));
    maker_box(m, vec3(0, 0.02, stand + h / 2), vec3(w, 0.035, h));
    maker_look(m, LOOK_SCREEN);
    maker_box(m, vec3(0, 0, stand + h / 2), vec3(w - 0.02, 0.012, h - 0.02));
}

static void laptop(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look(m, maker_chance(m, 0.5) ? LOOK_METAL : LOOK_DARK);
    maker_box(m, vec3(0, 0, 0.01), vec3(0.33, 0.23, 0.018));
    double lean = maker_between(m, -0.5, -0.1);
    struct frame3 old = maker_enter(m, vec3(0, 0.11, 0.015), 0, lean, 0);
    maker_box(m, vec3(0, 0, 0.11), vec3(0.33, 0.01, 0.22));
    maker_look(m, LOOK_SCREEN);
    maker_box(m, vec3(0, -0.006, 0.11), vec3(0.3, 0.004, 0.19));
    m->frame = old;
}

static void keyboard(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look(m, maker_chance(m, 0.6) ? LOOK_DARK : LOOK_WHITE);
    maker_box(m, vec3(0, 0, 0.012), vec3(0.43, 0.14, 0.024));
    maker_round(m, vec3(0.31, 0, 0.018), vec3(0.06, 0.1, 0.036), 0.015);
}

static void papers(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look(m, LOOK_PAPER);
    int sheets = maker_count(m, 1, 4);
    for (int i = 0; i < sheets; i++) {
        double u[4];
        maker_roll(m, u, 4);
        double tall = 0.004 + 0.03 * u[0];
        struct frame3 old = maker_enter(m, vec3(0.1 * u[1], 0.1 * u[2], 0), u[3] * 3, 0, 0);
        maker_box(m, vec3(0, 0, tall / 2), vec3(0.21, 0.297, tall));
        m->frame = old;
    }
}

static void cup(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, anything);
    double r = maker_between(m, 0.03, 0.045), tall = maker_between(m, 0.08, 0.13);
    maker_cone(m, vec3(0, 0, 0), r * 0.85, r, tall);
    struct frame3 old = maker_enter(m, vec3(r + 0.012, 0, tall / 2), 0, ANGLE_PI / 2, 0);
    maker_ring(m, vec3(0, 0, 0), 0.025, 0.006);
    m->frame = old;
}

static void bottle(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, anything);
    double r = maker_between(m, 0.03, 0.05), tall = maker_between(m, 0.16, 0.26);
    maker_cylinder(m, vec3(0, 0, 0), r, tall * 0.65);
    maker_cone(m, vec3(0, 0, tall * 0.65), r, r * 0.35, tall * 0.2);
    maker_cylinder(m, vec3(0, 0, tall * 0.85), r * 0.35, tall * 0.15);
}

static void telephone(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look(m, maker_chance(m, 0.7) ? LOOK_DARK : LOOK_GREY);
    struct frame3 old = maker_enter(m, vec3(0, 0, 0.03), 0, 0.3, 0);
    maker_box(m, vec3(0, 0, 0.01), vec3(0.2, 0.19, 0.04));
    maker_round(m, vec3(-0.06, 0, 0.05), vec3(0.05, 0.2, 0.04), 0.015);
    m->frame = old;
}

static void lamp_desk(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, anything);
    double reach = maker_between(m, 0.15, 0.3);
    maker_cylinder(m, vec3(0, 0, 0), 0.09, 0.02);
    maker_bar(m, vec3(0, 0, 0.02), vec3(-0.06, 0, 0.28), 0.01);
    maker_bar(m, vec3(-0.06, 0, 0.28), vec3(reach, 0, 0.45), 0.01);
    maker_cone(m, vec3(reach, 0, 0.36), 0.085, 0.035, 0.11);
}

static void book_pile(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    int n = maker_count(m, 1, 5);
    double z = 0;
    for (int i = 0; i < n; i++) {
        double u[4];
        maker_roll(m, u, 4);
        double tall = 0.015 + 0.03 * u[0];
        maker_look_of(m, anything);
        struct frame3 old = maker_enter(m, vec3(0, 0, z), (u[1] - 0.5) * 0.9, 0, 0);
        maker_box(m, vec3(0, 0, tall / 2), vec3(0.16 + 0.06 * u[2], 0.22 + 0.06 * u[3], tall));
        m->frame = old;
        z += tall;
    }
}

static void tray(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, anything);
    int n = maker_count(m, 1, 3);
    for (int i = 0; i < n; i++) {
        double z = 0.07 * i;
        maker_box(m, vec3(0, 0, z + 0.005), vec3(0.26, 0.34, 0.01));
        for (int side = -1; side <= 1; side += 2)
            maker_box(m, vec3(side * 0.125, 0, z + 0.03), vec3(0.01, 0.34, 0.06));
        maker_box(m, vec3(0, 0.165, z + 0.03), vec3(0.26, 0.01, 0.06));
    }
}

static void carton(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, anything);
    double u[3];
    maker_roll(m, u, 3);
    struct vec3 size = vec3(0.08 + 0.2 * u[0], 0.08 + 0.16 * u[1], 0.05 + 0.18 * u[2]);
    maker_box(m, vec3(0, 0, size.z / 2), size);
}

static void pot_plant(struct maker *m)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look_of(m, anything);
    maker_cone(m, vec3(0, 0, 0), 0.045, 0.065, 0.11);
    maker_look(m, LOOK_GREEN);
    int leaves = maker_count(m, 5, 9);
    for (int i = 0; i < leaves; i++) {
        double u[4];
        maker_roll(m, u, 4);
        struct frame3 old = maker_enter(m, vec3(0, 0, 0.11), u[0] * 6.28, 0.2 + 0.7 * u[1], 0);
        double tall = 0.1 + 0.14 * u[2];
        maker_ball(m, vec3(0, 0, tall / 2), vec3(0.045 + 0.03 * u[3], 0.012, tall));
        m->frame = old;
    }
}

void items_small(struct maker *m)
{
    typedef void item_fn(struct maker *);
    static item_fn *const items[] = {papers,    cup,  bottle, telephone, lamp_desk,
                                     book_pile, tray, carton, pot_plant, carton};
    int which = maker_count(m, 0, (int)(sizeof items / sizeof *items) - 1);
    items[which](m);
}

void items_table(struct maker *m, struct vec3 size, int n)
{
    /* One item to a cell of a coarse grid: they do not stand inside each other. */
    int columns = (int)(size.x / 0.36), rows = (int)(size.y / 0.36);
    columns = columns < 1 ? 1 : columns;
    rows = rows < 1 ? 1 : rows;
    for (int cell = 0; cell < columns * rows; cell++) {
        double u[4];
        maker_roll(m, u, 4);
        if (u[0] * columns * rows >= n)
            continue;
        double x = ((cell % columns + 0.35 + 0.3 * u[1]) / columns - 0.5) * size.x;
        double y = ((cell / columns + 0.35 + 0.3 * u[2]) / rows - 0.5) * size.y;
        struct frame3 old = maker_enter(m, vec3(x, y, size.z), u[3] * 6.28, 0, 0);
        if (u[3] < 0.15)
            laptop(m);
        else
            items_small(m);
        m->frame = old;
    }
}

void items_desk(struct maker *m, struct vec3 size)
{
    double u[5];
    maker_roll(m, u, 5);
    double x = (u[0] - 0.5) * (size.x - 0.9), turn = (u[1] - 0.5) * 0.5;
    int screens = u[2] < 0.15 ? 0 : u[2] < 0.7 ? 1 : 2;
    for (int i = 0; i < screens; i++) {
        double shift = screens == 1 ? 0 : (i - 0.5) * 0.6;
        double yaw = turn - (screens == 1 ? 0 : (i - 0.5) * 0.5);
        struct frame3 old = maker_enter(m, vec3(x + shift, size.y * 0.2, size.z), yaw, 0, 0);
        monitor(m);
        m->frame = old;
    }
    struct frame3 old = maker_enter(m, vec3(x, -size.y * 0.22, size.z), turn * 0.5, 0, 0);
    if (screens)
        keyboard(m);
    else if (u[3] < 0.8)
        laptop(m);
    m->frame = old;
    double away = x < 0 ? 1 : -1, width = size.x / 2 - 0.12;
    if (width < 0.3)
        return;
    old = maker_enter(m, vec3(away * size.x / 4 + away * 0.05, 0, size.z), 0, 0, 0);
    items_table(m, vec3(width, size.y * 0.9, 0), maker_count(m, 1, 5));
    m->frame = old;
}

void items_jacket(struct maker *m, double seat_width, double back_height)
{
    maker_begin(m, LABEL_CLUTTER);
    maker_look(m, maker_chance(m, 0.6) ? LOOK_DARK : LOOK_VIVID);
    maker_round(m, vec3(0, 0.02, back_height - 0.22), vec3(seat_width + 0.08, 0.13, 0.5), 0.05);
}

/* Boxes and things side by side on a board of the given width and depth. */
void items_heap(struct maker *m, struct vec3 size)
{
    double x = -size.x / 2;
    while (x < size.x / 2 - 0.15) {
        double u[5];
        maker_roll(m, u, 5);
        double w = 0.15 + 0.3 * u[0], d = size.y * (0.5 + 0.45 * u[1]);
        double h = size.z * (0.3 + 0.65 * u[2]);
        if (x + w > size.x / 2)
            w = size.x / 2 - x;
        struct frame3 old = maker_enter(m, vec3(x + w / 2, 0, 0), 0, 0, 0);
        if (u[3] < 0.6) {
            maker_begin(m, LABEL_CLUTTER);
            if (u[4] < 0.6)
                maker_look(m, LOOK_CARDBOARD);
            else
                maker_look_of(m, anything);
            maker_box(m, vec3(0, 0, h / 2), vec3(w * 0.94, d, h));
        } else if (u[3] < 0.85) {
            items_small(m);
        }
        m->frame = old;
        x += w + 0.02;
    }
}
