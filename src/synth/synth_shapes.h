/* Small objects of labelled parts, for part segmentation and classification. */
#ifndef SYNTH_SYNTH_SHAPES_H
#define SYNTH_SYNTH_SHAPES_H

#include "gelatto.h"
#include "synth/synth_make.h"

/* Parts are numbered through all categories, as in ShapeNetPart. */
struct shape_category {
    const char *name;
    const char *parts;                        /* names separated by blanks */
    void (*make)(struct maker *m, int first); /* first: number of the category's first part */
};
extern const struct shape_category shape_categories[];
extern const int shape_categories_n;

int synth_shape_parts(int category, int *first); /* how many; *first: number of the first */
/* "chair.back" of part number i. */
void synth_part_name(char *dst, size_t size, int part);

struct synth_shapes {
    uint64_t seed;
    int shapes;     /* per category */
    int64_t points; /* per shape */
};
struct synth_shapes synth_shapes_default(void);
/* Shape `index` of a category: x y z in the unit ball, z up, nx ny nz (f32), label = part (u8). */
int synth_shape(struct glt_cloud **out, const struct synth_shapes *o, int category, int index);
/* train, val, test (7 : 1 : 2) with a folder per category, shapes.yaml for their parts,
 * classes.yaml for whole shapes. */
int synth_shapes_write(const char *folder, const struct synth_shapes *o, bool replace);

#endif
