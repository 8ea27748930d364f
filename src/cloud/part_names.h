/* Names for parts that a dataset defines by number alone. */
#ifndef CLOUD_PART_NAMES_H
#define CLOUD_PART_NAMES_H

#include "cloud/classes.h"

/* Gives the parts of ShapeNetPart their usual names ("chair back") instead of "Chair 1". Only if
 * all categories are those of ShapeNetPart, with as many parts: another dataset may mean something
 * else. Models that were trained with the numbers get the names when they are loaded. */
int part_names_apply(struct classes *c);

#endif
