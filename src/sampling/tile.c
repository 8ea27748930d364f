/* The tile of a training sample: see tile.h. */
#include "sampling/tile.h"

#include <math.h>

enum { TRIES = 10 };

int32_t tile_draw(int32_t *rows, float centre[3], const struct item *x,
                  const struct sampling_settings *s, struct random_key key)
{
    struct random_stream stream = random_stream(key.seed, key.epoch, key.sample, RANDOM_BLOCK);
    struct random r = random_start(stream, 0);
    float half = (float)(s->block / 2);
    int32_t n = 0;
    for (int t = 0; t < TRIES; t++) {
        const float *p = x->xyz + 3 * (int64_t)random_below(&r, (uint32_t)x->n);
        centre[0] = p[0];
        centre[1] = p[1];
        centre[2] = x->low[2];
        n = 0;
        for (int32_t i = 0; i < x->n; i++) {
            const float *q = x->xyz + 3 * (int64_t)i;
            rows[n] = i; /* kept if it is inside: no branch to be mispredicted */
            n += (fabsf(q[0] - centre[0]) <= half) & (fabsf(q[1] - centre[1]) <= half);
        }
        if (n >= s->block_min || n == x->n)
            break;
    }
    return n;
}
