/* Roof planes and what stands on them: see roofs.h. */
#include "synth/roofs.h"

#include "core/angle.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/site.h"

enum roof_kind roofs_draw(struct site *s)
{
    double at = maker_between(&s->make, 0, 1);
    if (at < s->style.flat)
        return ROOF_FLAT;
    at = maker_between(&s->make, 0, 1);
    return at < 0.5    ? ROOF_GABLE
           : at < 0.74 ? ROOF_HIP
           : at < 0.82 ? ROOF_HALF_HIP
           : at < 0.87 ? ROOF_SALTBOX
           : at < 0.92 ? ROOF_LEAN
           : at < 0.97 ? ROOF_MANSARD
                       : ROOF_GAMBREL;
}

/* Planes on the four sides of a rectangle x, y (full sizes) at height z. Returns their height. */
static double planes(struct maker *m, struct vec3 base, double ends, double north, double south)
{
    const double slope[ROOF_SIDES] = {ends, ends, north, south};
    double top = 1e30;
    if (ends > 0)
        top = ends * base.x / 2;
    double across = north > 0 && south > 0 ? base.y / (1 / north + 1 / south)
                    : north > 0            ? north * base.y
                                           : 1e30;
    top = across < top ? across : top;
    maker_roof(m, vec3(0, 0, base.z), vec3(base.x, base.y, top), slope);
    return top;
}

/* Steep sides up to a curb, shallow planes from there. */
static void broken(struct maker *m, struct vec3 size, bool ends)
{
    double u[2];
    maker_roll(m, u, 2);
    double steep = 1.8 + 1.6 * u[0], high = 1.8 + 1.2 * u[1];
    double least = ends && size.x < size.y ? size.x : size.y;
    if (high > 0.7 * steep * least / 2)
        high = 0.7 * steep * least / 2;
    const double slope[ROOF_SIDES] = {ends ? steep : 0, ends ? steep : 0, steep, steep};
    maker_roof(m, vec3(0, 0, size.z), vec3(size.x, size.y, high), slope);
    double in = 2 * high / steep;
    struct vec3 rest = vec3(size.x - (ends ? in : 0), size.y - in, size.z + high);
    planes(m, rest, ends ? 0.4 : 0, 0.4, 0.4);
}

static void parapet(struct maker *m, struct vec3 size)
{
    double high = maker_between(m, 0.15, 1.2), thick = 0.3;
    double z = size.z + high / 2;
    for (int i = -1; i <= 1; i += 2) {
        maker_box(m, vec3(0, i * (size.y - thick) / 2, z), vec3(size.x, thick, high));
        maker_box(m, vec3(i * (size.x - thick) / 2, 0, z), vec3(thick, size.y, high));
    }
}

/* Stair heads, air handlers, fans, skylights, a mast. */
static void plant(struct maker *m, struct vec3 size)
{
    int n = (int)(size.x * size.y / maker_between(m, 40, 400));
    n = n > 40 ? 40 : n;
    for (int i = 0; i < n; i++) {
        double u[6];
        maker_roll(m, u, 6);
        struct vec3 part = vec3(0.8 + 3.5 * u[2] * u[2], 0.8 + 3.5 * u[3] * u[3], 0.3 + 2.2 * u[4]);
        part = u[5] < 0.15 ? vec3(3 + 2 * u[2], 3 + 3 * u[3], 2.4 + u[4]) : part;
        double free_x = size.x - part.x - 1.5, free_y = size.y - part.y - 1.5;
        if (free_x < 0 || free_y < 0)
            continue;
        struct vec3 at = vec3(free_x * (u[0] - 0.5), free_y * (u[1] - 0.5), size.z + part.z / 2);
        if (u[5] > 0.85)
            maker_cylinder(m, vec3(at.x, at.y, size.z), part.x / 3, part.z);
        else
            maker_box(m, at, part);
    }
    if (maker_chance(m, 0.15))
        maker_bar(m, vec3(size.x / 5, 0, size.z), vec3(size.x / 5, 0, size.z + 5), 0.12);
}

