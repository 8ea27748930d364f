/* Scenes of simple solids, and rays through them.
 *
 * A solid is a shape in its own frame with a label, an instance and a paint. After scene_finish a
 * scene is read-only and any number of threads may cast rays. Failures while adding are remembered
 * and returned by scene_finish, so that builders read as plain lists of parts. Everything is plain
 * double arithmetic: the same hits on every platform. */
#ifndef SYNTH_SCENE_H
#define SYNTH_SCENE_H

#include "core/vec3.h"
#include "synth/paint.h"
#include "synth/solid.h"

#include <stdbool.h>
#include <stdint.h>

struct scene_node {
    struct vec3 low, high;
    int32_t first, count; /* count > 0: solids [first, first + count); else children first, +1 */
};

struct scene {
    struct solid *solids;
    struct paint *paints;
    struct scene_node *nodes;
    int32_t solids_n, paints_n, nodes_n;
    int error;
};

void scene_free(struct scene *s); /* accepts a zeroed one */
void scene_add(struct scene *s, const struct solid *solid);
uint16_t scene_paint(struct scene *s, const struct paint *paint);
/* Builds the tree; reorders solids. */
int scene_finish(struct scene *s);
/* Nearest hit with nearest < t < farthest. */
bool scene_cast(const struct scene *s, struct ray_hit *hit, const struct ray *ray, double nearest,
                double farthest);
/* Whether anything opaque stands within (nearest, farthest). */
bool scene_blocked(const struct scene *s, const struct ray *ray, double nearest, double farthest);

#endif
