/* Bookcases, shelving, cabinets and large appliances. Books belong to their bookcase; boxes on
 * storage shelves, cabinets and appliances are clutter. */
#include "synth/storage.h"

#include "core/vec3.h"
#include "synth/items.h"
#include "synth/maker.h"

static const double bodies[LOOKS] = {
    [LOOK_WOOD] = 5, [LOOK_WOOD_DARK] = 4, [LOOK_WHITE] = 4, [LOOK_GREY] = 3,
    [LOOK_DARK] = 2, [LOOK_CREAM] = 2,     [LOOK_METAL] = 2};
static const double spines[LOOKS] = {
    [LOOK_VIVID] = 7,     [LOOK_DARK] = 3, [LOOK_WHITE] = 2, [LOOK_CREAM] = 2,
    [LOOK_WOOD_DARK] = 2, [LOOK_GREY] = 2, [LOOK_PRINT] = 1};

/* A row of books (or binders) standing from -width/2 on, in the current frame at shelf height. */
static void add_books(struct maker *m, double width, double depth, double height)
{
    bool binders = maker_chance(m, 0.25);
    double x = -width / 2, end = width / 2 - maker_between(m, 0, 0.35) * width;
    double binder_tall = height * maker_between(m, 0.85, 0.95);
    maker_look_of(m, spines);
    while (x < end) {
        double u[5];
        maker_roll(m, u, 5);
        double thick = binders ? 0.07 : 0.018 + 0.04 * u[0];
        double tall = binders ? binder_tall : height * (0.55 + 0.4 * u[1]);
        double deep = depth * (0.62 + 0.25 * u[2]);
        if (!binders || u[3] < 0.3)
            maker_look_of(m, spines);
        if (x + thick > end)
            break;
        double back = depth / 2 - deep / 2;
        if (u[4] < 0.06 && x + tall < end) { /* a lying stack */
            int pile = maker_count(m, 2, 4);
            for (int i = 0; i < pile; i++)
                maker_box(m, vec3(x + tall / 2, back, 0.02 + 0.04 * i), vec3(tall, deep, 0.038));
            x += tall + 0.02;
            continue;
        }
        if (u[4] > 0.93 && x + 0.3 < end) { /* a gap with one leaning book */
            double lean = 0.25;
            struct frame3 old = maker_enter(m, vec3(x + 0.02, back, 0), 0, 0, lean);
            maker_box(m, vec3(0.012, 0, tall / 2), vec3(0.024, deep, tall * 0.96));
            m->frame = old;
            x += 0.1 + 0.1 * u[0];
            continue;
        }
        maker_box(m, vec3(x + thick / 2, back, tall / 2), vec3(thick * 0.96, deep, tall));
        x += thick;
    }
}

static void carcass(struct maker *m, struct vec3 size, bool backed)
{
    double t = 0.02;
    for (int side = -1; side <= 1; side += 2)
        maker_box(m, vec3(side * (size.x - t) / 2, 0, size.z / 2), vec3(t, size.y, size.z));
    maker_box(m, vec3(0, 0, size.z - t / 2), vec3(size.x, size.y, t));
    if (backed)
        maker_box(m, vec3(0, size.y / 2 - 0.006, size.z / 2), vec3(size.x, 0.012, size.z));
}

static void fill_shelf(struct maker *m, struct vec3 size, double z, double tall)
{
    double full = maker_between(m, 0, 1);
    uint16_t body = m->paint;
    struct frame3 old = maker_enter(m, vec3(0, 0, z), 0, 0, 0);
    if (full < 0.78) {
        add_books(m, size.x - 0.05, size.y - 0.02, tall < 0.36 ? tall - 0.02 : 0.33);
    } else if (full < 0.92) {
        uint8_t label = m->label;
        uint16_t instance = m->instance;
        double x = maker_between(m, -0.3, 0.3) * size.x;
        struct frame3 shelf = maker_enter(m, vec3(x, 0, 0), 0, 0, 0);
        items_small(m);
        m->frame = shelf;
        m->label = label;
        m->instance = instance;
    }
    m->frame = old;
    m->paint = body;
}

static void bookcase(struct maker *m, struct vec3 size, int shelves)
{
    bool backed = maker_chance(m, 0.75), doors = maker_chance(m, 0.2);
    maker_look_of(m, bodies);
    carcass(m, size, backed);
    double base = 0.06, tall = (size.z - base - 0.02) / shelves;
    maker_box(m, vec3(0, 0.01, base / 2), vec3(size.x - 0.04, size.y - 0.04, base));
    for (int i = 0; i < shelves; i++) {
        double z = base + tall * i;
        maker_box(m, vec3(0, 0, z), vec3(size.x - 0.04, size.y - 0.01, 0.022));
        if (doors && i < 2)
            continue;
        fill_shelf(m, size, z + 0.011, tall - 0.022);
    }
    if (!doors)
        return;
    for (int side = -1; side <= 1; side += 2) {
        double x = side * size.x / 4, z = base + tall;
        maker_box(m, vec3(x, -size.y / 2 - 0.009, z), vec3(size.x / 2 - 0.006, 0.018, 2 * tall));
        maker_box(m, vec3(x - side * size.x / 5, -size.y / 2 - 0.025, z + tall * 0.6),
                  vec3(0.012, 0.02, 0.12));
    }
}

void storage_bookcase(struct maker *m, struct vec3 size)
{
    int shelves = (int)(size.z / maker_between(m, 0.32, 0.4));
    bookcase(m, size, shelves < 3 ? 3 : shelves);
}

void storage_bookcase_low(struct maker *m, struct vec3 size)
{
    bookcase(m, size, size.z > 0.75 ? 2 : 1);
}

