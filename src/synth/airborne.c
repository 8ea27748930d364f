/* Strips, pulses and echoes: see airborne.h.
 *
 * A pulse loses a share of itself at each leaf, wire or edge it meets and ends at the first solid
 * surface; a beam half on an edge ends in two places. What comes back within the dead distance of
 * an echo is part of that echo; what is weaker than the threshold is not seen. */
#include "synth/airborne.h"

#include "core/angle.h"
#include "core/error.h"
#include "core/random.h"
#include "core/vec3.h"
#include "synth/paint.h"
#include "synth/scene.h"
#include "synth/site.h"
#include "synth/solid.h"
#include "synth/terrain.h"

enum { LANE_PULSES = 64, EVENTS_MAX = 24, CROWNS_MAX = 10 };

/* Something in a pulse's way. */
struct event {
    double t, share, back; /* share of the pulse; how much of that returns */
    uint8_t label;
};

struct events {
    struct event list[EVENTS_MAX];
    int n;
};

struct airborne_sensor airborne_draw(struct random *random)
{
    double u[10];
    for (int i = 0; i < 10; i++)
        u[i] = random_uniform(random);
    struct airborne_sensor s = {.pattern = (enum airborne_pattern)(int)(u[0] * 3),
                                .altitude = 400 + 2200 * u[1] * u[1],
                                .half_angle = (9 + 18 * u[2]) * ANGLE_PI / 180,
                                .overlap = 0.15 + 0.45 * u[3],
                                .footprint = 0.3 + 0.7 * u[4],
                                .noise = 0.004 + 0.028 * u[5] * u[5],
                                .dead = 0.6 + 1.6 * u[6],
                                .threshold = 0.02 + 0.05 * u[7],
                                .echoes_max = 3 + (int)(u[8] * 5),
                                .gain = 600 + 40000 * u[9] * u[9]};
    return s;
}

static double angle_tan(double x)
{
    double sine, cosine;
    angle_sincos(x, &sine, &cosine);
    return sine / cosine;
}

static void add_strip(struct airborne *a, double heading, double line, double swath, double rate,
                      struct random *random)
{
    double low = line - swath / 2 > -a->reach ? line - swath / 2 : -a->reach;
    double high = line + swath / 2 < a->reach ? line + swath / 2 : a->reach;
    if (low >= high || a->strips_n == STRIPS_MAX)
        return;
    struct airborne_strip *s = &a->strips[a->strips_n++];
    double sine, cosine, stretch = 0.6 + 1.2 * random_uniform(random);
    angle_sincos(heading, &sine, &cosine);
    double x = random_normal(random), y = random_normal(random), z = random_normal(random);
    double step = __builtin_sqrt(1 / rate);
    *s = (struct airborne_strip){.across = vec3(cosine, sine, 0),
                                 .along = vec3(-sine, cosine, 0),
                                 .line = line,
                                 .low = low,
                                 .step_u = step / stretch,
                                 .step_v = step * stretch,
                                 .shift = vec3(0.05 * x, 0.05 * y, 0.02 * z),
                                 .first = a->pulses};
    s->columns = (uint32_t)((high - low) / s->step_u) + 1;
    s->pulses = s->columns * ((uint32_t)(2 * a->reach / s->step_v) + 1);
    a->pulses += s->pulses;
}

int airborne_plan(struct airborne *a, const struct site *site, const struct airborne_sensor *sensor,
                  double density, struct random *random)
{
    *a = (struct airborne){.site = site, .sensor = *sensor};
    a->reach = 1.42 * site->half;
    a->level = (site->ground.low + site->ground.high) / 2;
    double heading = 2 * ANGLE_PI * random_uniform(random), phase = random_uniform(random);
    double swath = 2 * sensor->altitude * angle_tan(sensor->half_angle);
    double spacing = swath * (1 - sensor->overlap);
    bool crossed = random_uniform(random) < 0.1; /* a tie line across all others */
    double rate = density / (1 / (1 - sensor->overlap) + (crossed ? 1 : 0));
    int n = (int)(2 * a->reach / spacing) + 2;
    for (int i = -n; i <= n; i++)
        add_strip(a, heading, (i + phase) * spacing, swath, rate, random);
    if (crossed)
        add_strip(a, heading + ANGLE_PI / 2, 0.3 * swath * (phase - 0.5), swath, rate, random);
    return a->strips_n > 0 ? 0 : error_set(GLT_EDATA, "no flight strip covers the aerial scene");
}

