/* Planning a scene: see layout.h.
 *
 * Ground first, then water and a bridge, then a grid of streets whose blocks are filled by kind,
 * then woods, scrub, wires and clutter on what is left free. */
#include "synth/layout.h"

#include "core/angle.h"
#include "core/error.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/buildings.h"
#include "synth/maker.h"
#include "synth/plants.h"
#include "synth/scene.h"
#include "synth/site.h"
#include "synth/streets.h"
#include "synth/terrain.h"

/* A rectangle between streets: a frame and half sizes. */
struct block {
    struct frame3 at;
    double hx, hy;
};

/* --- ground and water --- */

static void shape_ground(struct site *s)
{
    struct maker *m = &s->make;
    double relief = s->style.relief * maker_between(m, 0.2, 1.5);
    double wave = maker_between(m, 70, 220), u[3];
    maker_roll(m, u, 3);
    terrain_hills(&s->ground, relief, wave, s->salt);
    terrain_hills(&s->ground, relief * 0.12, 24, s->salt + 1);
    terrain_tilt(&s->ground, relief * (u[0] - 0.5) / 80, relief * (u[1] - 0.5) / 80);
    if (relief > 4 && u[2] < 0.3)
        terrain_terraces(&s->ground, maker_between(m, 1, 3));
    terrain_hills(&s->ground, 0.06, 3, s->salt + 2); /* unevenness */
}

static void raise_plateaus(struct site *s)
{
    double u[4];
    maker_roll(&s->make, u, 4);
    struct terrain_plateau plateau = {.wave = 25 + 75 * u[0],
                                      .bank = 0.7 + 5 * u[1] * u[1],
                                      .rise = 1.5 + 8 * u[2] * u[2],
                                      .bar = 0.5 + 0.2 * u[3]};
    terrain_plateaus(&s->ground, &plateau, s->salt + 3);
}

static struct terrain_strip draw_strip(struct site *s, double half, double bank)
{
    double u[3], sine, cosine;
    maker_roll(&s->make, u, 3);
    angle_sincos(2 * ANGLE_PI * u[0], &sine, &cosine);
    return (struct terrain_strip){vec3((u[1] - 0.5) * s->half, (u[2] - 0.5) * s->half, 0),
                                  vec3(cosine, sine, 0), half, bank, 0};
}

/* The lowest land beside a river. */
static double lowest_bank(const struct site *s, const struct terrain_strip *river)
{
    double low = terrain_height(&s->ground, river->at.x, river->at.y);
    double side = river->half + river->bank + river->bend;
    for (double along = -2 * s->reach; along <= 2 * s->reach; along += 4)
        for (int i = -1; i <= 1; i += 2) {
            struct vec3 p = vec3_along(river->at, river->way, along);
            p = vec3_along(p, vec3(river->way.y, -river->way.x, 0), i * side);
            bool here = p.x > -s->reach && p.x < s->reach && p.y > -s->reach && p.y < s->reach;
            double z = here ? terrain_height(&s->ground, p.x, p.y) : low;
            low = z < low ? z : low;
        }
    return low;
}

static void cross_river(struct site *s, const struct terrain_strip *river, double water,
                        double wide)
{
    double reach = river->half + river->bank;
    struct frame3 at = {vec3(river->way.y, -river->way.x, 0), river->way, vec3(0, 0, 1), river->at};
    double high = water + 1.5;
    for (int i = -1; i <= 1; i += 2) { /* as high as the higher bank */
        struct vec3 end = vec3_along(river->at, at.x, i * (reach + 2));
        double z = terrain_height(&s->ground, end.x, end.y);
        high = z + 0.3 > high ? z + 0.3 : high;
    }
    at.o.z = high;
    for (int i = -1; i <= 1; i += 2) { /* the road comes on a dam as high as the deck */
        struct frame3 dam = at;
        dam.o = vec3_along(at.o, at.x, i * (reach + 14));
        terrain_level(&s->ground, &dam, 10, wide / 2 + 1, 5);
    }
    streets_bridge(s, &at, 2 * reach + 8, wide);
    site_take(s, &at, reach + 24, wide / 2 + 1);
}

