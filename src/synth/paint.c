/* Surface colours: value noise on a hashed lattice and a handful of patterns in the solid's own
 * coordinates, so that wood follows the board and tiles follow the floor. */
#include "synth/paint.h"

#include <stdbool.h>

/* Mixes lattice coordinates; full avalanche by two multiply-xorshift rounds. */
static uint32_t hash(int32_t x, int32_t y, int32_t z, uint32_t salt)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu ^
                 salt * 0x9e3779b9u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return h ^ h >> 15;
}

static double lattice(int32_t x, int32_t y, int32_t z, uint32_t salt)
{
    return (double)(hash(x, y, z, salt) >> 8) * 0x1p-24;
}

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

static double smooth(double t)
{
    return t * t * (3 - 2 * t);
}

double paint_noise(struct vec3 p, uint32_t salt)
{
    double fx = __builtin_floor(p.x), fy = __builtin_floor(p.y), fz = __builtin_floor(p.z);
    int32_t x = (int32_t)fx, y = (int32_t)fy, z = (int32_t)fz;
    double tx = smooth(p.x - fx), ty = smooth(p.y - fy), tz = smooth(p.z - fz);
    double plane[2];
    for (int k = 0; k < 2; k++) {
        double a = mix(lattice(x, y, z + k, salt), lattice(x + 1, y, z + k, salt), tx);
        double b = mix(lattice(x, y + 1, z + k, salt), lattice(x + 1, y + 1, z + k, salt), tx);
        plane[k] = mix(a, b, ty);
    }
    return mix(plane[0], plane[1], tz);
}

/* Local point -> two coordinates on the face it lies on. */
static void face_coordinates(struct vec3 p, struct vec3 n, double *u, double *v)
{
    double nx = n.x < 0 ? -n.x : n.x, ny = n.y < 0 ? -n.y : n.y, nz = n.z < 0 ? -n.z : n.z;
    if (nz >= nx && nz >= ny) {
        *u = p.x;
        *v = p.y;
    } else if (ny >= nx) {
        *u = p.x;
        *v = p.z;
    } else {
        *u = p.y;
        *v = p.z;
    }
}

static double fraction(double x)
{
    return x - __builtin_floor(x);
}

static int32_t cell(double x)
{
    return (int32_t)__builtin_floor(x);
}

static struct vec3 blend(struct vec3 a, struct vec3 b, double t)
{
    return vec3(mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t));
}

static struct vec3 print_block(const struct paint *paint, double u, double v, uint32_t salt)
{
    uint32_t h = hash(cell(u / paint->scale), cell(v / paint->scale * 1.7), 7, salt);
    if ((h & 3) == 0)
        return paint->second;
    if ((h & 3) == 1)
        return blend(paint->colour,
                     vec3((h >> 8 & 255) / 255.0, (h >> 16 & 255) / 255.0, (h >> 24) / 255.0), 0.5);
    return paint->colour;
}

struct vec3 paint_colour(const struct paint *paint, struct vec3 p, struct vec3 normal,
                         uint32_t salt)
{
    double u, v, s = paint->scale;
    face_coordinates(p, normal, &u, &v);
    struct vec3 a = paint->colour, b = paint->second;
    switch (paint->pattern) {
    case PAINT_TILES: {
        bool joint = fraction(u / s) * s < 0.012 || fraction(v / s) * s < 0.012;
        double shade = 0.96 + 0.08 * lattice(cell(u / s), cell(v / s), 1, salt);
        return joint ? b : vec3_scale(a, shade);
    }
    case PAINT_PLANKS: {
        int32_t row = cell(v / s);
        int32_t board = cell(u / (s * 9) + lattice(row, 3, 3, salt));
        double grain = paint_noise(vec3(u * 3, v * 40, 0), salt);
        return blend(a, b, 0.75 * lattice(row, board, 2, salt) + 0.25 * grain);
    }
    case PAINT_GRAIN: {
        double wide = paint_noise(vec3(p.x * 2, p.y * 18, p.z * 18), salt);
        double fine = paint_noise(vec3(p.x * 6, p.y * 90, p.z * 90), salt + 1);
        return blend(a, b, 0.6 * wide + 0.4 * fine);
    }
    case PAINT_SPECKLE:
        return blend(a, b, lattice(cell(u / s), cell(v / s), 5, salt));
    case PAINT_STRIPES:
        return fraction(u / s) < 0.5 ? a : b;
    case PAINT_BRICKS: {
        int32_t row = cell(v / s);
        double along = u / (s * 3) + ((row & 1) ? 0.5 : 0);
        bool joint = fraction(v / s) < 0.15 || fraction(along) < 0.05;
        double shade = 0.8 + 0.35 * lattice(cell(along), row, 4, salt);
        return joint ? b : vec3_scale(a, shade);
    }
    case PAINT_PRINT:
        return print_block(paint, u, v, salt);
    case PAINT_BLOTCH:
        return blend(a, b, paint_noise(vec3_scale(p, 1 / s), salt));
    default:
        return a;
    }
}
