/* Vectors and rigid frames in double, made of +, -, *, / and sqrt only: the same bits everywhere.
 */
#ifndef CORE_VEC3_H
#define CORE_VEC3_H

struct vec3 {
    double x, y, z;
};

/* A rigid placement: columns x, y, z are the local axes in the parent, o is the origin. */
struct frame3 {
    struct vec3 x, y, z, o;
};

static inline struct vec3 vec3(double x, double y, double z)
{
    return (struct vec3){x, y, z};
}

static inline struct vec3 vec3_add(struct vec3 a, struct vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 vec3_sub(struct vec3 a, struct vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct vec3 vec3_scale(struct vec3 a, double s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
static inline struct vec3 vec3_along(struct vec3 a, struct vec3 b, double s)
{
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double vec3_dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 vec3_cross(struct vec3 a, struct vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double vec3_length(struct vec3 a)
{
    return __builtin_sqrt(vec3_dot(a, a));
}

static inline struct vec3 vec3_unit(struct vec3 a)
{
    double length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : vec3(0, 0, 1);
}

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

/* At o, turned about z by yaw, then about the own x by pitch, then about the own y by roll. */
struct frame3 frame3_at(struct vec3 o, double yaw, double pitch, double roll);

/* sin and cos without libm, which differs between platforms; |x| < 1e5, error below 1e-15. */
void angle_sincos(double x, double *sine, double *cosine);
double angle_sin(double x);
/* in (-pi, pi] */
double angle_atan2(double y, double x);

#define ANGLE_PI 3.14159265358979323846

#endif