/* A river with bridges. The roads of some come on dams, which it breaks through. */
static void dig_water(struct site *s)
{
    struct maker *m = &s->make;
    double broadest = 0.4 * s->half, wide[3];
    bool broad = s->kind == SITE_RIVER || broadest < 18 || maker_chance(m, 0.2);
    double half = maker_between(m, 3, broad ? broadest : 18), bank = maker_between(m, 2, 8);
    struct terrain_strip river = draw_strip(s, half, bank), at[3];
    river.bend = maker_between(m, 0, 6);
    double water = lowest_bank(s, &river) - maker_between(m, 0.7, 4);
    int bridges = s->kind == SITE_RIVER ? maker_count(m, 1, 3) : maker_chance(m, 0.75);
    for (int i = 0; i < bridges; i++) {
        double along = 60 * (i + maker_between(m, 0.2, 0.8) - 0.5 * bridges);
        at[i] = river;
        at[i].at = vec3_along(river.at, river.way, along);
        wide[i] = maker_between(m, 4, 14);
        double slope = maker_between(m, 2, 8), rise = maker_between(m, 1.5, 6);
        struct terrain_strip dam = {at[i].at, vec3(river.way.y, -river.way.x, 0), wide[i] / 2 + 1,
                                    slope, 0};
        if (maker_chance(m, 0.5))
            terrain_carve(&s->ground, &dam, -rise);
    }
    terrain_river(&s->ground, &river, water - 0.8, water);
    for (int i = 0; i < bridges; i++)
        cross_river(s, &at[i], water, wide[i]);
}

/* Cliffs, beaches and islands in front of land that is high above the water, or hardly; of rugged
 * land, rocks that stand in the sea. */
static void flood_coast(struct site *s)
{
    struct maker *m = &s->make;
    if (maker_chance(m, 0.6)) {
        double height = maker_between(m, 3, 22), wave = maker_between(m, 12, 50);
        terrain_hills(&s->ground, height, wave, s->salt + 10);
        terrain_hills(&s->ground, 0.2 * height, 0.25 * wave, s->salt + 11);
    }
    struct terrain_strip line = draw_strip(s, 1, 1);
    double u[6];
    maker_roll(m, u, 6);
    struct terrain_shore shore = {.at = line.at,
                                  .way = line.way,
                                  .wave = 40 + 110 * u[0],
                                  .bend = 5 + 80 * u[1],
                                  .rise = 0.5 + 25 * u[2] * u[2],
                                  .depth = 1 + 3 * u[3],
                                  .cliff = 0.7 + 6 * u[4] * u[4],
                                  .beach = 2 + 25 * u[5]};
    terrain_coast(&s->ground, &shore, s->salt + 4);
}

static void dig_ditches(struct site *s)
{
    struct maker *m = &s->make;
    int n = maker_count(m, 0, 4);
    for (int i = 0; i < n; i++) {
        double half = maker_between(m, 0.3, 1.5), bank = maker_between(m, 0.8, 3);
        struct terrain_strip strip = draw_strip(s, half, bank);
        double depth = maker_between(m, 0.5, 1.8);
        bool dike = maker_chance(m, 0.25);
        terrain_carve(&s->ground, &strip, dike ? -1.5 * depth : depth);
    }
}

/* --- what stands on blocks --- */

/* Builds one building at x, y of a block, if there is a free place for it. Houses of a row touch
 * their neighbours. */
static bool build_at(struct site *s, const struct block *b, struct vec3 at, bool turned,
                     struct vec3 size, void (*make)(struct site *s, struct vec3 size))
{
    struct vec3 p = frame3_apply(&b->at, at);
    struct frame3 quarter = {b->at.y, vec3_scale(b->at.x, -1), b->at.z, p};
    struct frame3 f = turned ? quarter : b->at;
    f.o = vec3(p.x, p.y, terrain_height(&s->ground, p.x, p.y));
    bool row = make == buildings_terrace_house;
    if (!site_fits(s, &f, size.x / 2 - (row ? 1.6 : 0), size.y / 2))
        return false;
    double fall = f.o.z - site_lowest(s, &f, size.x / 2, size.y / 2);
    bool level = maker_chance(&s->make, 0.7);
    if (level || fall > 2.5) /* nobody builds across more without a terrace */
        terrain_level(&s->ground, &f, size.x / 2 + 1, size.y / 2 + 1, 3);
    f.o.z = (site_lowest(s, &f, size.x / 2, size.y / 2) + f.o.z) / 2;
    struct frame3 old = site_enter(s, &f);
    make(s, size);
    s->make.frame = old;
    site_take(s, &f, size.x / 2 + (row ? 0 : 0.5), size.y / 2 + 0.5);
    return true;
}

