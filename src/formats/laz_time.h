/* GPS times in LAZ, as the item GPSTIME11 and as a layer of POINT14. */
#ifndef FORMATS_LAZ_TIME_H
#define FORMATS_LAZ_TIME_H

#include "formats/laz_arith.h"

#include <stdbool.h>
#include <stdint.h>

/* Four sequences of times, for interleaved points of several flight lines or pulses. A time is
 * coded as an integer, by its bits: as a multiple of its sequence's usual difference. */
struct laz_time {
    uint64_t last[4];
    int32_t difference[4];
    int32_t extremes[4];                 /* how often in a row the usual difference was far off */
    uint32_t now, next;                  /* the sequence in use, and the one begun last */
    bool repeats;                        /* a time may be that of the point before: GPSTIME11 */
    struct laz_model *of_none, *of_some; /* (1): for a usual difference of zero, or another */
    struct laz_integer value;
};

void laz_time_bind(struct laz_time *t, struct arena *a, bool repeats, bool encode);
void laz_time_start(struct laz_time *t, uint64_t first);
uint64_t laz_time_decode(struct laz_coder *c, struct laz_time *t);
void laz_time_encode(struct laz_coder *c, struct laz_time *t, uint64_t time);

#endif
