/* Places of an aerial scene: see site.h. */
#include "synth/site.h"

#include "core/error.h"
#include "core/frame3.h"
#include "core/memory.h"
#include "core/vec3.h"
#include "synth/maker.h"
#include "synth/paint.h"
#include "synth/scene.h"
#include "synth/terrain.h"

#include <string.h>

int site_create(struct site *s, double half, struct random *random)
{
    *s = (struct site){.half = half, .reach = half + 25};
    s->cells = (int32_t)(2 * s->reach) + 1;
    s->taken = memory_alloc((size_t)s->cells * (size_t)s->cells, 1);
    if (!s->taken)
        return GLT_ENOMEM;
    memset(s->taken, 0, (size_t)s->cells * (size_t)s->cells);
    s->make = (struct maker){.scene = &s->hard, .random = random, .frame = frame3_identity()};
    s->leaves = (struct maker){.scene = &s->crowns, .random = random, .frame = frame3_identity()};
    return terrain_create(&s->ground, s->reach + 30);
}

void site_free(struct site *s)
{
    scene_free(&s->hard);
    scene_free(&s->crowns);
    terrain_free(&s->ground);
    memory_free(s->taken);
    memset(s, 0, sizeof *s);
}

struct frame3 site_frame(const struct site *s, double x, double y, double yaw)
{
    return frame3_at(vec3(x, y, terrain_height(&s->ground, x, y)), yaw, 0, 0);
}

double site_lowest(const struct site *s, const struct frame3 *at, double hx, double hy)
{
    double low = at->o.z;
    for (int i = 0; i < 9; i++) {
        struct vec3 p = frame3_apply(at, vec3(hx * (i % 3 - 1), hy * (i / 3 - 1), 0));
        double z = terrain_height(&s->ground, p.x, p.y);
        low = z < low ? z : low;
    }
    return low;
}

/* Calls for every square metre of a rectangle; NULL: only whether all of them are free and dry. */
static bool walk(const struct site *s, const struct frame3 *at, double hx, double hy,
                 uint8_t *taken)
{
    int32_t nx = (int32_t)(2 * hx / 0.7) + 1, ny = (int32_t)(2 * hy / 0.7) + 1;
    for (int32_t j = 0; j <= ny; j++)
        for (int32_t i = 0; i <= nx; i++) {
            struct vec3 local = vec3(hx * (2.0 * i / nx - 1), hy * (2.0 * j / ny - 1), 0);
            struct vec3 p = frame3_apply(at, local);
            bool inside = p.x > -s->reach && p.x < s->reach && p.y > -s->reach && p.y < s->reach;
            int32_t u = (int32_t)(p.x + s->reach), v = (int32_t)(p.y + s->reach);
            size_t cell = (size_t)v * (size_t)s->cells + (size_t)u;
            if (taken && inside)
                taken[cell] = 1;
            if (!taken && (!inside || s->taken[cell] || terrain_depth(&s->ground, p.x, p.y) > -0.2))
                return false;
        }
    return true;
}

bool site_fits(const struct site *s, const struct frame3 *at, double hx, double hy)
{
    return walk(s, at, hx, hy, NULL);
}

void site_take(struct site *s, const struct frame3 *at, double hx, double hy)
{
    walk(s, at, hx, hy, s->taken);
}

void site_begin(struct maker *m, int label, double low, double high, double opacity)
{
    double back = maker_between(m, low, high);
    struct paint paint = {.colour = vec3(back, back, back), .opacity = opacity};
    maker_begin(m, label);
    maker_paint(m, &paint);
}

struct frame3 site_enter(struct site *s, const struct frame3 *at)
{
    struct frame3 old = s->make.frame;
    s->make.frame = *at;
    return old;
}
