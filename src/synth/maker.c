/* Parts, chance and looks for the catalogue: see maker.h. */
#include "synth/maker.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/scene.h"
#include "synth/solid.h"

void maker_begin(struct maker *m, int label)
{
    m->label = (uint8_t)label;
    m->instance = ++m->instances;
}

static void add(struct maker *m, int shape, const struct frame3 *at, struct vec3 size, double round)
{
    struct solid s = {.frame = frame3_then(&m->frame, at),
                      .size = size,
                      .round = round,
                      .shape = (uint8_t)shape,
                      .label = m->label,
                      .instance = m->instance,
                      .paint = m->paint};
    scene_add(m->scene, &s);
}

static struct frame3 standing(struct vec3 at)
{
    struct frame3 f = frame3_identity();
    f.o = at;
    return f;
}

void maker_box(struct maker *m, struct vec3 centre, struct vec3 size)
{
    struct frame3 f = standing(centre);
    add(m, SOLID_BOX, &f, vec3_scale(size, 0.5), 0);
}

void maker_round(struct maker *m, struct vec3 centre, struct vec3 size, double round)
{
    struct vec3 half = vec3_scale(size, 0.5);
    double least = half.x < half.y ? half.x : half.y;
    least = half.z < least ? half.z : least;
    struct frame3 f = standing(centre);
    add(m, SOLID_ROUND, &f, half, round < least * 0.98 ? round : least * 0.98);
}

void maker_cone(struct maker *m, struct vec3 base, double r0, double r1, double height)
{
    struct frame3 f = standing(vec3(base.x, base.y, base.z + height / 2));
    add(m, SOLID_CONE, &f, vec3(r0, r1, height / 2), 0);
}

void maker_cylinder(struct maker *m, struct vec3 base, double r, double height)
{
    maker_cone(m, base, r, r, height);
}

void maker_ball(struct maker *m, struct vec3 centre, struct vec3 size)
{
    struct frame3 f = standing(centre);
    add(m, SOLID_ELLIPSOID, &f, vec3_scale(size, 0.5), 0);
}

void maker_ring(struct maker *m, struct vec3 centre, double ring, double tube)
{
    struct frame3 f = standing(centre);
    add(m, SOLID_TORUS, &f, vec3(ring, ring, tube), 0);
}

void maker_bar(struct maker *m, struct vec3 a, struct vec3 b, double r)
{
    struct vec3 way = vec3_sub(b, a);
    double length = vec3_length(way);
    if (length < 1e-6)
        return;
    struct frame3 f;
    f.z = vec3_scale(way, 1 / length);
    bool upright = f.z.x * f.z.x + f.z.y * f.z.y < 0.01;
    f.x = vec3_unit(vec3_cross(upright ? vec3(0, 1, 0) : vec3(0, 0, 1), f.z));
    f.y = vec3_cross(f.z, f.x);
    f.o = vec3_along(a, way, 0.5);
    add(m, SOLID_CONE, &f, vec3(r, r, length / 2), 0);
}

void maker_roof(struct maker *m, struct vec3 base, struct vec3 size, const double slope[ROOF_SIDES])
{
    struct frame3 at = standing(vec3(base.x, base.y, base.z + size.z / 2));
    struct solid s = {.frame = frame3_then(&m->frame, &at),
                      .size = vec3_scale(size, 0.5),
                      .shape = SOLID_ROOF,
                      .label = m->label,
                      .instance = m->instance,
                      .paint = m->paint};
    for (int i = 0; i < ROOF_SIDES; i++)
        s.slope[i] = slope[i];
    scene_add(m->scene, &s);
}

struct frame3 maker_enter(struct maker *m, struct vec3 at, double yaw, double pitch, double roll)
{
    struct frame3 old = m->frame, inner = frame3_at(at, yaw, pitch, roll);
    m->frame = frame3_then(&old, &inner);
    return old;
}

double maker_between(struct maker *m, double low, double high)
{
    return low + (high - low) * random_uniform(m->random);
}

bool maker_chance(struct maker *m, double share)
{
    return random_uniform(m->random) < share;
}

int maker_count(struct maker *m, int low, int high)
{
    return low + (int)random_below(m->random, (uint32_t)(high - low + 1));
}

void maker_roll(struct maker *m, double *u, int n)
{
    for (int i = 0; i < n; i++)
        u[i] = random_uniform(m->random);
}

