/* Clutter that stands on the floor or hangs on the wall. */
#ifndef SYNTH_CLUTTER_H
#define SYNTH_CLUTTER_H

#include "synth/maker.h"

maker_fn clutter_printer, clutter_cooler, clutter_bin, clutter_boxes, clutter_bag, clutter_plant,
    clutter_lamp_floor, clutter_coat_rack, clutter_ladder, clutter_radiator, clutter_television,
    clutter_trolley, clutter_extinguisher, clutter_bucket, clutter_rolls;

#endif
