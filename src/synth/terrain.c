/* Ground by height: see terrain.h. */
#include "synth/terrain.h"

#include "core/error.h"
#include "core/frame3.h"
#include "core/memory.h"
#include "synth/paint.h"

#include <string.h>

static const double dry = -1e6;

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double magnitude(double x)
{
    return x < 0 ? -x : x;
}

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

static double smooth(double t)
{
    t = clamp(t, 0, 1);
    return t * t * (3 - 2 * t);
}

int terrain_create(struct terrain *t, double reach)
{
    const double step = 0.5;
    *t = (struct terrain){.step = step, .reach = reach, .side = (int32_t)(2 * reach / step) + 2};
    size_t n = (size_t)t->side * (size_t)t->side;
    t->height = memory_alloc(n, sizeof *t->height);
    t->water = memory_alloc(n, sizeof *t->water);
    if (!t->height || !t->water) {
        terrain_free(t);
        return GLT_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        t->height[i] = 0;
        t->water[i] = dry;
    }
    return 0;
}

void terrain_free(struct terrain *t)
{
    memory_free(t->height);
    memory_free(t->water);
    memset(t, 0, sizeof *t);
}

static double sample(const struct terrain *t, const double *grid, double x, double y)
{
    double u = clamp((x + t->reach) / t->step, 0, t->side - 1.001);
    double v = clamp((y + t->reach) / t->step, 0, t->side - 1.001);
    int32_t i = (int32_t)u, j = (int32_t)v;
    const double *p = grid + (size_t)j * (size_t)t->side + i;
    return mix(mix(p[0], p[1], u - i), mix(p[t->side], p[t->side + 1], u - i), v - j);
}

double terrain_height(const struct terrain *t, double x, double y)
{
    return sample(t, t->height, x, y);
}

double terrain_depth(const struct terrain *t, double x, double y)
{
    /* of the nearest grid point: water has no slope */
    int32_t i = (int32_t)clamp((x + t->reach) / t->step + 0.5, 0, t->side - 1);
    int32_t j = (int32_t)clamp((y + t->reach) / t->step + 0.5, 0, t->side - 1);
    return t->water[(size_t)j * (size_t)t->side + (size_t)i] - terrain_height(t, x, y);
}

struct vec3 terrain_normal(const struct terrain *t, double x, double y)
{
    double e = t->step;
    double dx = terrain_height(t, x + e, y) - terrain_height(t, x - e, y);
    double dy = terrain_height(t, x, y + e) - terrain_height(t, x, y - e);
    return vec3_unit(vec3(-dx, -dy, 2 * e));
}

static double coordinate(const struct terrain *t, int32_t i)
{
    return i * t->step - t->reach;
}

void terrain_hills(struct terrain *t, double amplitude, double wavelength, uint32_t salt)
{
    double *h = t->height;
    for (int32_t j = 0; j < t->side; j++)
        for (int32_t i = 0; i < t->side; i++) {
            struct vec3 p = vec3(coordinate(t, i) / wavelength, coordinate(t, j) / wavelength, 0.5);
            *h++ += amplitude * (2 * paint_noise(p, salt) - 1);
        }
}

void terrain_tilt(struct terrain *t, double slope_x, double slope_y)
{
    double *h = t->height;
    for (int32_t j = 0; j < t->side; j++)
        for (int32_t i = 0; i < t->side; i++)
            *h++ += slope_x * coordinate(t, i) + slope_y * coordinate(t, j);
}

void terrain_terraces(struct terrain *t, double rise)
{
    size_t n = (size_t)t->side * (size_t)t->side;
    for (size_t i = 0; i < n; i++) {
        double level = __builtin_floor(t->height[i] / rise);
        double part = t->height[i] / rise - level;
        t->height[i] = rise * (level + 0.25 * part + 0.75 * smooth((part - 0.8) / 0.2));
    }
}

/* 1 on the strip's bottom, 0 beyond its banks. */
static double strip_weight(const struct terrain_strip *s, double x, double y)
{
    double dx = x - s->at.x, dy = y - s->at.y;
    double along = dx * s->way.x + dy * s->way.y, across = dx * s->way.y - dy * s->way.x;
    across += s->bend * (2 * paint_noise(vec3(along / 60, 0.5, 0.5), 7) - 1);
    return 1 - smooth((magnitude(across) - s->half) / s->bank);
}

void terrain_carve(struct terrain *t, const struct terrain_strip *strip, double depth)
{
    double *h = t->height;
    for (int32_t j = 0; j < t->side; j++)
        for (int32_t i = 0; i < t->side; i++)
            *h++ -= depth * strip_weight(strip, coordinate(t, i), coordinate(t, j));
}

void terrain_river(struct terrain *t, const struct terrain_strip *strip, double level, double water)
{
    for (int32_t j = 0; j < t->side; j++)
        for (int32_t i = 0; i < t->side; i++) {
            size_t k = (size_t)j * (size_t)t->side + (size_t)i;
            double w = strip_weight(strip, coordinate(t, i), coordinate(t, j));
            if (w <= 0)
                continue;
            t->height[k] = mix(t->height[k], level, w);
            t->water[k] = water;
        }
}

