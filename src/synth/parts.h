/* The categories of parametric objects. Parts are numbered through all of them, as in ShapeNetPart.
 */
#ifndef SYNTH_PARTS_H
#define SYNTH_PARTS_H

#include "synth/maker.h"

struct parts_category {
    const char *name;
    const char *parts;                        /* names separated by blanks */
    void (*make)(struct maker *m, int first); /* first: number of the category's first part */
};
extern const struct parts_category parts_categories[];
extern const int parts_categories_n;

#endif
