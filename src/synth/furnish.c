/* Furniture by kind of room: what goes where, and how many. Sizes are drawn here; the catalogue
 * (seats, tables, storage, clutter, items) knows how things look. */
#include "synth/furnish.h"

#include "core/angle.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/clutter.h"
#include "synth/home.h"
#include "synth/items.h"
#include "synth/maker.h"
#include "synth/room.h"
#include "synth/seats.h"
#include "synth/storage.h"
#include "synth/tables.h"

/* u may leave 0 to 1 a little; lengths stay positive. */
static double draw_length(double low, double high, double u)
{
    double length = low + (high - low) * u;
    return length > low / 2 ? length : low / 2;
}

static struct vec3 draw_size(struct room *r, struct vec3 low, struct vec3 high)
{
    double u[3], wide = r->real ? 0.35 : 0; /* real furniture leaves the usual sizes */
    maker_roll(&r->make, u, 3);
    for (int i = 0; i < 3; i++)
        u[i] = u[i] * (1 + 2 * wide) - wide;
    return vec3(draw_length(low.x, high.x, u[0]), draw_length(low.y, high.y, u[1]),
                draw_length(low.z, high.z, u[2]));
}

static void build(struct room *r, int label, maker_fn *make, const struct frame3 *at,
                  struct vec3 size)
{
    r->make.frame = *at;
    maker_begin(&r->make, label);
    make(&r->make, size);
}

struct order {
    int label;
    maker_fn *make;
    struct vec3 low, high;
};

/* One thing at a wall or free on the floor; false when there is no room left. */
static bool put(struct room *r, const struct order *o, bool at_wall, struct frame3 *at,
                struct vec3 *size)
{
    *size = draw_size(r, o->low, o->high);
    if (!(at_wall ? room_place_at_wall(r, at, *size, 0.01) : room_place_free(r, at, *size)))
        return false;
    double turn = maker_between(&r->make, -0.06, 0.06);
    struct frame3 skew = frame3_at(vec3(0, 0, 0), at_wall ? turn * 0.4 : 0, 0, 0);
    *at = frame3_then(at, &skew);
    build(r, o->label, o->make, at, *size);
    return true;
}

static void put_some(struct room *r, const struct order *o, bool at_wall, int n)
{
    struct frame3 at;
    struct vec3 size;
    for (int i = 0; i < n; i++)
        put(r, o, at_wall, &at, &size);
}

/* All at walls, with this chance, or all free on the floor. */
static void put_mixed(struct room *r, const struct order *o, double at_walls, int n)
{
    bool at_wall = maker_chance(&r->make, at_walls);
    put_some(r, o, at_wall, n);
}

static const struct order desk = {LABEL_TABLE, tables_desk, {1.2, .65, .7}, {1.9, .85, .77}};
static const struct order desk_small = {LABEL_TABLE, tables_desk, {1.0, .55, .7}, {1.3, .65, .77}};
static const struct order coffee = {LABEL_TABLE, tables_coffee, {.6, .5, .35}, {1.2, .7, .5}};
static const struct order round_table = {LABEL_TABLE, tables_round, {.7, .7, .7}, {1.2, 1.2, .76}};
static const struct order square_table = {LABEL_TABLE, tables_coffee, {.7, .7, .7}, {1.3, .8, .76}};
static const struct order folding = {LABEL_TABLE, tables_folding, {1.2, .6, .7}, {1.8, .8, .76}};
static const struct order sofa = {LABEL_SOFA, seats_sofa, {1.4, .78, .7}, {2.4, .98, .92}};
static const struct order corner_sofa = {
    LABEL_SOFA, seats_corner_sofa, {1.9, 1.4, .7}, {3.2, 2.3, .95}};
static const struct order armchair = {LABEL_CHAIR, seats_armchair, {.75, .75, .68}, {.98, .92, .9}};
static const struct order bench = {LABEL_SOFA, seats_bench_sofa, {1.0, .6, .45}, {2.0, .75, .85}};
static const struct order bookcase = {
    LABEL_BOOKCASE, storage_bookcase, {.75, .27, 1.4}, {1.25, .4, 2.3}};
static const struct order bookcase_low = {
    LABEL_BOOKCASE, storage_bookcase_low, {.8, .3, .6}, {1.6, .42, 1.0}};
