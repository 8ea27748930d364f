/* Chairs and sofas. */
#ifndef SYNTH_SEATS_H
#define SYNTH_SEATS_H

#include "synth/maker.h"

maker_fn seats_chair_office, seats_chair_plain, seats_chair_cantilever, seats_stool, seats_sofa,
    seats_corner_sofa, seats_armchair, seats_bench_sofa;

#endif