/* Where the aircraft's mirror sends a pulse: through the aimed-at point on the level plane. */
static struct ray aim(const struct airborne *a, const struct airborne_strip *s, uint32_t number,
                      const double *u)
{
    uint32_t column = number % s->columns, row = number / s->columns;
    double part = (column + 0.5) / s->columns;
    if (a->sensor.pattern == AIRBORNE_ZIGZAG)
        part = row & 1 ? part : 1 - part;
    double across = s->low + (column + 0.5 + 0.25 * (u[0] - 0.5)) * s->step_u;
    double along = (row + part + 0.1 * (u[1] - 0.5)) * s->step_v - a->reach;
    /* the aircraft rolls and pitches */
    across += 2 * paint_noise(vec3(along / 70, 1.5, 2.5), 11) - 1;
    along += s->step_v * (paint_noise(vec3(along / 9, 4.5, 2.5), 12) - 0.5);
    double side = across - s->line, ahead = 0;
    if (a->sensor.pattern == AIRBORNE_CIRCLES) {
        double radius = a->sensor.altitude * angle_tan(a->sensor.half_angle);
        double left = radius * radius - side * side;
        ahead = (row & 1 ? 1 : -1) * __builtin_sqrt(left > 0 ? left : 0);
    }
    struct vec3 target = vec3_along(vec3_scale(s->across, across), s->along, along);
    target.z = a->level;
    struct vec3 way = vec3_along(vec3_scale(s->across, side), s->along, ahead);
    way.z = -a->sensor.altitude;
    way = vec3_unit(way);
    return (struct ray){vec3_along(target, way, -600), way};
}

static void add_event(struct events *e, double t, double share, double back, uint8_t label)
{
    if (e->n == EVENTS_MAX || share <= 0)
        return;
    int at = e->n++;
    for (; at > 0 && e->list[at - 1].t > t; at--)
        e->list[at] = e->list[at - 1];
    e->list[at] = (struct event){t, share, back, label};
}

/* Ground, with the grass on it, or water, which mostly reflects the pulse away. */
static void meet_ground(struct events *e, const struct airborne *a, const struct ray *ray, double t,
                        double share, struct random *random)
{
    const struct site *site = a->site;
    struct vec3 p = vec3_along(ray->from, ray->along, t);
    double u = random_uniform(random), v = random_uniform(random);
    if (terrain_depth(&site->ground, p.x, p.y) > 0) {
        double steep = -ray->along.z;
        double ripple = paint_noise(vec3(p.x / 6, p.y / 6, 0.5), site->salt + 7);
        if (u < ripple * (steep > 0.99 ? 0.4 : steep > 0.96 ? 0.12 : 0.03))
            add_event(e, t, share, 0.3 + 0.6 * v, SITE_WATER);
        return;
    }
    double cover = paint_noise(vec3(p.x / 23, p.y / 23, 0.5), site->salt + 5);
    double patch = paint_noise(vec3(p.x / 1.7, p.y / 1.7, 0.5), site->salt + 6);
    double grass = site->rough * (cover > 0.45 ? 1 : 0.15) * patch * patch * 2;
    double facing = -vec3_dot(terrain_normal(&site->ground, p.x, p.y), ray->along);
    double back = (0.15 + 0.5 * cover) * facing, lift = u < 0.5 ? 0 : grass * v;
    add_event(e, t - lift, share, back, lift > 0.2 ? SITE_VEGETATION : SITE_GROUND);
}

