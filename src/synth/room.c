/* Where things may stand: tests of rectangles against the outline, the footprints already taken
 * and the spots already taken on walls. */
#include "synth/room.h"

#include "core/angle.h"
#include "core/frame3.h"
#include "core/vec3.h"
#include "synth/maker.h"

static double cross2(struct vec3 a, struct vec3 b)
{
    return a.x * b.y - a.y * b.x;
}

double room_area(const struct room *r)
{
    double sum = 0;
    for (int i = 0; i < r->corners; i++)
        sum += cross2(r->corner[i], r->corner[(i + 1) % r->corners]);
    return sum / 2;
}

static double distance_to_edge(struct vec3 a, struct vec3 b, double x, double y)
{
    struct vec3 way = vec3_sub(b, a), p = vec3(x - a.x, y - a.y, 0);
    double t = (p.x * way.x + p.y * way.y) / (way.x * way.x + way.y * way.y);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return vec3_length(vec3(p.x - t * way.x, p.y - t * way.y, 0));
}

/* Inside by at least margin; a negative margin also admits points that far outside. */
bool room_contains(const struct room *r, double x, double y, double margin)
{
    bool inside = false;
    double nearest = 1e30;
    for (int i = 0; i < r->corners; i++) {
        struct vec3 a = r->corner[i], b = r->corner[(i + 1) % r->corners];
        if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y))
            inside = !inside;
        double d = distance_to_edge(a, b, x, y);
        nearest = d < nearest ? d : nearest;
    }
    return margin >= 0 ? inside && nearest >= margin : inside || nearest <= -margin;
}

double room_wall_length(const struct room *r, int wall)
{
    return vec3_length(vec3_sub(r->corner[(wall + 1) % r->corners], r->corner[wall]));
}

struct frame3 room_wall_frame(const struct room *r, int wall, double s, double z)
{
    struct vec3 a = r->corner[wall];
    struct vec3 d = vec3_unit(vec3_sub(r->corner[(wall + 1) % r->corners], a));
    struct frame3 f = {vec3_scale(d, -1), vec3(d.y, -d.x, 0), vec3(0, 0, 1),
                       vec3(a.x + d.x * s, a.y + d.y * s, z)};
    return f;
}

static bool wall_free(const struct room *r, const struct wall_spot *spot)
{
    for (int i = 0; i < r->spots_n; i++) {
        const struct wall_spot *o = &r->spots[i];
        if (o->wall == spot->wall && spot->s0 < o->s1 && o->s0 < spot->s1 && spot->z0 < o->z1 &&
            o->z0 < spot->z1)
            return false;
    }
    return true;
}

void room_wall_take(struct room *r, const struct wall_spot *spot)
{
    if (r->spots_n < SPOTS_MAX)
        r->spots[r->spots_n++] = *spot;
}

/* A wall drawn in proportion to its length. */
static int draw_wall(struct room *r)
{
    double sum = 0;
    for (int i = 0; i < r->corners; i++)
        sum += room_wall_length(r, i);
    double at = maker_between(&r->make, 0, sum);
    for (int i = 0; i < r->corners; i++) {
        at -= room_wall_length(r, i);
        if (at < 0)
            return i;
    }
    return 0;
}

bool room_wall_find(struct room *r, struct wall_spot *spot, double width, double z, double height)
{
    for (int attempt = 0; attempt < 30; attempt++) {
        int wall = draw_wall(r);
        double length = room_wall_length(r, wall), share = maker_between(&r->make, 0, 1);
        if (length < width + 0.16)
            continue;
        double s = 0.08 + (length - width - 0.16) * share;
        *spot = (struct wall_spot){wall, s, s + width, z, z + height, false};
        if (z + height < r->height - 0.02 && wall_free(r, spot))
            return true;
    }
    return false;
}

static struct footprint footprint_of(const struct frame3 *at, struct vec3 size)
{
    return (struct footprint){at->o, vec3_scale(at->x, size.x / 2), vec3_scale(at->y, size.y / 2)};
}

/* Whether a's own axes separate the two rectangles. */
static bool separated(const struct footprint *a, const struct footprint *b)
{
    struct vec3 axes[2] = {vec3_unit(a->x), vec3_unit(a->y)};
    struct vec3 way = vec3_sub(b->centre, a->centre);
    for (int i = 0; i < 2; i++) {
        double between = vec3_dot(way, axes[i]), reach = 0;
        struct vec3 half[4] = {a->x, a->y, b->x, b->y};
        for (int j = 0; j < 4; j++) {
            double part = vec3_dot(half[j], axes[i]);
            reach += part < 0 ? -part : part;
        }
        if ((between < 0 ? -between : between) > reach)
            return true;
    }
    return false;
}

