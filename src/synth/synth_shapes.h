/* Small objects of labelled parts, for part segmentation and classification. */
#ifndef SYNTH_SYNTH_SHAPES_H
#define SYNTH_SYNTH_SHAPES_H

#include "gelatto.h"

#include <stdbool.h>

int synth_shapes_parts(int category, int *first); /* how many; *first: number of the first */
/* "chair.back" of part number i. */
void synth_shapes_part_name(char *dst, size_t size, int part);

struct synth_shapes {
    uint64_t seed;
    int shapes;     /* per category */
    int64_t points; /* per shape */
};
struct synth_shapes synth_shapes_default(void);
/* Shape `index` of a category: x y z in the unit ball, z up, nx ny nz (f32), label = part (u8). */
int synth_shapes_cloud(struct glt_cloud **out, const struct synth_shapes *o, int category,
                       int index);

#endif