static const struct order shelving = {
    LABEL_BOOKCASE, storage_shelving, {.9, .4, 1.7}, {1.6, .6, 2.3}};
static const struct order cabinet = {LABEL_CLUTTER, storage_cabinet, {.6, .4, .8}, {1.2, .5, 2.0}};
static const struct order filing = {
    LABEL_CLUTTER, storage_filing, {.42, .5, .65}, {.48, .65, 1.35}};
static const struct order bin = {LABEL_CLUTTER, clutter_bin, {.24, .24, .28}, {.42, .42, .65}};
static const struct order boxes = {LABEL_CLUTTER, clutter_boxes, {.32, .28, .25}, {.6, .5, 1.2}};
static const struct order bag = {LABEL_CLUTTER, clutter_bag, {.28, .16, .38}, {.38, .24, .52}};
static const struct order plant = {LABEL_CLUTTER, clutter_plant, {.4, .4, .7}, {.75, .75, 1.8}};
static const struct order lamp = {
    LABEL_CLUTTER, clutter_lamp_floor, {.35, .35, 1.4}, {.5, .5, 1.8}};
static const struct order rack = {
    LABEL_CLUTTER, clutter_coat_rack, {.45, .45, 1.65}, {.5, .5, 1.85}};
static const struct order printer = {
    LABEL_CLUTTER, clutter_printer, {.55, .55, .9}, {.7, .7, 1.15}};
static const struct order cooler = {
    LABEL_CLUTTER, clutter_cooler, {.32, .32, 1.2}, {.36, .36, 1.4}};
static const struct order fridge = {
    LABEL_CLUTTER, storage_fridge, {.55, .58, 1.3}, {.7, .68, 1.85}};
static const struct order counter = {
    LABEL_CLUTTER, storage_counter, {1.6, .6, .88}, {3.2, .65, .92}};
static const struct order ladder = {LABEL_CLUTTER, clutter_ladder, {.45, .7, 1.3}, {.55, 1.0, 2.1}};
static const struct order trolley = {LABEL_CLUTTER, clutter_trolley, {.6, .4, .8}, {.9, .5, 1.0}};
static const struct order bucket = {LABEL_CLUTTER, clutter_bucket, {.35, .35, 1.2}, {.4, .4, 1.5}};
static const struct order rolls = {LABEL_CLUTTER, clutter_rolls, {.4, .3, .9}, {.7, .4, 1.6}};
static const struct order chair_plain = {
    LABEL_CHAIR, seats_chair_plain, {.42, .42, .78}, {.52, .52, .95}};
static const struct order chair_office = {
    LABEL_CHAIR, seats_chair_office, {.55, .55, .88}, {.62, .62, 1.1}};
static const struct order stool = {LABEL_CHAIR, seats_stool, {.34, .34, .45}, {.4, .4, .75}};

static maker_fn *draw_chair(struct room *r)
{
    int which = maker_count(&r->make, 0, 9);
    return which < 4   ? seats_chair_office
           : which < 7 ? seats_chair_plain
           : which < 9 ? seats_chair_cantilever
                       : seats_stool;
}

/* A chair relative to a table's frame; it may stand half under that table. */
static void chair_at(struct room *r, const struct frame3 *table, int table_place, struct vec3 at,
                     double yaw, maker_fn *make)
{
    double u[4];
    maker_roll(&r->make, u, 4);
    struct frame3 local = frame3_at(vec3(at.x + (u[0] - 0.5) * 0.12, at.y + (u[1] - 0.5) * 0.12, 0),
                                    yaw + (u[2] - 0.5) * 1.1, 0, 0);
    if (u[3] < 0.08) /* someone left it askew */
        local = frame3_at(vec3(at.x, at.y, 0), u[2] * 6.28, 0, 0);
    struct frame3 f = frame3_then(table, &local);
    struct vec3 size = draw_size(r, vec3(.44, .44, .8), vec3(.54, .52, .98));
    if (make == seats_stool)
        size = vec3(.36, .36, .6);
    if (!room_place_fits(r, &f, vec3(.5, .5, 0), table_place))
        return;
    room_place_take(r, &f, vec3(.5, .5, 0));
    build(r, LABEL_CHAIR, make, &f, size);
    if (u[3] > 0.88 && make != seats_stool) {
        struct frame3 old = maker_enter(&r->make, vec3(0, 0.24, 0), 0, 0, 0);
        items_jacket(&r->make, 0.42, 0.9);
        r->make.frame = old;
    }
}

