/* The room itself: outline, floor, ceiling, walls. */
#ifndef SYNTH_SHELL_H
#define SYNTH_SHELL_H

#include "synth/room.h"

void shell_outline(struct room *r);
void shell_build(struct room *r); /* floor, ceiling, walls around the openings */

#endif