static double draw_storeys(struct maker *m, int low, int high)
{
    int storeys = maker_count(m, low, high);
    double each = maker_between(m, 2.6, 3.1), more = maker_between(m, 0, 0.8);
    return storeys * each + more;
}

static void trees_of_garden(struct site *s, const struct block *b, struct vec3 middle, double hx,
                            double hy)
{
    int n = (int)(s->style.green * maker_between(&s->make, 0, 11));
    for (int i = 0; i < n; i++) {
        double u[3];
        maker_roll(&s->make, u, 3);
        struct vec3 local = vec3(middle.x + (2 * u[0] - 1) * hx, middle.y + (2 * u[1] - 1) * hy, 0);
        struct vec3 p = frame3_apply(&b->at, local);
        struct frame3 at = site_frame(s, p.x, p.y, 0);
        if (site_fits(s, &at, 0.5, 0.5))
            plants_tree(s, p.x, p.y, 3 + 13 * u[2] * u[2]);
    }
}

static bool is_dry(const struct site *s, struct vec3 p)
{
    return terrain_depth(&s->ground, p.x, p.y) < -0.2;
}

static void border(struct site *s, const struct block *b, struct vec3 from, struct vec3 to)
{
    double kind = maker_between(&s->make, 0, 1), high = maker_between(&s->make, 0.8, 2.2);
    struct vec3 a = frame3_apply(&b->at, from), c = frame3_apply(&b->at, to);
    if (!is_dry(s, a) || !is_dry(s, c))
        return;
    if (kind < 0.4)
        plants_hedge(s, a, c, maker_between(&s->make, 0.5, 1.4), high);
    else if (kind < 0.6)
        streets_wall(s, a, c, high, kind < 0.5);
}

/* One plot with a house that faces the street at side * hy. */
static void fill_plot(struct site *s, const struct block *b, double x, double wide, double side)
{
    struct maker *m = &s->make;
    double u[5];
    maker_roll(m, u, 5);
    double deep = b->hy, front = 3 + 5 * u[0];
    struct vec3 size = vec3(7.5 + 7 * u[1], 7 + 4 * u[2], 0);
    size.x = size.x > wide - 3 ? wide - 3 : size.x;
    size.z = draw_storeys(m, 1, u[3] < 0.2 ? 3 : 2);
    double y = side * (b->hy - front - size.y / 2);
    bool turned = u[4] < 0.3;
    build_at(s, b, vec3(x, y, 0), turned, size, buildings_house);
    double back = side * (b->hy - front - size.y - 2);
    if (maker_chance(m, 0.5)) {
        double v[4];
        maker_roll(m, v, 4);
        struct vec3 shed = vec3(2 + 4 * v[0], 2 + 3 * v[1], 2 + 0.7 * v[2]);
        build_at(s, b, vec3(x + (v[3] - 0.5) * (wide - 6), back * 0.4, 0), false, shed,
                 buildings_shed);
    }
    border(s, b, vec3(x + wide / 2, side * (b->hy - 1), 0), vec3(x + wide / 2, side, 0));
    if (maker_chance(m, 0.6))
        border(s, b, vec3(x - wide / 2 + 3, side * (b->hy - 0.6), 0),
               vec3(x + wide / 2, side * (b->hy - 0.6), 0));
    trees_of_garden(s, b, vec3(x, side * deep / 2, 0), wide / 2, deep / 2);
    if (maker_chance(m, 0.5)) {
        struct vec3 p = frame3_apply(&b->at, vec3(x - wide / 2 + 1.6, side * (b->hy - 4), 0));
        struct frame3 at = {b->at.y, vec3_scale(b->at.x, -1), b->at.z, p};
        at.o.z = terrain_height(&s->ground, p.x, p.y);
        if (site_fits(s, &at, 2.2, 0.9))
            streets_car(s, &at);
    }
}

static void fill_suburb(struct site *s, const struct block *b)
{
    for (int side = -1; side <= 1; side += 2)
        for (double x = -b->hx; x < b->hx - 8;) {
            double wide = maker_between(&s->make, 12, 26);
            fill_plot(s, b, x + wide / 2, wide, side);
            x += wide;
        }
}

