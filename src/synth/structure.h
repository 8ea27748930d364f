/* What belongs to the building. */
#ifndef SYNTH_STRUCTURE_H
#define SYNTH_STRUCTURE_H

#include "synth/room.h"

void structure_build(struct room *r);    /* columns, beams, lights, ducts */
void structure_fixtures(struct room *r); /* boards, radiators, screens: furniture keeps off them */
void structure_details(struct room *r);  /* posters, switches: where furniture left space */

#endif