static void work_place(struct room *r, const struct order *o, bool at_wall)
{
    struct frame3 at;
    struct vec3 size;
    if (!put(r, o, at_wall, &at, &size))
        return;
    int place = r->taken_n - 1;
    items_desk(&r->make, size);
    double u[4];
    maker_roll(&r->make, u, 4);
    r->make.frame = at;
    if (u[0] < 0.4) { /* computer under the desk */
        maker_begin(&r->make, LABEL_CLUTTER);
        maker_look(&r->make, LOOK_DARK);
        maker_box(&r->make, vec3((u[1] - 0.5) * size.x * 0.5, 0.1, 0.23), vec3(0.19, 0.42, 0.44));
    }
    maker_fn *make = u[2] < 0.8 ? seats_chair_office : seats_chair_plain;
    chair_at(r, &at, place, vec3((u[3] - 0.5) * size.x * 0.4, -size.y / 2 - 0.22, 0), ANGLE_PI,
             make);
}

/* Chairs along both long sides and at the ends. */
static void seats_around(struct room *r, const struct frame3 *at, struct vec3 size)
{
    int place = r->taken_n - 1, n = (int)(size.x / 0.75);
    maker_fn *make = draw_chair(r);
    for (int i = 0; i < n; i++) {
        double x = -size.x / 2 + size.x * (i + 0.5) / n;
        if (maker_chance(&r->make, 0.9))
            chair_at(r, at, place, vec3(x, -size.y / 2 - 0.24, 0), ANGLE_PI, make);
        if (maker_chance(&r->make, 0.9))
            chair_at(r, at, place, vec3(x, size.y / 2 + 0.24, 0), 0, make);
    }
    if (maker_chance(&r->make, 0.6))
        chair_at(r, at, place, vec3(-size.x / 2 - 0.26, 0, 0), ANGLE_PI / 2, make);
    if (maker_chance(&r->make, 0.6))
        chair_at(r, at, place, vec3(size.x / 2 + 0.26, 0, 0), -ANGLE_PI / 2, make);
}

static void table_with_seats(struct room *r, const struct order *o)
{
    struct frame3 at;
    struct vec3 size;
    if (!put(r, o, false, &at, &size))
        return;
    bool round = o->make == tables_round;
    struct vec3 top = round ? vec3(size.x * 0.6, size.x * 0.6, size.z) : size;
    int items = maker_count(&r->make, 1, 6);
    items_table(&r->make, top, items);
    seats_around(r, &at, round ? vec3(size.x, size.x, size.z) : size);
}

/* In front of a sofa, with what lies on it. */
static void low_table(struct room *r)
{
    struct frame3 at;
    struct vec3 size;
    if (put(r, &coffee, false, &at, &size))
        items_table(&r->make, size, maker_count(&r->make, 1, 6));
}

static void conference_table(struct room *r)
{
    double u[4];
    maker_roll(&r->make, u, 4);
    double length = 2.4 + 2.6 * u[0];
    for (int attempt = 0; attempt<40; attempt++, length = length> 1.5 ? length - 0.1 : length) {
        double v[3];
        maker_roll(&r->make, v, 3);
        double away = attempt < 4 ? 0 : 3; /* in the middle if it can be */
        double turn = (attempt & 3) == 3 ? 0 : ANGLE_PI / 2;
        struct vec3 size = vec3(length, 1.0 + 0.5 * u[1], 0.72 + 0.05 * u[2]);
        struct frame3 at = frame3_at(vec3(away * (v[0] - 0.5), away * (v[1] - 0.5), 0),
                                     turn + (u[3] - 0.5) * 0.2, 0, 0);
        struct vec3 with_seats = vec3(size.x + 1.2, size.y + 1.2, size.z);
        if (!room_place_fits(r, &at, with_seats, -1))
            continue;
        room_place_take(r, &at, size);
        build(r, LABEL_TABLE, tables_conference, &at, size);
        items_table(&r->make, size, maker_count(&r->make, 3, 10));
        seats_around(r, &at, size);
        return;
    }
}

/* Loose things that lie about in every room. */
static void loose(struct room *r, int n)
{
    static const struct order *const things[] = {&bin, &boxes, &bag, &bag, &plant, &boxes, &bin};
    for (int i = 0; i < n; i++) {
        int which = maker_count(&r->make, 0, 6);
        bool at_wall = maker_chance(&r->make, 0.6);
        put_some(r, things[which], at_wall, 1);
    }
}

