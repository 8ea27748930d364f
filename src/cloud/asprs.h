/* Classes of the ASPRS by name: their numbers in LAS files. */
#ifndef CLOUD_ASPRS_H
#define CLOUD_ASPRS_H

#include "cloud/classes.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of a class, ignoring case; -1 if the ASPRS has none of that name. */
int32_t asprs_number(const char *name);
const char *asprs_name(int32_t number); /* NULL if the ASPRS has none */
/* The usual colour of a class of that name; false, with rgb unchanged, if there is none. */
bool asprs_colour(uint8_t rgb[3], const char *name);
/* numbers (c->n): a number for each class that other programs do not misread: that of the ASPRS, or
 * one from 64 on, which are free for users. False if there are too many. */
bool asprs_number_all(uint8_t *numbers, const struct classes *c);

#endif
