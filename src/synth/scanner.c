/* Scanners, rays and light.
 *
 * Directions are stratified over the sphere in equal solid angles, so density falls with the square
 * of distance; keeping an echo with chance proportional to its root leaves distance^-1.5, about
 * what overlapping scans of a real survey show. A third of the rooms imitate fused depth cameras
 * instead: even density, no mixed edges, slow warps, some without a ceiling. Each ray reads its own
 * lane of the random stream.
 */
#include "synth/scanner.h"
#include "core/angle.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/paint.h"
#include "synth/room.h"
#include "synth/scene.h"
#include "synth/solid.h"

enum { LANE_RAYS = 64 };

static const double nearest = 0.25, farthest = 25;

static bool crowded(const struct room *r, struct vec3 p, double clearance)
{
    for (int i = 0; i < r->taken_n; i++) {
        const struct footprint *f = &r->taken[i];
        double hx = vec3_length(f->x), hy = vec3_length(f->y);
        struct vec3 way = vec3(p.x - f->centre.x, p.y - f->centre.y, 0);
        double u = vec3_dot(way, f->x) / hx, v = vec3_dot(way, f->y) / hy;
        if (u > -hx - clearance && u < hx + clearance && v > -hy - clearance && v < hy + clearance)
            return true;
    }
    return false;
}

static struct vec3 draw_scanner(const struct room *r, struct random *random)
{
    double reach = 0;
    for (int i = 0; i < r->corners; i++) {
        double d = vec3_length(r->corner[i]);
        reach = d > reach ? d : reach;
    }
    struct vec3 p = vec3(0, 0, 0);
    for (int attempt = 0; attempt < 80; attempt++) {
        double x = random_uniform(random), y = random_uniform(random);
        p = vec3((2 * x - 1) * reach, (2 * y - 1) * reach, 0);
        double clearance = 0.35 - 0.004 * attempt;
        if (room_contains(r, p.x, p.y, 0.3) && !crowded(r, p, clearance))
            break;
        p = vec3(0, 0, 0);
    }
    double low = random_uniform(random);
    p.z = 1.15 + 0.65 * low; /* above most furniture even where the floor is full */
    return p;
}

static double light_of(const struct room_light *l, struct vec3 p, struct vec3 normal)
{
    struct vec3 way = vec3_sub(l->at, p);
    double d2 = vec3_dot(way, way), d = __builtin_sqrt(d2);
    if (d < 1e-6)
        return 0;
    double out = -vec3_dot(way, l->facing) / d, in = vec3_dot(way, normal) / d;
    /* Lamps also shine sideways a little. */
    out = l->day ? out : 0.25 + 0.75 * out;
    return out > 0 && in > 0 ? l->power * out * in / (0.6 + d2) : 0;
}

static double light_sum(const struct room *r, struct vec3 p, struct vec3 normal)
{
    double sum = 0;
    for (int i = 0; i < r->lights_n; i++)
        sum += light_of(&r->lights[i], p, normal);
    return sum;
}

/* What differs between a tidy simulation and the meshes of hand-held depth cameras. */
static void plan_real(struct scan *s, struct random *random)
{
    double u[14], sine, cosine;
    for (int i = 0; i < 14; i++)
        u[i] = random_uniform(random);
    s->real = s->fused = true;
    s->lid = u[0] < 0.75 ? s->room->height - 0.1 - 1.1 * u[1] : 100;
    s->holes = 0.42 * u[2];
    angle_sincos(2 * ANGLE_PI * u[3], &sine, &cosine);
    s->edge = vec3(cosine, sine, u[4] < 0.4 ? 0.6 + 2.6 * u[5] : 100);
    s->smear = 0.015 + 0.05 * u[6];
    s->warp = 0.004 + 0.05 * u[7] * u[7];
    s->noise *= 0.5;
    s->pitch = 0.03 * (u[8] + u[9] - 1);
    s->roll = 0.03 * (u[10] + u[9] - 1);
    double exposure = 0.75 + 0.95 * u[11], warm = 0.2 * u[12] - 0.03;
    s->tint = vec3(exposure * (1 + warm), exposure, exposure * (1 - warm));
    s->curve = 0.9 * u[13];
    s->ambient = 0.2 + 0.45 * u[5];
    s->grey = 0.5 + 0.7 * u[8];
}

