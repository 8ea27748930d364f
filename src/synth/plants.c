/* Trees, bushes, hedges: see plants.h. */
#include "synth/plants.h"

#include "core/angle.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/paint.h"
#include "synth/site.h"
#include "synth/terrain.h"

static double ground_at(const struct site *s, double x, double y)
{
    return terrain_height(&s->ground, x, y);
}

static void trunk(struct site *s, struct vec3 foot, double height, double radius)
{
    site_begin(&s->make, SITE_VEGETATION, 0.2, 0.4, 1);
    maker_cone(&s->make, foot, radius, radius * 0.5, height);
}

/* Several overlapping balls around the middle of a crown. */
static void round_crown(struct site *s, struct vec3 foot, double height, double width, int lobes)
{
    struct maker *m = &s->leaves;
    double base = height * maker_between(m, 0.15, 0.4), deep = height - base;
    maker_ball(m, vec3(foot.x, foot.y, foot.z + base + deep / 2), vec3(width, width, deep));
    for (int i = 0; i < lobes; i++) {
        double u[4];
        maker_roll(m, u, 4);
        double sine, cosine, part = 0.4 + 0.3 * u[3];
        angle_sincos(2 * ANGLE_PI * u[0], &sine, &cosine);
        double out = width * 0.32 * (0.4 + 0.6 * u[1]);
        double z = foot.z + base + deep * (0.35 + 0.35 * u[2]);
        maker_ball(m, vec3(foot.x + out * cosine, foot.y + out * sine, z),
                   vec3(width * part, width * part, deep * part));
    }
}

static void conifer(struct site *s, struct vec3 foot, double height)
{
    struct maker *m = &s->leaves;
    double width = height * maker_between(m, 0.13, 0.24), base = maker_between(m, 0.03, 0.35);
    maker_cone(m, vec3(foot.x, foot.y, foot.z + height * base), width, 0.1, height * (1 - base));
}

/* A crown on top of a bare stem: pines, palms. */
static void umbrella(struct site *s, struct vec3 foot, double height)
{
    double u[2];
    maker_roll(&s->leaves, u, 2);
    double wide = height * (0.35 + 0.35 * u[0]), deep = height * (0.2 + 0.15 * u[1]);
    maker_ball(&s->leaves, vec3(foot.x, foot.y, foot.z + height - deep / 2),
               vec3(wide, wide, deep));
}

void plants_tree(struct site *s, double x, double y, double height)
{
    struct maker *m = &s->make;
    struct vec3 foot = vec3(x, y, ground_at(s, x, y));
    double kind = maker_between(m, 0, 1), thick = height * maker_between(m, 0.01, 0.022);
    double leaves = s->style.leaves * maker_between(m, 0.5, 1.4);
    bool evergreen = maker_chance(m, s->style.conifers);
    trunk(s, foot, height * 0.7, thick);
    site_begin(&s->leaves, SITE_VEGETATION, 0.2, 0.5, evergreen ? maker_between(m, 1, 3) : leaves);
    if (evergreen && kind < 0.8) {
        conifer(s, foot, height);
    } else if (evergreen) {
        umbrella(s, foot, height);
    } else if (kind < 0.1) { /* poplar */
        double wide = height * maker_between(m, 0.12, 0.22);
        maker_ball(&s->leaves, vec3(x, y, foot.z + height * 0.55), vec3(wide, wide, height * 0.9));
    } else {
        double wide = height * maker_between(m, 0.4, 0.85);
        round_crown(s, foot, height, wide, maker_count(m, 1, 5));
    }
}

void plants_bush(struct site *s, double x, double y, double height)
{
    double z = ground_at(s, x, y), u[2];
    maker_roll(&s->leaves, u, 2);
    double wide = height * (0.8 + 1.2 * u[0]);
    site_begin(&s->leaves, SITE_VEGETATION, 0.2, 0.5, 0.5 + s->style.leaves * (1 + u[1]));
    maker_ball(&s->leaves, vec3(x, y, z + height * 0.4), vec3(wide, wide, height * 1.2));
}

void plants_hedge(struct site *s, struct vec3 a, struct vec3 b, double width, double height)
{
    struct vec3 way = vec3_sub(b, a);
    double length = vec3_length(vec3(way.x, way.y, 0));
    int pieces = 1 + (int)(length / 4);
    bool clipped = maker_chance(&s->make, 0.7);
    struct vec3 along = vec3_scale(vec3(way.x, way.y, 0), 1 / (length > 1e-6 ? length : 1));
    struct frame3 at = {along, vec3(-along.y, along.x, 0), vec3(0, 0, 1), a};
    site_begin(&s->leaves, SITE_VEGETATION, 0.2, 0.5, 2 + s->style.leaves);
    for (int i = 0; i < pieces; i++) {
        struct vec3 p = vec3_along(a, way, (i + 0.5) / pieces);
        at.o = vec3(p.x, p.y, ground_at(s, p.x, p.y));
        double high = height * maker_between(&s->make, clipped ? 0.96 : 0.6, clipped ? 1 : 1.3);
        struct frame3 old = s->leaves.frame;
        s->leaves.frame = at;
        struct vec3 size = vec3(length / pieces + 0.2, width, high + 0.4);
        if (clipped)
            maker_box(&s->leaves, vec3(0, 0, high / 2 - 0.2), size);
        else
            maker_ball(&s->leaves, vec3(0, 0, high / 2 - 0.2),
                       vec3(size.x * 1.4, size.y * 1.3, size.z));
        s->leaves.frame = old;
    }
}

static bool free_spot(const struct site *s, double x, double y, double half)
{
    struct frame3 at = site_frame(s, x, y, 0);
    return site_fits(s, &at, half, half);
}

void plants_wood(struct site *s, double share, double spacing, double height)
{
    int n = (int)(2 * s->reach / spacing);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double u[3];
            maker_roll(&s->make, u, 3);
            double x = (i + u[0]) * spacing - s->reach, y = (j + u[1]) * spacing - s->reach;
            double zone = paint_noise(vec3(x / 45, y / 45, 3.5), s->salt);
            if (zone > share || !free_spot(s, x, y, 0.6))
                continue;
            plants_tree(s, x, y, height * (0.45 + 0.75 * u[2]));
        }
}

void plants_scrub(struct site *s, double per_hectare)
{
    int n = (int)(4 * s->reach * s->reach / 10000 * per_hectare);
    for (int i = 0; i < n; i++) {
        double u[4];
        maker_roll(&s->make, u, 4);
        double x = (2 * u[0] - 1) * s->reach, y = (2 * u[1] - 1) * s->reach;
        if (free_spot(s, x, y, 0.5))
            plants_bush(s, x, y, 0.3 + 2.7 * u[2] * u[2]);
    }
}