/* Ranges of colour per look: a grey level, tinted, or a free choice of hue. They overlap on
 * purpose: a wall, a table and a door may share a colour, as they do in buildings. */
static const struct {
    struct vec3 low, high; /* of the first colour */
    double tint;           /* free change of each channel */
    double second;         /* second colour = first * second */
    double scale, noise, opacity;
    uint8_t pattern;
} looks[LOOKS] = {
    [LOOK_WHITE] = {{.72, .72, .70}, {.95, .95, .94}, .02, .93, .8, .012, 1, PAINT_BLOTCH},
    [LOOK_GREY] = {{.38, .38, .39}, {.72, .73, .74}, .03, .9, .6, .015, 1, PAINT_BLOTCH},
    [LOOK_DARK] = {{.08, .08, .09}, {.30, .30, .31}, .03, 1.25, .3, .02, .92, PAINT_BLOTCH},
    [LOOK_WOOD] = {{.60, .45, .30}, {.82, .68, .50}, .03, .78, 1, .015, 1, PAINT_GRAIN},
    [LOOK_WOOD_DARK] = {{.28, .18, .11}, {.52, .36, .24}, .02, .7, 1, .015, 1, PAINT_GRAIN},
    [LOOK_CREAM] = {{.70, .64, .52}, {.92, .88, .78}, .02, .94, .9, .012, 1, PAINT_BLOTCH},
    [LOOK_VIVID] = {{.15, .15, .15}, {.45, .45, .45}, .45, .9, .3, .02, 1, PAINT_BLOTCH},
    [LOOK_METAL] = {{.45, .46, .47}, {.78, .79, .80}, .02, .8, .15, .03, .95, PAINT_BLOTCH},
    [LOOK_CARDBOARD] = {{.55, .42, .28}, {.74, .60, .44}, .02, .92, .2, .02, 1, PAINT_BLOTCH},
    [LOOK_GREEN] = {{.12, .25, .08}, {.35, .55, .22}, .04, .6, .04, .05, .9, PAINT_BLOTCH},
    [LOOK_PAPER] = {{.82, .82, .80}, {.97, .97, .96}, .02, .75, .02, .02, 1, PAINT_SPECKLE},
    [LOOK_PRINT] = {{.20, .20, .20}, {.80, .80, .80}, .2, .5, .07, .02, 1, PAINT_PRINT},
    [LOOK_SCREEN] = {{.05, .05, .07}, {.25, .27, .32}, .05, 1.8, .05, .02, .75, PAINT_PRINT},
    [LOOK_BRICK] = {{.45, .25, .18}, {.66, .42, .32}, .03, 1.3, .075, .03, 1, PAINT_BRICKS},
    [LOOK_CONCRETE] = {{.45, .45, .43}, {.68, .67, .65}, .02, .85, .4, .03, 1, PAINT_BLOTCH},
    [LOOK_FABRIC] = {{.22, .22, .23}, {.60, .58, .56}, .08, .85, .012, .02, 1, PAINT_SPECKLE},
};

static double within(double x)
{
    return x < 0.05 ? 0.05 : x > 0.98 ? 0.98 : x;
}

struct vec3 maker_look_colour(struct maker *m, enum look look)
{
    double u[4];
    maker_roll(m, u, 4);
    struct vec3 a = looks[look].low, b = looks[look].high;
    double tint = looks[look].tint;
    double t = u[0];
    return vec3(within(a.x + (b.x - a.x) * t + tint * (2 * u[1] - 1)),
                within(a.y + (b.y - a.y) * t + tint * (2 * u[2] - 1)),
                within(a.z + (b.z - a.z) * t + tint * (2 * u[3] - 1)));
}

void maker_look(struct maker *m, enum look look)
{
    struct paint p = {.colour = maker_look_colour(m, look),
                      .scale = looks[look].scale,
                      .noise = looks[look].noise,
                      .opacity = looks[look].opacity,
                      .pattern = looks[look].pattern};
    p.second = vec3_scale(p.colour, looks[look].second);
    maker_paint(m, &p);
}

void maker_look_of(struct maker *m, const double chance[LOOKS])
{
    double sum = 0;
    for (int i = 0; i < LOOKS; i++)
        sum += chance[i];
    double at = maker_between(m, 0, sum);
    int look = 0;
    while (look < LOOKS - 1 && at >= chance[look])
        at -= chance[look++];
    maker_look(m, (enum look)look);
}

void maker_paint(struct maker *m, const struct paint *paint)
{
    m->paint = scene_paint(m->scene, paint);
}
