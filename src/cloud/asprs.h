/* Classes of the ASPRS by name: the numbers that LAS files have for them. */
#ifndef CLOUD_ASPRS_H
#define CLOUD_ASPRS_H

#include <stdint.h>

/* The number of a class, in any case of its letters; -1 if the ASPRS has none of that name. */
int32_t asprs_number(const char *name);

#endif
