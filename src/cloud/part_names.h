/* Names of parts that a dataset defines by number alone. */
#ifndef CLOUD_PART_NAMES_H
#define CLOUD_PART_NAMES_H

#include "cloud/classes.h"

/* Gives the parts of ShapeNetPart the names of the field ("chair back") in place of "Chair 1". Only
 * where all categories are those of ShapeNetPart, with as many parts: those of another dataset may
 * mean something else. Models that were trained with the numbers get the names when they load. */
int part_names_apply(struct classes *c);

#endif