/* Houses wall to wall along a block's long sides, yards in the middle. */
static void fill_town(struct site *s, const struct block *b)
{
    struct maker *m = &s->make;
    bool court = maker_chance(m, 0.25);
    if (court) {
        double high = draw_storeys(m, 2, 6);
        if (build_at(s, b, vec3(0, 0, 0), false, vec3(2 * b->hx - 4, 2 * b->hy - 4, high),
                     buildings_courtyard))
            return;
    }
    double common = draw_storeys(m, 2, 5);
    for (int side = -1; side <= 1; side += 2)
        for (double x = -b->hx; x < b->hx - 5;) {
            double wide = maker_between(m, 5, 12), deep = maker_between(m, 8, 13);
            double high = maker_chance(m, 0.6) ? common : draw_storeys(m, 2, 5);
            struct block turned = *b;
            if (side > 0) { /* their back is +y */
                turned.at.x = vec3_scale(b->at.x, -1);
                turned.at.y = vec3_scale(b->at.y, -1);
            }
            double along = side > 0 ? -(x + wide / 2) : x + wide / 2;
            if (!maker_chance(m, 0.06))
                build_at(s, &turned, vec3(along, -(b->hy - deep / 2 - 1), 0), false,
                         vec3(wide, deep, high), buildings_terrace_house);
            x += wide;
        }
    for (int i = 0; i < 4; i++) {
        double u[4];
        maker_roll(m, u, 4);
        build_at(s, b, vec3((u[0] - 0.5) * b->hx * 1.6, (u[1] - 0.5) * 8, 0), false,
                 vec3(3 + 6 * u[2], 3 + 4 * u[3], 2.8), buildings_shed);
    }
    trees_of_garden(s, b, vec3(0, 0, 0), b->hx, b->hy / 2);
}

/* A few large buildings with lawns, trees and cars between them. */
static void fill_large(struct site *s, const struct block *b, bool halls)
{
    struct maker *m = &s->make;
    int n = maker_count(m, 2, 5);
    for (int i = 0; i < n; i++) {
        double u[5];
        maker_roll(m, u, 5);
        struct vec3 size = halls ? vec3(20 + 60 * u[0], 15 + 35 * u[1], 4.5 + 9 * u[2])
                                 : vec3(15 + 50 * u[0] * u[0], 12 + 14 * u[1], 0);
        if (!halls)
            size.z = draw_storeys(m, 3, u[2] < 0.7 ? 7 : 20);
        double free_x = 2 * b->hx - size.x - 4, free_y = 2 * b->hy - size.y - 4;
        if (free_x < 0 || free_y < 0)
            continue;
        build_at(s, b, vec3(free_x * (u[3] - 0.5), free_y * (u[4] - 0.5), 0), false, size,
                 halls ? buildings_hall : buildings_tower);
    }
    int things = (int)(b->hx * b->hy / 60);
    for (int i = 0; i < things; i++) {
        double u[3];
        maker_roll(m, u, 3);
        struct vec3 p =
            frame3_apply(&b->at, vec3((2 * u[0] - 1) * b->hx, (2 * u[1] - 1) * b->hy, 0));
        struct frame3 at = site_frame(s, p.x, p.y, s->style.yaw);
        bool clutter = u[2] < (halls ? 0.2 : 0.02), tank = !clutter && halls && u[2] < 0.25;
        double hx = tank ? 9 : clutter ? 6.2 : 2.5, hy = tank ? 9 : clutter ? 6 : 1.5;
        if (!site_fits(s, &at, hx, hy))
            continue;
        if (clutter)
            streets_clutter(s, p.x, p.y, s->style.yaw);
        else if (tank)
            streets_tank(s, p.x, p.y);
        else if (u[2] < (halls ? 0.7 : 0.4))
            streets_car(s, &at);
        else
            plants_tree(s, p.x, p.y, 4 + 14 * u[2] * u[0]);
        site_take(s, &at, hx + 0.5, hy + 0.5);
    }
}

static void fill_park(struct site *s, const struct block *b)
{
    int n = (int)(b->hx * b->hy * s->style.green / 25);
    for (int i = 0; i < n; i++) {
        double u[3];
        maker_roll(&s->make, u, 3);
        struct vec3 p =
            frame3_apply(&b->at, vec3((2 * u[0] - 1) * b->hx, (2 * u[1] - 1) * b->hy, 0));
        struct frame3 at = site_frame(s, p.x, p.y, 0);
        if (site_fits(s, &at, 0.5, 0.5))
            plants_tree(s, p.x, p.y, 5 + 17 * u[2]);
    }
}

