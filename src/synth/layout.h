/* The plan of an aerial scene: ground, water, streets, plots and what stands on them. */
#ifndef SYNTH_LAYOUT_H
#define SYNTH_LAYOUT_H

#include "synth/site.h"

/* Fills a new site of this kind and style; both scenes and the ground are finished afterwards. */
int layout_build(struct site *s);

#endif
