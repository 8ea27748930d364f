/* Furniture by kind of room. */
#ifndef SYNTH_FURNISH_H
#define SYNTH_FURNISH_H

#include "synth/room.h"

void furnish(struct room *r);

#endif
