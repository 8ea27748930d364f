/* Clouds that are hard for geometry, shared by the tests of farthest points, neighbours and
 * pyramids. */
#ifndef TESTS_CLOUDS_H
#define TESTS_CLOUDS_H

#include "core/random.h"

#include <stdint.h>

enum cloud_kind {
    CLOUD_RANDOM,
    CLOUD_CLUSTERED,
    CLOUD_PLANAR,
    CLOUD_COLLINEAR,
    CLOUD_DUPLICATES, /* a lattice of 64 places: most points have duplicates */
    CLOUD_ONE_PLACE,
    CLOUD_FAR, /* coordinates up to 1e7, as after large local offsets */
    CLOUD_ROOM,
    CLOUD_KINDS
};

static inline float cloud_number(struct random *r, float low, float high)
{
    return low + (high - low) * (float)random_uniform(r);
}

/* Walls, floor, ceiling and a table of a room of 2 x 2 x 3. */
static inline void cloud_room_point(float *p, struct random *r)
{
    float u = cloud_number(r, -1, 1), v = cloud_number(r, -1, 1), h = cloud_number(r, 0, 3);
    uint32_t part = random_below(r, 16);
    if (part < 6) { /* floor, ceiling */
        p[0] = u, p[1] = v, p[2] = part < 3 ? 0.0f : 3.0f;
    } else if (part < 13) { /* two walls */
        p[0] = part < 10 ? -1.0f : u, p[1] = part < 10 ? v : 1.0f, p[2] = h;
    } else {
        p[0] = 0.4f * u, p[1] = 0.4f * v, p[2] = 0.75f;
    }
    for (int i = 0; i < 3; i++)
        p[i] += cloud_number(r, -0.01f, 0.01f);
}

static inline void cloud_make(float *xyz, int32_t n, enum cloud_kind kind, uint64_t seed)
{
    struct random r = random_start(random_stream(seed, 0, (uint32_t)kind, RANDOM_TEST), 0);
    for (int64_t i = 0; i < n; i++) {
        float *p = xyz + 3 * i;
        for (int axis = 0; axis < 3; axis++)
            p[axis] = cloud_number(&r, -1, 1);
        float t = p[0];
        switch (kind) {
        case CLOUD_CLUSTERED: {
            float at = (float)random_below(&r, 5);
            p[0] = at + 0.01f * p[0], p[1] = at * at * 0.3f + 0.01f * p[1], p[2] *= 0.01f;
            break;
        }
        case CLOUD_PLANAR:
            p[2] = 0.25f;
            break;
        case CLOUD_COLLINEAR:
            p[1] = 2 * t, p[2] = -t;
            break;
        case CLOUD_DUPLICATES:
            for (int axis = 0; axis < 3; axis++)
                p[axis] = 0.1f * (float)random_below(&r, 4);
            break;
        case CLOUD_ONE_PLACE:
            p[0] = p[1] = p[2] = 0.5f;
            break;
        case CLOUD_FAR:
            for (int axis = 0; axis < 3; axis++)
                p[axis] = 1e7f * p[axis];
            break;
        case CLOUD_ROOM:
            cloud_room_point(p, &r);
            break;
        default:
            break;
        }
    }
}

#endif
