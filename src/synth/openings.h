/* Doors and windows. */
#ifndef SYNTH_OPENINGS_H
#define SYNTH_OPENINGS_H

#include "synth/room.h"

void openings_build(struct room *r); /* decides where they are, and builds them */

#endif