/* Open metal shelving of a store room: posts, boards, boxes. */
void storage_shelving(struct maker *m, struct vec3 size)
{
    static const double posts[LOOKS] = {
        [LOOK_METAL] = 5, [LOOK_GREY] = 3, [LOOK_DARK] = 2, [LOOK_WOOD] = 2, [LOOK_VIVID] = 1};
    maker_look_of(m, posts);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? 1 : -1) * (size.x / 2 - 0.02);
        double y = (i & 2 ? 1 : -1) * (size.y / 2 - 0.02);
        maker_box(m, vec3(x, y, size.z / 2), vec3(0.04, 0.04, size.z));
    }
    int boards = maker_count(m, 4, 6);
    uint16_t instance = m->instance, paint = m->paint;
    for (int i = 0; i < boards; i++) {
        double z = 0.1 + (size.z - 0.15) * i / (boards - 1);
        m->label = LABEL_BOOKCASE;
        m->instance = instance;
        m->paint = paint;
        maker_box(m, vec3(0, 0, z), vec3(size.x, size.y, 0.03));
        double kind = maker_between(m, 0, 1);
        struct frame3 old = maker_enter(m, vec3(0, 0, z + 0.016), 0, 0, 0);
        double tall = (size.z - 0.15) / (boards - 1) - 0.06;
        if (kind < 0.3)
            add_books(m, size.x - 0.1, size.y - 0.05, tall < 0.34 ? tall : 0.34);
        else if (kind < 0.85)
            items_heap(m, vec3(size.x - 0.1, size.y - 0.06, tall));
        m->frame = old;
    }
}

void storage_shelf_wall(struct maker *m, struct vec3 size)
{
    maker_look_of(m, bodies);
    maker_box(m, vec3(0, 0, 0), vec3(size.x, size.y, 0.025));
    for (int side = -1; side <= 1; side += 2)
        maker_box(m, vec3(side * size.x * 0.4, 0.02, -0.06), vec3(0.02, size.y - 0.04, 0.1));
    struct frame3 old = maker_enter(m, vec3(0, 0, 0.013), 0, 0, 0);
    add_books(m, size.x, size.y, 0.3);
    m->frame = old;
}

/* Doors or drawers on a closed body. */
static void fronts(struct maker *m, struct vec3 size, int columns, int rows)
{
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            double w = size.x / columns, h = (size.z - 0.06) / rows;
            double x = -size.x / 2 + w * (c + 0.5), z = 0.05 + h * (r + 0.5);
            maker_box(m, vec3(x, -size.y / 2 - 0.009, z), vec3(w - 0.01, 0.018, h - 0.01));
            maker_box(m, vec3(x + (rows > 1 ? 0 : w * 0.35), -size.y / 2 - 0.026, z + h * 0.2),
                      vec3(rows > 1 ? 0.12 : 0.012, 0.018, rows > 1 ? 0.012 : 0.12));
        }
    }
}

void storage_cabinet(struct maker *m, struct vec3 size)
{
    maker_look_of(m, bodies);
    maker_box(m, vec3(0, 0, size.z / 2), size);
    fronts(m, size, size.x > 0.7 ? 2 : 1, 1);
}

void storage_filing(struct maker *m, struct vec3 size)
{
    maker_look_of(m, bodies);
    maker_box(m, vec3(0, 0, size.z / 2), size);
    fronts(m, size, 1, size.z > 1 ? 4 : 2);
}

void storage_fridge(struct maker *m, struct vec3 size)
{
    maker_look(m, maker_chance(m, 0.6) ? LOOK_WHITE : LOOK_METAL);
    maker_round(m, vec3(0, 0, size.z / 2), size, 0.02);
    maker_box(m, vec3(0, -size.y / 2 - 0.02, size.z * 0.34),
              vec3(size.x - 0.02, 0.04, size.z * .62));
    maker_box(m, vec3(0, -size.y / 2 - 0.02, size.z * 0.83),
              vec3(size.x - 0.02, 0.04, size.z * .3));
    maker_box(m, vec3(size.x * 0.38, -size.y / 2 - 0.06, size.z * 0.5), vec3(0.02, 0.03, 0.35));
}

void storage_counter(struct maker *m, struct vec3 size)
{
    maker_look_of(m, bodies);
    maker_box(m, vec3(0, 0.02, size.z / 2), vec3(size.x, size.y - 0.04, size.z));
    fronts(m, vec3(size.x, size.y - 0.04, size.z), (int)(size.x / 0.55) + 1, 1);
    maker_look_of(m, bodies);
    maker_box(m, vec3(0, 0, size.z + 0.015), vec3(size.x, size.y, 0.03));
    maker_look(m, LOOK_METAL);
    maker_bar(m, vec3(0, 0.2, size.z), vec3(0, 0.2, size.z + 0.25), 0.012);
    maker_bar(m, vec3(0, 0.2, size.z + 0.25), vec3(0, 0.05, size.z + 0.23), 0.012);
    items_table(m, vec3(size.x, size.y, size.z + 0.03), 5);
    if (!maker_chance(m, 0.6))
        return;
    maker_begin(m, LABEL_CLUTTER); /* wall cupboards */
    maker_look_of(m, bodies);
    struct frame3 old = maker_enter(m, vec3(0, size.y / 2 - 0.17, size.z + 0.5), 0, 0, 0);
    maker_box(m, vec3(0, 0, 0.35), vec3(size.x, 0.34, 0.7));
    fronts(m, vec3(size.x, 0.34, 0.7), (int)(size.x / 0.5) + 1, 1);
    m->frame = old;
}