void scanner_plan(struct scan *s, const struct room *room, struct random_stream stream,
                  struct random *random)
{
    *s = (struct scan){.room = room, .scene = room->make.scene, .stream = stream};
    int wanted = 3 + (int)(room_area(room) / 9);
    s->scanners = wanted < SCANNERS_MAX ? wanted : SCANNERS_MAX;
    for (int i = 0; i < s->scanners; i++) {
        s->at[i] = draw_scanner(room, random);
        double x = random_normal(random), y = random_normal(random), z = random_normal(random);
        double gain = random_uniform(random);
        s->shift[i] = vec3(0.003 * x, 0.003 * y, 0.002 * z);
        s->gain[i] = 0.94 + 0.12 * gain;
    }
    double u[6];
    for (int i = 0; i < 6; i++)
        u[i] = random_uniform(random);
    s->noise = 0.6 + 2.2 * u[0] * u[0];
    s->warp = 0.012 * u[1] * u[1];
    double exposure = 0.86 + 0.34 * u[2], warm = 0.18 * u[3] - 0.07, green = 0.03 * (u[4] - 0.5);
    s->tint = vec3(exposure * (1 + warm), exposure * (1 + green), exposure * (1 - warm));
    s->ambient = 0.58 + 0.22 * u[5];
    double fused = random_uniform(random), lid = random_uniform(random);
    s->fused = fused < 0.33 && !room->complete;
    s->lid = s->fused && lid < 0.6 ? room->height - 0.25 - 0.9 * lid : 100;
    if (s->fused) {
        s->noise *= 0.8;
        s->warp = 0.004 + 0.018 * u[1];
        s->tint = vec3_scale(s->tint, 0.7 + 0.3 * u[0]);
    }
    if (room->real)
        plan_real(s, random);
    double middle = light_sum(room, vec3(0, 0, 0.8), vec3(0, 0, 1));
    s->reference = middle > 1e-3 ? middle : 1e-3;
}

static struct vec3 direction(uint32_t number, uint32_t rays, double u, double v)
{
    /* rows x 2 rows cells of equal solid angle */
    uint32_t rows = (uint32_t)__builtin_sqrt(rays / 2.0);
    uint32_t cell = number % (2 * rows * rows);
    double z = 2 * (cell / (2 * rows) + u) / rows - 1;
    double turn = (cell % (2 * rows) + v) / (2 * rows) * 2 * ANGLE_PI, sine, cosine;
    angle_sincos(turn, &sine, &cosine);
    double flat = __builtin_sqrt(1 - z * z);
    return vec3(flat * cosine, flat * sine, z);
}

/* The first surface that returns the ray: glass lets many pass, dark screens swallow some. */
static bool cast(const struct scan *s, struct ray_hit *hit, const struct ray *ray, double chance)
{
    double from = nearest;
    for (int pass = 0; pass < 6; pass++) {
        if (!scene_cast(s->scene, hit, ray, from, farthest))
            return false;
        const struct solid *solid = &s->scene->solids[hit->solid];
        double opacity = s->scene->paints[solid->paint].opacity;
        if (chance < opacity)
            return true;
        if (opacity > 0.5) /* black and shiny: lost, not passed on */
            return false;
        chance = (chance - opacity) / (1 - opacity);
        from = hit->t + 1e-4;
    }
    return false;
}

/* A beam has a width: at an edge, two surfaces reflect it and the range falls between them. */
static double mixed_range(const struct scan *s, const struct ray *ray, double t, const double *u)
{
    if (u[0] >= 0.35)
        return t;
    struct vec3 off = vec3(0.008 * (u[1] - 0.5), 0.008 * (u[2] - 0.5), 0.008 * (u[3] - 0.5));
    struct ray beside = {ray->from, vec3_unit(vec3_add(ray->along, off))};
    struct ray_hit other;
    if (!scene_cast(s->scene, &other, &beside, nearest, farthest))
        return t;
    double gap = other.t - t;
    gap = gap < 0 ? -gap : gap;
    return gap > 0.05 && gap < 1.2 && u[0] < 0.2 ? t + (other.t - t) * u[4] : t;
}