static void fill_farm(struct site *s, const struct block *b)
{
    struct maker *m = &s->make;
    double u[6];
    maker_roll(m, u, 6);
    if (u[0] < 0.35) {
        struct vec3 house = vec3(10 + 6 * u[1], 8 + 3 * u[2], 3 + 3 * u[3]);
        build_at(s, b, vec3(0, 0, 0), false, house, buildings_house);
        int barns = maker_count(m, 1, 4);
        for (int i = 0; i < barns; i++) {
            double v[5];
            maker_roll(m, v, 5);
            build_at(s, b, vec3((v[0] - 0.5) * 70, (v[1] - 0.5) * 60, 0), v[4] < 0.5,
                     vec3(12 + 25 * v[2], 8 + 12 * v[3], 3.5 + 3 * v[4]), buildings_barn);
        }
        struct frame3 tank = site_frame(s, b->at.o.x + 20, b->at.o.y - 18, 0);
        if (site_fits(s, &tank, 9, 9)) {
            streets_tank(s, tank.o.x, tank.o.y);
            site_take(s, &tank, 9, 9);
        }
        trees_of_garden(s, b, vec3(0, 0, 0), 25, 25);
    } else if (u[0] < 0.45) {
        build_at(s, b, vec3(0, 0, 0), false, vec3(20 + 30 * u[1], 15 + 30 * u[2], 3 + 2 * u[3]),
                 buildings_greenhouse);
    }
    if (u[4] < 0.6)
        border(s, b, vec3(-b->hx, -b->hy, 0), vec3(b->hx, -b->hy, 0));
    if (u[5] < 0.4)
        border(s, b, vec3(-b->hx, -b->hy, 0), vec3(-b->hx, b->hy, 0));
}

static void fill_block(struct site *s, const struct block *b)
{
    struct maker *m = &s->make;
    double at = maker_between(m, 0, 1);
    switch (s->kind) {
    case SITE_SUBURB:
    case SITE_TOWN:
        if (at < 0.06 && build_at(s, b, vec3(0, 0, 0), false, vec3(26, 11, 9), buildings_church))
            trees_of_garden(s, b, vec3(0, 0, 0), b->hx, b->hy);
        else if (at < 0.12)
            fill_park(s, b);
        else if (at < 0.22)
            fill_large(s, b, maker_chance(m, 0.3));
        else if (s->kind == SITE_TOWN ? at < 0.85 : at < 0.35)
            fill_town(s, b);
        else
            fill_suburb(s, b);
        break;
    case SITE_TOWERS:
        if (at < 0.1)
            fill_park(s, b);
        else if (at < 0.2)
            fill_town(s, b);
        else
            fill_large(s, b, at > 0.9);
        break;
    case SITE_INDUSTRY:
        fill_large(s, b, at < 0.8);
        break;
    default:
        fill_farm(s, b);
    }
}

/* --- streets --- */

static void furnish_street(struct site *s, const struct frame3 *at, double half, double wide)
{
    struct maker *m = &s->make;
    bool trees = maker_chance(m, 0.4 * s->style.green), lamps = maker_chance(m, 0.8);
    double step = maker_between(m, 7, 14), cars = maker_between(m, 0, 0.6);
    for (double x = -half; x < half; x += step) {
        double u[4];
        maker_roll(m, u, 4);
        double side = u[0] < 0.5 ? -1 : 1;
        struct vec3 p = frame3_apply(at, vec3(x, side * (wide / 2 - 1.1), 0));
        struct frame3 f = *at;
        f.o = vec3(p.x, p.y, terrain_height(&s->ground, p.x, p.y));
        if (terrain_depth(&s->ground, p.x, p.y) > -0.3)
            continue;
        if (u[1] < cars)
            streets_car(s, &f);
        struct vec3 edge = frame3_apply(at, vec3(x + 3, side * (wide / 2 + 0.6), 0));
        if (trees && u[2] < 0.8)
            plants_tree(s, edge.x, edge.y, 5 + 9 * u[3]);
        else if (lamps && u[2] > 0.8)
            streets_lamp(s, edge.x, edge.y, s->style.yaw);
    }
}

/* A street along x of the frame; built-over ground is kept free of it. */
static void lay_street(struct site *s, const struct frame3 *at, double half, double wide)
{
    site_take(s, at, half, wide / 2);
    if (s->kind < SITE_FARMLAND)
        furnish_street(s, at, half, wide);
}

