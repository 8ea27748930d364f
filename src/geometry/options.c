/* The pyramid that the option table asks for. */
#include "config/config.h"
#include "geometry/pyramid.h"

_Static_assert((int)NEIGHBOURS_RANDOM == (int)CONFIG_RANDOM &&
                   (int)NEIGHBOURS_FIRST == (int)CONFIG_FIRST &&
                   (int)NEIGHBOURS_NEAREST == (int)CONFIG_NEAREST &&
                   (int)NEIGHBOURS_KNN == (int)CONFIG_KNN,
               "the words of `neighbours` and geometry's rules are numbered alike");

struct pyramid_options pyramid_options_of(const struct config *c, int32_t task)
{
    struct pyramid_options o = {.radius2_factor = (float)c->network.radius2_factor,
                                .rule = (enum neighbour_rule)c->network.neighbours,
                                .fps_start = c->network.fps_start,
                                .pad = c->network.underfull == UNDERFULL_PAD,
                                .decoder = task != TASK_CLASSIFY,
                                .seed = (uint64_t)c->seed};
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        o.levels[l] = c->network.levels[l];
        o.k[l] = c->network.k[l];
        o.radius[l] = (float)c->network.radius[l];
    }
    return o;
}
