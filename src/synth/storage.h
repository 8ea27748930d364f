/* Bookcases, shelving, cabinets and large appliances. */
#ifndef SYNTH_STORAGE_H
#define SYNTH_STORAGE_H

#include "synth/maker.h"

maker_fn storage_bookcase, storage_bookcase_low, storage_shelving, storage_shelf_wall,
    storage_cabinet, storage_filing, storage_fridge, storage_counter;

#endif
