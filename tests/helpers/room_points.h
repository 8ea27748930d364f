/* A room for tests of the network: points on the floor, the ceiling, two walls and a box of a tile
 * of 2 m x 2 m, with colours. Labels are the surfaces. */
#ifndef ROOM_POINTS_H
#define ROOM_POINTS_H

#include "core/random.h"

enum { ROOM_SURFACES = 5 };

/* label may be NULL. */
static inline void room_points(float *xyz, float *colour, int32_t *label, int n, uint32_t sample)
{
    struct random r = random_start(random_stream(9, 0, sample, RANDOM_TEST), 0);
    for (int i = 0; i < n; i++) {
        float *p = xyz + 3 * i;
        for (int a = 0; a < 3; a++) {
            p[a] = (float)(random_uniform(&r) * (a == 2 ? 3 : 2)) - (a == 2 ? 0 : 1);
            colour[3 * i + a] = (float)random_uniform(&r);
        }
        uint32_t side = random_below(&r, ROOM_SURFACES);
        if (side < 2)
            p[2] = side ? 3 : 0;
        else if (side < 4)
            p[side - 2] = 1;
        else
            p[0] *= 0.4f, p[1] *= 0.4f, p[2] *= 0.25f;
        if (label)
            label[i] = (int32_t)side;
    }
}

#endif