static double lowest(const struct terrain *t)
{
    size_t n = (size_t)t->side * (size_t)t->side;
    double low = t->height[0];
    for (size_t i = 1; i < n; i++)
        low = t->height[i] < low ? t->height[i] : low;
    return low;
}

/* -1 to 1 */
static double wavy(double x, double y, double wavelength, uint32_t salt)
{
    return 2 * paint_noise(vec3(x / wavelength, y / wavelength, 0.5), salt) - 1;
}

/* How far x, y lies on the land's side of a shore, about. */
static double inland(const struct terrain_shore *s, double x, double y, uint32_t salt)
{
    double across = (y - s->at.y) * s->way.x - (x - s->at.x) * s->way.y;
    return across + s->bend * wavy(x, y, s->wave, salt) +
           s->bend * 0.3 * wavy(x, y, s->wave / 4, salt + 1);
}

void terrain_coast(struct terrain *t, const struct terrain_shore *shore, uint32_t salt)
{
    double water = lowest(t) - shore->rise;
    for (int32_t j = 0; j < t->side; j++)
        for (int32_t i = 0; i < t->side; i++) {
            size_t k = (size_t)j * (size_t)t->side + (size_t)i;
            double x = coordinate(t, i), y = coordinate(t, j);
            double steep = smooth(0.5 + wavy(x, y, 2 * shore->wave, salt + 2));
            double bank = mix(shore->beach, shore->cliff, steep);
            double part = inland(shore, x, y, salt) / bank;
            t->height[k] = mix(water - shore->depth, t->height[k], smooth(part));
            if (part < 1)
                t->water[k] = water;
        }
}

void terrain_plateaus(struct terrain *t, const struct terrain_plateau *plateau, uint32_t salt)
{
    double *h = t->height, sides = plateau->wave / plateau->bank;
    for (int32_t j = 0; j < t->side; j++)
        for (int32_t i = 0; i < t->side; i++) {
            double x = coordinate(t, i) / plateau->wave, y = coordinate(t, j) / plateau->wave;
            double noise = paint_noise(vec3(x, y, 0.5), salt);
            *h++ += plateau->rise * smooth(sides * (noise - plateau->bar));
        }
}

void terrain_level(struct terrain *t, const struct frame3 *at, double hx, double hy, double bank)
{
    double level = at->o.z, reach = hx + hy + bank;
    int32_t low_i = (int32_t)clamp((at->o.x - reach + t->reach) / t->step, 0, t->side - 1);
    int32_t low_j = (int32_t)clamp((at->o.y - reach + t->reach) / t->step, 0, t->side - 1);
    int32_t high_i = (int32_t)clamp((at->o.x + reach + t->reach) / t->step, 0, t->side - 1);
    int32_t high_j = (int32_t)clamp((at->o.y + reach + t->reach) / t->step, 0, t->side - 1);
    for (int32_t j = low_j; j <= high_j; j++)
        for (int32_t i = low_i; i <= high_i; i++) {
            double *h = &t->height[(size_t)j * (size_t)t->side + (size_t)i];
            struct vec3 p = frame3_unapply(at, vec3(coordinate(t, i), coordinate(t, j), at->o.z));
            double x = magnitude(p.x) - hx, y = magnitude(p.y) - hy;
            *h = mix(*h, level, 1 - smooth((x > y ? x : y) / bank));
        }
}

void terrain_finish(struct terrain *t)
{
    size_t n = (size_t)t->side * (size_t)t->side;
    t->low = t->high = t->height[0];
    for (size_t i = 0; i < n; i++) {
        double top = t->water[i] > t->height[i] ? t->water[i] : t->height[i];
        t->low = t->height[i] < t->low ? t->height[i] : t->low;
        t->high = top > t->high ? top : t->high;
    }
}

static double surface(const struct terrain *t, double x, double y)
{
    double depth = terrain_depth(t, x, y), height = terrain_height(t, x, y);
    return depth > 0 ? height + depth : height;
}

/* Where a ray passes the surface, between a distance above and one below it. */
static double crossing(const struct terrain *t, const struct ray *ray, double above, double below)
{
    for (int i = 0; i < 16; i++) {
        double middle = (above + below) / 2;
        struct vec3 p = vec3_along(ray->from, ray->along, middle);
        if (p.z > surface(t, p.x, p.y))
            above = middle;
        else
            below = middle;
    }
    return below;
}

/* Steps that ground of slope 1.5 or less cannot outrun; of steeper ground they find the far side,
 * and then where the ray went in. */
bool terrain_cast(const struct terrain *t, double *out, const struct ray *ray)
{
    struct vec3 o = ray->from, d = ray->along;
    double level = __builtin_sqrt(d.x * d.x + d.y * d.y), near = (t->high + 0.01 - o.z) / d.z;
    double fall = 1 / (1.5 * level - d.z), before = near;
    for (int i = 0; i < 200; i++) {
        struct vec3 p = vec3_along(o, d, near);
        double gap = p.z - surface(t, p.x, p.y), step = gap * fall;
        if (gap < 0.002) {
            *out = gap < -0.002 ? crossing(t, ray, before, near) : near;
            return magnitude(p.x) < t->reach && magnitude(p.y) < t->reach;
        }
        before = near;
        near += step > 0.002 ? step : 0.002;
    }
    *out = near;
    return false;
}