static void sawtooth(struct maker *m, struct vec3 size, double pitch)
{
    int n = 1 + (int)(size.x / 7);
    double step = size.x / n;
    const double slope[ROOF_SIDES] = {0, pitch, 0, 0};
    for (int i = 0; i < n; i++)
        maker_roof(m, vec3(step * (i + 0.5) - size.x / 2, 0, size.z),
                   vec3(step, size.y, step * pitch), slope);
}

void roofs_cover(struct site *s, struct vec3 size, enum roof_kind kind, double pitch)
{
    struct maker *m = &s->make;
    double eaves = maker_between(m, 0, 0.6);
    struct vec3 wide = vec3(size.x + 0.6 * eaves, size.y + 2 * eaves, size.z - eaves * pitch);
    struct vec3 all = vec3(size.x + 2 * eaves, wide.y, wide.z);
    switch (kind) {
    case ROOF_GABLE:
        planes(m, wide, 0, pitch, pitch);
        break;
    case ROOF_HIP:
        planes(m, all, pitch, pitch, pitch);
        break;
    case ROOF_HALF_HIP:
        planes(m, wide, pitch * 3, pitch, pitch);
        break;
    case ROOF_LEAN:
        planes(m, vec3(wide.x, wide.y, size.z), 0, pitch * 0.4, 0);
        break;
    case ROOF_SALTBOX:
        planes(m, wide, 0, pitch, pitch * 0.55);
        break;
    case ROOF_MANSARD:
    case ROOF_GAMBREL:
        broken(m, size, kind == ROOF_MANSARD);
        break;
    case ROOF_FLAT:
        if (maker_chance(m, 0.75))
            parapet(m, size);
        plant(m, size);
        break;
    case ROOF_SAWTOOTH:
        sawtooth(m, size, pitch);
        break;
    case ROOF_BARREL:
        maker_bar(m, vec3(-size.x / 2, 0, size.z), vec3(size.x / 2, 0, size.z), size.y / 2);
        break;
    default:
        break;
    }
}

/* A box with a small gable that looks out of the plane towards -y or +y. */
static void dormer(struct maker *m, struct vec3 size, double pitch, double x, double side)
{
    double u[3];
    maker_roll(m, u, 3);
    double wide = 1.2 + 1.6 * u[0], high = 1.2 + 0.9 * u[1];
    double out = size.y * (0.28 + 0.12 * u[2]);        /* of its front, from the ridge */
    double sill = size.z + pitch * (size.y / 2 - out); /* the plane's height there */
    double deep = high / pitch;
    if (deep > out)
        deep = out;
    maker_box(m, vec3(x, side * (out - deep / 2), sill + high / 2), vec3(wide, deep, high));
    struct frame3 old =
        maker_enter(m, vec3(x, side * (out - deep / 2), sill + high), ANGLE_PI / 2, 0, 0);
    if (u[1] < 0.6)
        planes(m, vec3(deep + 0.3, wide + 0.3, 0), 0, 0.6, 0.6);
    m->frame = old;
}

void roofs_details(struct site *s, struct vec3 size, enum roof_kind kind, double pitch)
{
    struct maker *m = &s->make;
    double ridge = size.z + (kind == ROOF_FLAT ? 0 : pitch * size.y / 2);
    int chimneys = maker_count(m, 0, 2);
    for (int i = 0; i < chimneys; i++) {
        double u[3];
        maker_roll(m, u, 3);
        double x = (u[0] - 0.5) * size.x * 0.8, y = (u[1] - 0.5) * size.y * 0.5;
        double top = ridge + 0.4 + 0.8 * u[2];
        maker_box(m, vec3(x, y, (top + size.z) / 2),
                  vec3(0.5 + 0.4 * u[1], 0.5 + u[0] * 0.5, top - size.z));
    }
    if (kind != ROOF_GABLE || pitch < 0.55 || maker_chance(m, 0.6))
        return;
    int dormers = maker_count(m, 1, 1 + (int)(size.x / 5));
    for (int i = 0; i < dormers; i++) {
        double side = maker_chance(m, 0.5) ? 1 : -1;
        dormer(m, size, pitch, size.x * ((i + 0.5) / dormers - 0.5), side);
    }
}