/* What a ray of no width meets until it ends; returns how far it came. */
static double meet_solids(struct events *e, const struct airborne *a, const struct ray *ray,
                          double share, struct random *random)
{
    double ground, from = 0;
    bool any = terrain_cast(&a->site->ground, &ground, ray);
    for (int pass = 0; pass < 6; pass++) {
        struct ray_hit hit;
        if (!scene_cast(&a->site->hard, &hit, ray, from, any ? ground : 1200))
            break;
        const struct solid *solid = &a->site->hard.solids[hit.solid];
        const struct paint *paint = &a->site->hard.paints[solid->paint];
        double facing = -vec3_dot(hit.normal, ray->along);
        add_event(e, hit.t, share * paint->opacity, paint->colour.x * (0.25 + 0.75 * facing),
                  solid->label);
        share *= 1 - paint->opacity;
        from = hit.t + 1e-3;
        if (share <= 0.01)
            return hit.t;
    }
    if (any)
        meet_ground(e, a, ray, ground, share, random);
    return any ? ground : 1200;
}

/* The crowns a ray enters before `end`. */
static int list_crowns(int32_t *crowns, double *first, const struct airborne *a,
                       const struct ray *ray, double end)
{
    int n = 0;
    double from = 0;
    struct ray_hit hit;
    while (n < CROWNS_MAX && scene_cast(&a->site->crowns, &hit, ray, from, end)) {
        if (n == 0)
            *first = hit.t;
        crowns[n++] = hit.solid;
        from = hit.t + 1e-3;
    }
    return n;
}

/* Leaves per metre at a point: clumps within the crowns that hold it, whose outlines are ragged. */
static double leaves_at(const struct airborne *a, struct vec3 p, const int32_t *crowns, int n)
{
    double densest = 0, ragged = paint_noise(vec3_scale(p, 0.55), a->site->salt + 8);
    for (int i = 0; i < n; i++) {
        const struct solid *crown = &a->site->crowns.solids[crowns[i]];
        double leaves = a->site->crowns.paints[crown->paint].opacity;
        double least = crown->size.x < crown->size.y ? crown->size.x : crown->size.y;
        if (leaves > densest && solid_inside(crown, p, 0.4 * least * ragged))
            densest = leaves;
    }
    if (densest <= 0)
        return 0;
    double clump = paint_noise(vec3(p.x * 1.1, p.y * 1.1, p.z * 1.4), a->site->salt + 9);
    return clump > 0.35 ? 1.8 * densest * (clump + 0.1) : 0.2 * densest;
}

/* Takes what leaves reflect out of the pulse. */
static void meet_leaves(struct events *e, const struct airborne *a, const struct ray *ray,
                        double end, struct random *random)
{
    const double step = 0.25;
    int32_t crowns[CROWNS_MAX];
    double t = 0, left = 1;
    int n = list_crowns(crowns, &t, a, ray, end);
    if (n == 0)
        return;
    int outside = 0;
    for (t += step * random_uniform(random); t < end && left > 0.06 && outside < 80; t += step) {
        struct vec3 p = vec3_along(ray->from, ray->along, t);
        double leaves = leaves_at(a, p, crowns, n);
        outside = leaves > 0 ? 0 : outside + 1;
        if (leaves <= 0 || random_uniform(random) >= leaves * step)
            continue;
        double part = 0.15 + 0.85 * random_uniform(random);
        double back = 0.2 + 0.35 * random_uniform(random);
        add_event(e, t, left * part, back, SITE_VEGETATION);
        left *= 1 - part;
    }
}

/* What the leaves above a distance have left of the pulse. */
static double left_above(const struct events *leaves, double t)
{
    double left = 1;
    for (int i = 0; i < leaves->n && leaves->list[i].t < t; i++)
        left -= leaves->list[i].share;
    return left;
}