static bool corner_inside(const struct room *r, const struct footprint *f)
{
    double xx = vec3_dot(f->x, f->x), yy = vec3_dot(f->y, f->y);
    for (int i = 0; i < r->corners; i++) {
        struct vec3 p = vec3_sub(r->corner[i], f->centre);
        double u = p.x * f->x.x + p.y * f->x.y, v = p.x * f->y.x + p.y * f->y.y;
        if (u > -xx && u < xx && v > -yy && v < yy)
            return true;
    }
    return false;
}

bool room_place_fits(const struct room *r, const struct frame3 *at, struct vec3 size, int except)
{
    struct footprint f = footprint_of(at, size);
    f.centre.z = 0;
    for (int i = 0; i < 8; i++) { /* corners and middles of the sides */
        static const int su[8] = {1, 1, 1, 0, -1, -1, -1, 0}, sv[8] = {-1, 0, 1, 1, 1, 0, -1, -1};
        struct vec3 p = vec3_along(vec3_along(f.centre, f.x, su[i]), f.y, sv[i]);
        if (!room_contains(r, p.x, p.y, 0.005))
            return false;
    }
    if (corner_inside(r, &f))
        return false;
    for (int i = 0; i < r->taken_n; i++)
        if (i != except && !separated(&f, &r->taken[i]) && !separated(&r->taken[i], &f))
            return false;
    return true;
}

int room_place_take(struct room *r, const struct frame3 *at, struct vec3 size)
{
    if (r->taken_n >= FOOTPRINTS_MAX)
        return -1;
    r->taken[r->taken_n] = footprint_of(at, size);
    r->taken[r->taken_n].centre.z = 0;
    return r->taken_n++;
}

bool room_place_at_wall(struct room *r, struct frame3 *at, struct vec3 size, double gap)
{
    for (int attempt = 0; attempt < 40; attempt++) {
        int wall = draw_wall(r);
        double u[3];
        maker_roll(&r->make, u, 3);
        double length = room_wall_length(r, wall);
        if (length < size.x + 0.1)
            continue;
        /* Half of all things are pushed into a corner, as people do. */
        double share = u[1] < 0.25 ? 0 : u[1] < 0.5 ? 1 : u[0];
        double s = 0.03 + size.x / 2 + (length - size.x - 0.06) * share;
        struct wall_spot spot = {wall, s - size.x / 2, s + size.x / 2, 0, size.z, false};
        struct frame3 f = room_wall_frame(r, wall, s, 0);
        f.o = vec3_along(f.o, f.y, -(size.y / 2 + gap + 0.012 + 0.05 * u[2]));
        if (!wall_free(r, &spot) || !room_place_fits(r, &f, size, -1))
            continue;
        room_wall_take(r, &spot);
        room_place_take(r, &f, size);
        *at = f;
        return true;
    }
    return false;
}

bool room_place_free(struct room *r, struct frame3 *at, struct vec3 size)
{
    struct vec3 low = r->corner[0], high = r->corner[0];
    for (int i = 1; i < r->corners; i++) {
        struct vec3 c = r->corner[i];
        low = vec3(c.x < low.x ? c.x : low.x, c.y < low.y ? c.y : low.y, 0);
        high = vec3(c.x > high.x ? c.x : high.x, c.y > high.y ? c.y : high.y, 0);
    }
    for (int attempt = 0; attempt < 40; attempt++) {
        double u[4];
        maker_roll(&r->make, u, 4);
        /* People align half of their things with the walls, roughly. */
        double yaw =
            u[3] < 0.5 ? u[2] * 2 * ANGLE_PI : (int)(u[2] * 4) * ANGLE_PI / 2 + (u[3] - 0.75) * 0.4;
        struct vec3 o = vec3(low.x + (high.x - low.x) * u[0], low.y + (high.y - low.y) * u[1], 0);
        struct frame3 f = frame3_at(o, yaw, 0, 0);
        if (!room_place_fits(r, &f, size, -1))
            continue;
        room_place_take(r, &f, size);
        *at = f;
        return true;
    }
    return false;
}
