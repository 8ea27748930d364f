/* Roofs of aerial scenes: what covers a wing of a building, and what stands on it.
 *
 * A wing is `size` wide (x), deep (y) and high, centred at the site's frame. Ridges run along x. */
#ifndef SYNTH_ROOFS_H
#define SYNTH_ROOFS_H

#include "synth/site.h"

enum roof_kind {
    ROOF_GABLE,
    ROOF_HIP,
    ROOF_HALF_HIP,
    ROOF_LEAN,    /* one plane that falls to the back */
    ROOF_SALTBOX, /* two planes of different slopes */
    ROOF_MANSARD, /* steep below, shallow above, on four sides */
    ROOF_GAMBREL, /* the same on two sides */
    ROOF_FLAT,    /* with a parapet and plant */
    ROOF_BARE,    /* flat, with nothing on it */
    ROOF_SAWTOOTH,
    ROOF_BARREL
};

enum roof_kind roofs_draw(struct site *s); /* of a house in this area */
void roofs_cover(struct site *s, struct vec3 size, enum roof_kind kind, double pitch);
/* Chimneys and dormers. */
void roofs_details(struct site *s, struct vec3 size, enum roof_kind kind, double pitch);

#endif
