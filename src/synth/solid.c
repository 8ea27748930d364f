/* Ray against one solid, in the solid's own frame: slabs for boxes and roofs, a quadratic for cones
 * and ellipsoids, sphere tracing of the signed distance for rounded boxes and tori (J. C. Hart,
 * "Sphere tracing", 1996). Only entries count: solids are closed and rays start outside of them. */
#include "synth/solid.h"

#include "core/frame3.h"

static double component(struct vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static bool cast_box(struct vec3 size, struct ray_hit *hit, const struct ray *ray, double nearest,
                     double farthest)
{
    double enter = -1e30, leave = 1e30;
    int side = 0;
    for (int axis = 0; axis < 3; axis++) {
        double o = component(ray->from, axis), d = component(ray->along, axis);
        double h = component(size, axis);
        if (d > -1e-12 && d < 1e-12) {
            if (o < -h || o > h)
                return false;
            continue;
        }
        double a = (-h - o) / d, b = (h - o) / d;
        double low = a < b ? a : b, high = a < b ? b : a;
        if (low > enter) {
            enter = low;
            side = axis;
        }
        if (high < leave)
            leave = high;
    }
    if (enter > leave || enter <= nearest || enter >= farthest)
        return false;
    double sign = component(ray->along, side) < 0 ? 1 : -1;
    hit->t = enter;
    hit->normal = vec3(side == 0 ? sign : 0, side == 1 ? sign : 0, side == 2 ? sign : 0);
    return true;
}

static bool cast_cone_caps(struct vec3 size, struct ray_hit *hit, const struct ray *ray,
                           double nearest, double farthest)
{
    double d = ray->along.z;
    if (d > -1e-12 && d < 1e-12)
        return false;
    double z = d < 0 ? size.z : -size.z, radius = d < 0 ? size.y : size.x;
    double t = (z - ray->from.z) / d;
    double x = ray->from.x + t * ray->along.x, y = ray->from.y + t * ray->along.y;
    if (t <= nearest || t >= farthest || x * x + y * y > radius * radius)
        return false;
    hit->t = t;
    hit->normal = vec3(0, 0, d < 0 ? 1 : -1);
    return true;
}

static bool cast_cone(struct vec3 size, struct ray_hit *hit, const struct ray *ray, double nearest,
                      double farthest)
{
    if (cast_cone_caps(size, hit, ray, nearest, farthest))
        return true;
    /* x^2 + y^2 = (m + k z)^2 */
    double k = (size.y - size.x) / (2 * size.z), m = (size.x + size.y) / 2;
    struct vec3 o = ray->from, d = ray->along;
    double r = m + k * o.z;
    double a = d.x * d.x + d.y * d.y - k * k * d.z * d.z;
    double b = o.x * d.x + o.y * d.y - k * d.z * r;
    double c = o.x * o.x + o.y * o.y - r * r;
    double disc = b * b - a * c;
    if (disc <= 0 || (a > -1e-14 && a < 1e-14))
        return false;
    /* of a ray that is steeper than the side (a < 0) the other root is on the mirrored cone */
    double t = (-b - __builtin_sqrt(disc)) / a, z = o.z + t * d.z;
    if (t <= nearest || t >= farthest || z < -size.z || z > size.z)
        return false;
    struct vec3 n = vec3(o.x + t * d.x, o.y + t * d.y, -k * (m + k * z));
    if (vec3_dot(n, d) >= 0)
        return false;
    hit->t = t;
    hit->normal = vec3_unit(n);
    return true;
}

static bool cast_ellipsoid(struct vec3 size, struct ray_hit *hit, const struct ray *ray,
                           double nearest, double farthest)
{
    struct vec3 o = vec3(ray->from.x / size.x, ray->from.y / size.y, ray->from.z / size.z);
    struct vec3 d = vec3(ray->along.x / size.x, ray->along.y / size.y, ray->along.z / size.z);
    double a = vec3_dot(d, d), b = vec3_dot(o, d), c = vec3_dot(o, o) - 1;
    double disc = b * b - a * c;
    if (disc <= 0)
        return false;
    double t = (-b - __builtin_sqrt(disc)) / a;
    if (t <= nearest || t >= farthest)
        return false;
    struct vec3 p = vec3_along(o, d, t);
    hit->t = t;
    hit->normal = vec3_unit(vec3(p.x / size.x, p.y / size.y, p.z / size.z));
    return true;
}

static double outside(double x, double edge)
{
    double a = (x < 0 ? -x : x) - edge;
    return a;
}

static double positive(double x)
{
    return x > 0 ? x : 0;
}

/* Signed distance of the shapes without a closed form that is worth writing. */
static double distance(const struct solid *s, struct vec3 p)
{
    if (s->shape == SOLID_TORUS) {
        double ring = __builtin_sqrt(p.x * p.x + p.y * p.y) - s->size.x;
        return __builtin_sqrt(ring * ring + p.z * p.z) - s->size.z;
    }
    double x = outside(p.x, s->size.x - s->round), y = outside(p.y, s->size.y - s->round);
    double z = outside(p.z, s->size.z - s->round);
    double max = x > y ? x : y;
    max = z > max ? z : max;
    if (max < 0)
        return max - s->round;
    return vec3_length(vec3(positive(x), positive(y), positive(z))) - s->round;
}

static struct vec3 gradient(const struct solid *s, struct vec3 p)
{
    const double e = 1e-4;
    double x = distance(s, vec3(p.x + e, p.y, p.z)) - distance(s, vec3(p.x - e, p.y, p.z));
    double y = distance(s, vec3(p.x, p.y + e, p.z)) - distance(s, vec3(p.x, p.y - e, p.z));
    double z = distance(s, vec3(p.x, p.y, p.z + e)) - distance(s, vec3(p.x, p.y, p.z - e));
    return vec3_unit(vec3(x, y, z));
}

static bool cast_distance(const struct solid *s, struct ray_hit *hit, const struct ray *ray,
                          double nearest, double farthest)
{
    struct vec3 size = s->size;
    if (s->shape == SOLID_TORUS)
        size = vec3(size.x + size.z, size.x + size.z, size.z);
    struct ray_hit box;
    double t = nearest;
    if (cast_box(size, &box, ray, -1e30, 1e30) && box.t > t)
        t = box.t;
    for (int step = 0; step < 48 && t < farthest; step++) {
        struct vec3 p = vec3_along(ray->from, ray->along, t);
        double d = distance(s, p);
        if (d < 5e-5) {
            if (t <= nearest)
                return false;
            hit->t = t;
            hit->normal = gradient(s, p);
            return true;
        }
        t += d;
        if (d > 2 * (size.x + size.y + size.z))
            return false;
    }
    return false;
}

/* Plane i of a roof: inside is n p <= the number returned. */
static double roof_plane(struct vec3 *n, const struct solid *s, int i)
{
    double sign = i == ROOF_EAST || i == ROOF_NORTH ? 1 : -1, k = s->slope[i];
    bool along_x = i == ROOF_EAST || i == ROOF_WEST;
    double unit = 1 / __builtin_sqrt(1 + k * k), half = along_x ? s->size.x : s->size.y;
    *n = vec3(along_x ? sign * k * unit : 0, along_x ? 0 : sign * k * unit, unit);
    return (k * half - s->size.z) * unit;
}

/* Clips the box's stretch of the ray by each plane in turn. */
static bool cast_roof(const struct solid *s, struct ray_hit *hit, const struct ray *ray,
                      double nearest, double farthest)
{
    struct vec3 reversed = vec3_scale(ray->along, -1);
    struct ray back = {ray->from, reversed};
    struct ray_hit end;
    if (!cast_box(s->size, hit, ray, -1e29, 1e29) || !cast_box(s->size, &end, &back, -1e29, 1e29))
        return false;
    double leave = -end.t;
    for (int i = 0; i < ROOF_SIDES; i++) {
        struct vec3 n;
        if (s->slope[i] <= 0)
            continue;
        double left = roof_plane(&n, s, i) - vec3_dot(n, ray->from), d = vec3_dot(n, ray->along);
        if (d > -1e-12 && d < 1e-12) {
            if (left < 0)
                return false;
        } else if (d < 0 && left / d > hit->t) {
            hit->t = left / d;
            hit->normal = n;
        } else if (d > 0 && left / d < leave) {
            leave = left / d;
        }
    }
    return hit->t <= leave && hit->t > nearest && hit->t < farthest;
}

bool solid_cast(const struct solid *solid, struct ray_hit *hit, const struct ray *ray,
                double nearest, double farthest)
{
    struct ray local = {frame3_unapply(&solid->frame, ray->from),
                        frame3_unturn(&solid->frame, ray->along)};
    struct ray_hit found;
    bool any;
    switch (solid->shape) {
    case SOLID_BOX:
        any = cast_box(solid->size, &found, &local, nearest, farthest);
        break;
    case SOLID_CONE:
        any = cast_cone(solid->size, &found, &local, nearest, farthest);
        break;
    case SOLID_ELLIPSOID:
        any = cast_ellipsoid(solid->size, &found, &local, nearest, farthest);
        break;
    case SOLID_ROOF:
        any = cast_roof(solid, &found, &local, nearest, farthest);
        break;
    default:
        any = cast_distance(solid, &found, &local, nearest, farthest);
    }
    if (!any)
        return false;
    hit->t = found.t;
    hit->local = vec3_along(local.from, local.along, found.t);
    hit->normal = frame3_turn(&solid->frame, found.normal);
    return true;
}

bool solid_inside(const struct solid *solid, struct vec3 point, double margin)
{
    struct vec3 p = frame3_unapply(&solid->frame, point), size = solid->size;
    switch (solid->shape) {
    case SOLID_BOX:
        return outside(p.x, size.x) < -margin && outside(p.y, size.y) < -margin &&
               outside(p.z, size.z) < -margin;
    case SOLID_CONE: {
        double radius = (size.x + size.y) / 2 + (size.y - size.x) / (2 * size.z) * p.z - margin;
        return outside(p.z, size.z) < -margin && radius > 0 &&
               p.x * p.x + p.y * p.y < radius * radius;
    }
    case SOLID_ELLIPSOID: {
        struct vec3 q =
            vec3(p.x / (size.x - margin), p.y / (size.y - margin), p.z / (size.z - margin));
        bool thin = size.x <= margin || size.y <= margin || size.z <= margin;
        return !thin && vec3_dot(q, q) < 1;
    }
    case SOLID_ROOF: {
        bool in = outside(p.x, size.x) < -margin && outside(p.y, size.y) < -margin &&
                  outside(p.z, size.z) < -margin;
        for (int i = 0; in && i < ROOF_SIDES; i++) {
            struct vec3 n;
            double d = roof_plane(&n, solid, i);
            in = solid->slope[i] <= 0 || vec3_dot(n, p) < d - margin;
        }
        return in;
    }
    default:
        return distance(solid, p) < -margin;
    }
}

static double reach(struct vec3 axis_x, struct vec3 size)
{
    double x = axis_x.x * size.x, y = axis_x.y * size.y, z = axis_x.z * size.z;
    return (x < 0 ? -x : x) + (y < 0 ? -y : y) + (z < 0 ? -z : z);
}

void solid_bounds(const struct solid *s, struct vec3 *low, struct vec3 *high)
{
    struct vec3 size = s->size;
    if (s->shape == SOLID_CONE) {
        size.x = size.x > size.y ? size.x : size.y;
        size.y = size.x;
    } else if (s->shape == SOLID_TORUS) {
        size = vec3(size.x + size.z, size.x + size.z, size.z);
    }
    const struct frame3 *f = &s->frame;
    struct vec3 half =
        vec3(reach(vec3(f->x.x, f->y.x, f->z.x), size), reach(vec3(f->x.y, f->y.y, f->z.y), size),
             reach(vec3(f->x.z, f->y.z, f->z.z), size));
    *low = vec3_sub(f->o, half);
    *high = vec3_add(f->o, half);
}