/* Rooms end at their walls; of what lies behind only doors and windows are kept. */
static bool belongs(const struct scan *s, const struct solid *solid, struct vec3 p)
{
    bool opening = solid->label == LABEL_DOOR || solid->label == LABEL_WINDOW;
    return room_contains(s->room, p.x, p.y, opening ? -1.2 : -0.3);
}

/* Patches that the camera never faced, or that swallowed its light; what lies beyond its path. */
static bool unseen(const struct scan *s, struct vec3 p, int32_t solid)
{
    if (s->edge.x * p.x + s->edge.y * p.y > s->edge.z + paint_noise(vec3_scale(p, 1.1), 98) - 0.5)
        return true;
    const struct solid *x = &s->scene->solids[solid];
    const struct paint *paint = &s->scene->paints[x->paint];
    double wide = paint_noise(vec3_scale(p, 1.3), 96), fine = paint_noise(vec3_scale(p, 4.2), 97);
    double dark = paint->colour.x + paint->colour.y + paint->colour.z < 0.6 ? 0.08 : 0;
    return 0.7 * wide + 0.3 * fine < s->holes + dark;
}

/* A mesh is smooth: the mean of what the camera meets around the ray. Rays that meet something far
 * behind it are left out, or half taken, which smears edges. */
static struct vec3 smooth_point(const struct scan *s, const struct ray *ray, struct vec3 p,
                                struct random *random)
{
    double reach = vec3_length(vec3_sub(p, ray->from)), weight = 1;
    struct vec3 sum = p;
    for (int i = 0; i < 3; i++) {
        double x = random_uniform(random), y = random_uniform(random), z = random_uniform(random);
        struct vec3 off = vec3_scale(vec3(x - 0.5, y - 0.5, z - 0.5), 2 * s->smear / reach);
        struct ray beside = {ray->from, vec3_unit(vec3_add(ray->along, off))};
        struct ray_hit hit;
        if (!scene_cast(s->scene, &hit, &beside, nearest, farthest))
            continue;
        double gap = hit.t - reach;
        gap = gap < 0 ? -gap : gap;
        if (gap > 4 * s->smear)
            continue;
        sum = vec3_add(sum, vec3_along(beside.from, beside.along, hit.t));
        weight += 1;
    }
    return vec3_scale(sum, 1 / weight);
}

void scanner_ray(struct echo *echo, const struct scan *s, uint32_t round, uint32_t number,
                 uint32_t rays)
{
    struct random random = random_start(s->stream, LANE_RAYS + round * rays + number);
    double u[9];
    for (int i = 0; i < 9; i++)
        u[i] = random_uniform(&random);
    double normal = random_normal(&random);
    echo->key = -1;
    echo->scanner = (int32_t)(number % (uint32_t)s->scanners);
    struct ray ray = {s->at[echo->scanner], direction(number / (uint32_t)s->scanners,
                                                      rays / (uint32_t)s->scanners, u[0], u[1])};
    if (ray.along.z < -0.93) /* the tripod */
        return;
    if (!cast(s, &echo->hit, &ray, u[2]))
        return;
    echo->at = vec3_along(ray.from, ray.along, echo->hit.t);
    if (!belongs(s, &s->scene->solids[echo->hit.solid], echo->at))
        return;
    double facing = -vec3_dot(ray.along, echo->hit.normal);
    if (facing < 0.04) /* grazing: nothing comes back */
        return;
    double slow = paint_noise(vec3_scale(echo->at, s->fused ? 3.1 : 1.4), 99) - 0.5;
    if (echo->at.z > s->lid + 0.5 * slow)
        return;
    if (s->real && unseen(s, echo->at, echo->hit.solid))
        return;
    double t = s->fused ? echo->hit.t : mixed_range(s, &ray, echo->hit.t, u + 3);
    double sigma = s->noise * (0.0015 + 0.0007 * t) * (1 + 1.5 * (1 - facing));
    t += sigma * normal + 2 * s->warp * slow;
    echo->measured = vec3_add(vec3_along(ray.from, ray.along, t), s->shift[echo->scanner]);
    if (s->real) {
        struct vec3 moved = vec3_sub(smooth_point(s, &ray, echo->at, &random), echo->at);
        double bump = paint_noise(vec3_scale(echo->at, 9), 95) - 0.5;
        moved = vec3_along(moved, echo->hit.normal, 0.7 * s->warp * bump);
        echo->measured = vec3_add(echo->measured, moved);
    }
    double weight = echo->hit.t < 0.6 ? 0.6 : echo->hit.t > 9 ? 9 : echo->hit.t;
    /* what one ray stands for: t^2 / facing square metres per solid angle */
    double area = weight * weight / (facing < 0.2 ? 0.2 : facing);
    echo->key = u[8] / (s->fused ? area : __builtin_sqrt(weight));
}