static void furnish_office(struct room *r)
{
    struct maker *m = &r->make;
    int desks = maker_count(m, 2, room_area(r) > 18 ? 5 : 3);
    for (int i = 0; i < desks; i++) {
        bool at_wall = maker_chance(m, 0.7);
        work_place(r, maker_chance(m, 0.75) ? &desk : &desk_small, at_wall);
    }
    if (r->complete || maker_chance(m, 0.2))
        put_some(r, &sofa, true, 1);
    put_some(r, &bookcase, true, maker_count(m, 1, 4));
    put_some(r, &bookcase_low, true, maker_count(m, 0, 2));
    put_some(r, &filing, true, maker_count(m, 0, 2));
    put_some(r, &cabinet, true, maker_count(m, 0, 1));
    if (maker_chance(m, 0.25)) {
        static const struct order small = {
            LABEL_TABLE, tables_round, {.8, .8, .7}, {1.1, 1.1, .76}};
        table_with_seats(r, &small);
    }
    put_some(r, &chair_plain, true, maker_count(m, 0, 1));
    put_some(r, &chair_plain, false, maker_count(m, 0, 3));
    put_some(r, &rack, true, maker_count(m, 0, 1));
    put_some(r, &printer, true, maker_chance(m, 0.3));
    if (maker_chance(m, 0.3)) { /* a shelf over a desk */
        struct wall_spot spot;
        if (room_wall_find(r, &spot, 1.0, 1.5, 0.35)) {
            struct frame3 at = room_wall_frame(r, spot.wall, (spot.s0 + spot.s1) / 2, 1.5);
            at.o = vec3_along(at.o, at.y, -0.13);
            build(r, LABEL_BOOKCASE, storage_shelf_wall, &at, vec3(0.9, 0.25, 0.3));
            room_wall_take(r, &spot);
        }
    }
}

static void furnish_conference(struct room *r)
{
    struct maker *m = &r->make;
    conference_table(r);
    put_some(r, &cabinet, true, maker_count(m, 0, 2));
    put_some(r, &bookcase_low, true, maker_count(m, 0, 2));
    put_some(r, &bookcase, true, maker_count(m, 0, 2));
    put_some(r, &folding, true, maker_chance(m, 0.4));
    put_some(r, &chair_plain, true, maker_count(m, 0, 3));
    put_some(r, &chair_office, true, maker_count(m, 0, 2));
    put_some(r, &plant, true, maker_count(m, 0, 2));
}

static void furnish_hallway(struct room *r)
{
    struct maker *m = &r->make;
    put_some(r, &bench, true, maker_count(m, 0, 2));
    put_some(r, &bookcase, true, maker_chance(m, 0.3));
    put_some(r, &cabinet, true, maker_count(m, 0, 2));
    put_some(r, &printer, true, maker_chance(m, 0.3));
    put_some(r, &cooler, true, maker_chance(m, 0.4));
    put_some(r, &desk_small, true, maker_chance(m, 0.3));
    put_some(r, &chair_plain, true, maker_count(m, 0, 3));
}

static void furnish_lounge(struct room *r)
{
    struct maker *m = &r->make;
    if (maker_chance(m, 0.5)) {
        put_some(r, &counter, true, 1);
        put_some(r, &fridge, true, 1);
    }
    put_some(r, &sofa, true, maker_count(m, 1, 3));
    put_some(r, &sofa, false, maker_count(m, 0, 1));
    put_some(r, &armchair, false, maker_count(m, 1, 4));
    put_some(r, &coffee, false, maker_count(m, 1, 2));
    int tables = maker_count(m, 1, 4);
    for (int i = 0; i < tables; i++)
        table_with_seats(r, maker_chance(m, 0.6) ? &round_table : &square_table);
    put_some(r, &lamp, true, maker_count(m, 0, 2));
    put_some(r, &bookcase_low, true, maker_count(m, 0, 2));
    put_some(r, &bookcase, true, maker_count(m, 0, 2));
    put_some(r, &plant, true, maker_count(m, 0, 3));
    put_some(r, &stool, false, maker_count(m, 0, 2));
    put_some(r, &cooler, true, maker_chance(m, 0.3));
}

