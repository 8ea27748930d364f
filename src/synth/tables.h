/* Tables. */
#ifndef SYNTH_TABLES_H
#define SYNTH_TABLES_H

#include "synth/maker.h"

maker_fn tables_desk, tables_conference, tables_round, tables_coffee, tables_folding,
    tables_pedestal;

#endif