/* Direct light, with shadows from the two strongest sources. */
static double direct_light(const struct scan *s, struct vec3 p, struct vec3 normal)
{
    const struct room *r = s->room;
    double part[LIGHTS_MAX], sum = 0;
    int best[2] = {-1, -1};
    for (int i = 0; i < r->lights_n; i++) {
        part[i] = light_of(&r->lights[i], p, normal);
        sum += part[i];
        if (best[0] < 0 || part[i] > part[best[0]]) {
            best[1] = best[0];
            best[0] = i;
        } else if (best[1] < 0 || part[i] > part[best[1]]) {
            best[1] = i;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (best[i] < 0 || part[best[i]] <= 0)
            continue;
        struct vec3 way = vec3_sub(r->lights[best[i]].at, p);
        double d = vec3_length(way);
        struct ray ray = {p, vec3_scale(way, 1 / d)};
        if (scene_blocked(s->scene, &ray, 0.01, d - 0.1))
            sum -= 0.85 * part[best[i]];
    }
    return sum / s->reference;
}

static uint8_t to_byte(double x)
{
    double v = x * 255 + 0.5;
    return v <= 0 ? 0 : v >= 255 ? 255 : (uint8_t)v;
}

/* Steeper contrast, and more or less colour. */
static struct vec3 expose(const struct scan *s, struct vec3 c)
{
    double grey = (c.x + c.y + c.z) / 3, gain = 1 - s->curve + s->curve * grey;
    return vec3(gain * (grey + s->grey * (c.x - grey)), gain * (grey + s->grey * (c.y - grey)),
                gain * (grey + s->grey * (c.z - grey)));
}

void scanner_colour(uint8_t rgb[3], const struct scan *s, const struct echo *echo, uint32_t lane)
{
    const struct solid *solid = &s->scene->solids[echo->hit.solid];
    const struct paint *paint = &s->scene->paints[solid->paint];
    struct vec3 normal = frame3_unturn(&solid->frame, echo->hit.normal);
    struct vec3 c = paint_colour(paint, echo->hit.local, normal, solid->instance);
    double light = direct_light(s, echo->at, echo->hit.normal);
    light = light > 2 ? 2 : light;
    double shade = s->ambient * (1 + 0.12 * echo->hit.normal.z) + (1 - s->ambient) * light;
    shade += paint->glow;
    shade = (shade > 1.25 ? 1.25 : shade) * s->gain[echo->scanner];
    struct random random = random_start(s->stream, 0x80000000u + lane);
    double common = random_normal(&random) * (paint->noise + 0.012);
    double channel[3];
    for (int i = 0; i < 3; i++)
        channel[i] = random_normal(&random) * 0.008;
    if (s->real)
        c = expose(s, c);
    rgb[0] = to_byte(c.x * shade * s->tint.x + common + channel[0]);
    rgb[1] = to_byte(c.y * shade * s->tint.y + common + channel[1]);
    rgb[2] = to_byte(c.z * shade * s->tint.z + common + channel[2]);
}
