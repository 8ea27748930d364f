/* Synthetic rooms: furnished, and scanned by ray casting.
 *
 * A room is a pure function of (seed, area, index, points): the same bytes on every machine, with
 * every compiler and number of threads. Random draws stand alone in their statements because C does
 * not order the operands of an expression. */
#ifndef SYNTH_SYNTH_ROOMS_H
#define SYNTH_SYNTH_ROOMS_H

#include "gelatto.h"

#include <stdbool.h>

enum { SYNTH_CLASSES = 13, SYNTH_AREAS = 6 };

/* ceiling, floor, wall, ...: the order of S3DIS */
extern const char *const synth_rooms_class_names[SYNTH_CLASSES];

struct synth_rooms {
    uint64_t seed;
    int rooms;      /* per area */
    int64_t points; /* per room */
    bool real;      /* like reconstructions of depth cameras: docs/explanation/synthetic-data.md */
};
struct synth_rooms synth_rooms_default(void);
int synth_rooms_check(const struct synth_rooms *o); /* GLT_EARGUMENT says what is wrong */

/* Room `index` (from 0) of area 1..6: x y z (f32), red green blue, label (u8), instance (u16). */
int synth_rooms_cloud(struct glt_cloud **out, const struct synth_rooms *o, int area, int index);
/* "office_1", numbered per kind as S3DIS does. */
void synth_rooms_name(char *dst, size_t size, int index);

#endif
