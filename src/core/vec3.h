/* Vectors in double, made of +, -, *, / and sqrt only: the same bits everywhere. */
#ifndef CORE_VEC3_H
#define CORE_VEC3_H

struct vec3 {
    double x, y, z;
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

#endif