/* Events become echoes: weak ones are lost, close ones are one. */
static int detect(struct event *out, const struct events *e, const struct airborne_sensor *sensor)
{
    int n = 0;
    double strength = 0;
    for (int i = 0; i < e->n; i++) {
        struct event x = e->list[i];
        double back = x.share * x.back;
        if (n > 0 && x.t - out[n - 1].t < sensor->dead) {
            strength += back;
            out[n - 1].share = strength;
            continue;
        }
        if (back < sensor->threshold * 0.35)
            continue;
        n = n < sensor->echoes_max ? n + 1 : n; /* a full list keeps the last echo */
        strength = back;
        x.share = strength;
        out[n - 1] = x;
    }
    return n;
}

static const struct airborne_strip *strip_of(const struct airborne *a, uint32_t pulse)
{
    int i = 0;
    while (i + 1 < a->strips_n && pulse >= a->strips[i + 1].first)
        i++;
    return &a->strips[i];
}

/* Solid surfaces under a beam of some width, in the shares it is divided into. */
static double meet_beam(struct events *e, const struct airborne *a, const struct ray *ray,
                        struct random *random)
{
    double u[3];
    for (int i = 0; i < 3; i++)
        u[i] = random_uniform(random);
    struct events main = {.n = 0}, other = {.n = 0};
    double half = a->sensor.footprint / 2, share = 0.35 + 0.5 * u[2];
    struct ray beside = *ray;
    beside.from.x += half * (2 * u[0] - 1);
    beside.from.y += half * (2 * u[1] - 1);
    double end = meet_solids(&main, a, ray, 1, random);
    double end_beside = meet_solids(&other, a, &beside, 1, random);
    double gap = end - end_beside;
    bool split = gap > 0.5 || gap < -0.5;
    for (int i = 0; i < main.n; i++)
        add_event(e, main.list[i].t, main.list[i].share * (split ? share : 1), main.list[i].back,
                  main.list[i].label);
    for (int i = 0; split && i < other.n; i++)
        add_event(e, other.list[i].t, other.list[i].share * (1 - share), other.list[i].back,
                  other.list[i].label);
    return split && end_beside > end ? end_beside : end;
}

static bool inside(double x, double half)
{
    return x >= -half && x < half;
}

int airborne_pulse(struct airborne_echo out[ECHOES_MAX], const struct airborne *a, uint32_t pulse)
{
    const struct airborne_strip *s = strip_of(a, pulse);
    struct random random = random_start(a->stream, LANE_PULSES + pulse);
    double u[2], half = a->site->half;
    u[0] = random_uniform(&random);
    u[1] = random_uniform(&random);
    struct ray ray = aim(a, s, pulse - s->first, u);
    struct vec3 target = vec3_along(ray.from, ray.along, 600);
    if (!inside(target.x, half + 25) || !inside(target.y, half + 25))
        return 0;
    struct events solid = {.n = 0}, leaves = {.n = 0};
    double end = meet_beam(&solid, a, &ray, &random);
    meet_leaves(&leaves, a, &ray, end, &random);
    struct events all = leaves;
    for (int i = 0; i < solid.n; i++) {
        const struct event *x = &solid.list[i];
        add_event(&all, x->t, x->share * left_above(&leaves, x->t), x->back, x->label);
    }
    struct event found[ECHOES_MAX];
    int n = detect(found, &all, &a->sensor), kept = 0;
    double side = vec3_dot(ray.along, s->across),
           degrees = 57.29578 * (side + side * side * side / 6);
    for (int i = 0; i < n; i++) {
        double t = found[i].t + a->sensor.noise * random_normal(&random);
        struct vec3 p = vec3_add(vec3_along(ray.from, ray.along, t), s->shift);
        double speckle = 1 + 0.12 * random_normal(&random);
        if (!inside(p.x, half) || !inside(p.y, half))
            continue;
        out[kept++] = (struct airborne_echo){.at = p,
                                             .intensity = found[i].share * a->sensor.gain * speckle,
                                             .label = found[i].label,
                                             .number = (uint8_t)(i + 1),
                                             .of = (uint8_t)n,
                                             .angle = (int8_t)__builtin_round(degrees)};
    }
    return kept;
}