static void furnish_storage(struct room *r)
{
    struct maker *m = &r->make;
    put_some(r, &shelving, true, maker_count(m, 2, 6));
    put_some(r, &bookcase, true, maker_chance(m, 0.3));
    put_some(r, &cabinet, true, maker_count(m, 0, 2));
    put_some(r, &boxes, true, maker_count(m, 4, 10));
    put_some(r, &boxes, false, maker_count(m, 0, 3));
    put_some(r, &ladder, true, maker_chance(m, 0.4));
    put_some(r, &bucket, true, maker_chance(m, 0.5));
    put_some(r, &rolls, true, maker_count(m, 0, 2));
    put_some(r, &trolley, true, maker_chance(m, 0.5));
    put_some(r, &folding, true, maker_chance(m, 0.4));
    put_some(r, &chair_plain, false, maker_count(m, 0, 2));
    put_some(r, &chair_office, false, maker_count(m, 0, 1));
}

/* Flats, kitchens, bedrooms: most of what depth cameras see is none of the twelve classes. */
static void furnish_home(struct room *r)
{
    static const struct order bed = {LABEL_CLUTTER, home_bed, {.85, 1.9, .4}, {1.8, 2.1, .65}};
    static const struct order wardrobe = {
        LABEL_CLUTTER, home_wardrobe, {.7, .45, 1.5}, {2.2, .65, 2.3}};
    static const struct order kitchen = {
        LABEL_CLUTTER, home_kitchen, {1.4, .55, .9}, {3.4, .65, 2.2}};
    static const struct order curtain = {
        LABEL_CLUTTER, home_curtain, {.4, .14, 1.4}, {1.8, .2, 2.3}};
    static const struct order television = {
        LABEL_CLUTTER, home_television, {.9, .35, .9}, {1.7, .5, 1.4}};
    static const struct order heap = {LABEL_CLUTTER, home_heap, {.3, .3, .15}, {1.0, .9, .5}};
    static const struct order bicycle = {
        LABEL_CLUTTER, home_bicycle, {1.55, .58, .95}, {1.75, .62, 1.1}};
    static const struct order toilet = {
        LABEL_CLUTTER, home_toilet, {.36, .62, .7}, {.42, .72, .85}};
    static const struct order washstand = {
        LABEL_CLUTTER, home_washstand, {.5, .4, .8}, {1.1, .52, .9}};
    static const struct order dresser = {
        LABEL_CLUTTER, home_dresser, {.4, .38, .5}, {1.3, .5, 1.2}};
    struct maker *m = &r->make;
    double kind = maker_between(m, 0, 1);
    put_some(r, &curtain, true, maker_count(m, 0, 4));
    if (kind < 0.5)
        put_some(r, &bed, true, maker_count(m, 1, 2));
    put_some(r, &wardrobe, true, maker_count(m, 0, 4));
    put_mixed(r, &boxes, 0.6, maker_count(m, 1, 5));
    if (kind > 0.6)
        put_some(r, &kitchen, true, maker_count(m, 1, 2));
    if (kind > 0.85) {
        put_some(r, &toilet, true, 1);
        put_some(r, &washstand, true, 1);
    }
    put_mixed(r, &corner_sofa, 0.6, maker_chance(m, 0.4));
    put_mixed(r, &sofa, 0.7, maker_count(m, 0, 2));
    put_some(r, &armchair, false, maker_count(m, 0, 2));
    int low = maker_count(m, 0, 2);
    for (int i = 0; i < low; i++)
        low_table(r);
    if (maker_chance(m, 0.4))
        table_with_seats(r, maker_chance(m, 0.5) ? &round_table : &square_table);
    if (maker_chance(m, 0.4))
        work_place(r, &desk, true);
    put_some(r, &chair_plain, false, maker_count(m, 0, 3));
    put_some(r, &dresser, true, maker_count(m, 2, 6));
    put_some(r, &television, true, maker_chance(m, 0.5));
    put_some(r, &bicycle, true, maker_chance(m, 0.2));
    put_some(r, &heap, false, maker_count(m, 3, 12));
}

void furnish(struct room *r)
{
    static void (*const furnish[ROOM_KINDS])(struct room *) = {
        furnish_office, furnish_conference, furnish_hallway, furnish_lounge, furnish_storage};
    if (r->real)
        furnish_home(r);
    furnish[r->kind](r);
    loose(r, maker_count(&r->make, 4, 10));
}
