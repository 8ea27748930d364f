/* Rigid frames in double: the same bits everywhere, as vec3.h. */
#ifndef CORE_FRAME3_H
#define CORE_FRAME3_H

#include "core/vec3.h"

/* A rigid placement: columns x, y, z are the local axes in the parent, o is the origin. */
struct frame3 {
    struct vec3 x, y, z, o;
};

static inline struct frame3 frame3_identity(void)
{
    return (struct frame3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
}

static inline struct vec3 frame3_turn(const struct frame3 *f, struct vec3 v)
{
    return vec3(f->x.x * v.x + f->y.x * v.y + f->z.x * v.z,
                f->x.y * v.x + f->y.y * v.y + f->z.y * v.z,
                f->x.z * v.x + f->y.z * v.y + f->z.z * v.z);
}

static inline struct vec3 frame3_apply(const struct frame3 *f, struct vec3 p)
{
    return vec3_add(f->o, frame3_turn(f, p));
}

static inline struct vec3 frame3_unturn(const struct frame3 *f, struct vec3 v)
{
    return vec3(vec3_dot(f->x, v), vec3_dot(f->y, v), vec3_dot(f->z, v));
}

static inline struct vec3 frame3_unapply(const struct frame3 *f, struct vec3 p)
{
    return frame3_unturn(f, vec3_sub(p, f->o));
}

/* inner placed in outer */
static inline struct frame3 frame3_then(const struct frame3 *outer, const struct frame3 *inner)
{
    return (struct frame3){frame3_turn(outer, inner->x), frame3_turn(outer, inner->y),
                           frame3_turn(outer, inner->z), frame3_apply(outer, inner->o)};
}

/* At o, turned about z by yaw, then about its own x by pitch, then about its own y by roll. */
struct frame3 frame3_at(struct vec3 o, double yaw, double pitch, double roll);

#endif
