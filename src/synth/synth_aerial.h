/* Synthetic aerial lidar: towns and country, seen from an aircraft.
 *
 * A scene is a pure function of (seed, area, index, size, density): the same bytes on every
 * machine, with every compiler and number of threads. */
#ifndef SYNTH_SYNTH_AERIAL_H
#define SYNTH_SYNTH_AERIAL_H

#include "gelatto.h"

enum { SYNTH_AERIAL_CLASSES = 4, SYNTH_AERIAL_NUMBERS = 8, SYNTH_AERIAL_AREAS = 6 };

/* ground, vegetation, building, other */
extern const char *const synth_aerial_class_names[SYNTH_AERIAL_CLASSES];
/* Numbers of the ASPRS, what they are called in files, and the class that each belongs to. The
 * first of a class is what predictions are written as. */
extern const struct synth_aerial_number {
    int32_t number, class;
    const char *name;
} synth_aerial_numbers[SYNTH_AERIAL_NUMBERS];

struct synth_aerial {
    uint64_t seed;
    int scenes;     /* per area */
    double size;    /* metres along each side */
    double density; /* points per square metre; 0: every scene has its own, 1 to 60 */
};
struct synth_aerial synth_aerial_default(void);
int synth_aerial_check(const struct synth_aerial *o); /* GLT_EARGUMENT says what is wrong */

/* Scene `index` (from 0) of area 1..6: x y z (f32), intensity (u16), return_number,
 * number_of_returns (u8), scan_angle (i8), label (u8). */
int synth_aerial_cloud(struct glt_cloud **out, const struct synth_aerial *o, int area, int index);
/* "suburb_1", numbered per kind. */
void synth_aerial_name(char *dst, size_t size, int index);

#endif
