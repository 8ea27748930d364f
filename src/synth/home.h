/* Things of flats, kitchens and bedrooms, which offices do not have. All of them are clutter. */
#ifndef SYNTH_HOME_H
#define SYNTH_HOME_H

#include "synth/maker.h"

maker_fn home_bed, home_wardrobe, home_kitchen, home_curtain, home_television, home_heap,
    home_bicycle, home_toilet, home_washstand, home_dresser;

#endif