static void lay_streets(struct site *s)
{
    struct maker *m = &s->make;
    bool rural = s->kind >= SITE_FARMLAND, large = s->kind >= SITE_TOWERS;
    double wide = rural ? 4 : maker_between(m, 6, 14), edge = s->reach * 1.45;
    double block_x = large ? maker_between(m, 90, 140) : maker_between(m, 60, 120);
    double block_y = large ? maker_between(m, 70, 110) : maker_between(m, 42, 70);
    double shift_x = maker_between(m, 0, 1), shift_y = maker_between(m, 0, 1);
    struct frame3 grid = frame3_at(vec3(0, 0, 0), s->style.yaw, 0, 0);
    struct frame3 across = frame3_at(vec3(0, 0, 0), s->style.yaw + ANGLE_PI / 2, 0, 0);
    int nx = (int)(edge / block_x) + 1, ny = (int)(edge / block_y) + 1;
    for (int i = -nx; i <= nx; i++) {
        across.o = frame3_apply(&grid, vec3((i + shift_x) * block_x, 0, 0));
        lay_street(s, &across, edge, wide);
    }
    for (int j = -ny; j <= ny; j++) {
        struct frame3 street = grid;
        street.o = frame3_apply(&grid, vec3(0, (j + shift_y) * block_y, 0));
        lay_street(s, &street, edge, wide);
    }
    for (int j = -ny; j < ny; j++)
        for (int i = -nx; i < nx; i++) {
            struct block b = {grid, (block_x - wide) / 2 - 1, (block_y - wide) / 2 - 1};
            b.at.o = frame3_apply(
                &grid, vec3((i + shift_x + 0.5) * block_x, (j + shift_y + 0.5) * block_y, 0));
            double far = b.hx + b.hy;
            if (b.at.o.x < s->reach + far && b.at.o.x > -s->reach - far &&
                b.at.o.y < s->reach + far && b.at.o.y > -s->reach - far)
                fill_block(s, &b);
        }
}

/* --- what is left --- */

static void lay_lines(struct site *s)
{
    struct maker *m = &s->make;
    if (!maker_chance(m, s->kind == SITE_TOWN ? 0.15 : 0.5))
        return;
    struct terrain_strip way = draw_strip(s, 1, 1);
    double high = maker_chance(m, 0.3) ? maker_between(m, 20, 40) : maker_between(m, 7, 11);
    struct vec3 a = vec3_along(way.at, way.way, -1.5 * s->reach);
    struct vec3 b = vec3_along(way.at, way.way, 1.5 * s->reach);
    streets_power_line(s, a, b, high);
}

static void plant(struct site *s)
{
    struct maker *m = &s->make;
    static const double share[SITE_KINDS] = {0.28, 0.26, 0.24, 0.2, 0.34, 0.6, 0.15, 0.3};
    double spacing = maker_between(m, 4, 8), high = maker_between(m, 8, 26);
    if (s->kind == SITE_FOREST || maker_chance(m, 0.8))
        plants_wood(s, share[s->kind] * s->style.green, spacing, high);
    plants_scrub(s, maker_between(m, 10, s->kind == SITE_FOREST ? 200 : 100));
    /* Neither scene may be empty: a tree has a trunk and a crown. */
    double x = maker_between(m, -s->half, s->half), y = maker_between(m, -s->half, s->half);
    plants_tree(s, x, y, high / 2);
}

int layout_build(struct site *s)
{
    struct maker *m = &s->make;
    shape_ground(s);
    if (maker_chance(m, s->kind >= SITE_FARMLAND ? 0.4 : 0.1))
        raise_plateaus(s);
    if (s->kind == SITE_COAST)
        flood_coast(s);
    else if (s->kind == SITE_RIVER || maker_chance(m, s->kind == SITE_TOWN ? 0.2 : 0.4))
        dig_water(s);
    if (s->kind == SITE_FARMLAND || s->kind == SITE_FOREST ||
        (s->kind != SITE_COAST && maker_chance(m, 0.3)))
        dig_ditches(s);
    s->rough = maker_between(m, 0, s->kind >= SITE_FARMLAND ? 0.35 : 0.15);
    lay_streets(s);
    plant(s);
    lay_lines(s);
    terrain_finish(&s->ground);
    TRY(scene_finish(&s->hard));
    return scene_finish(&s->crowns);
}
