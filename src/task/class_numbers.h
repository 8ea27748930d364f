/* Class numbers of a prediction, for formats that identify classes by number (LAS). */
#ifndef TASK_CLASS_NUMBERS_H
#define TASK_CLASS_NUMBERS_H

#include "cloud/classes.h"
#include "cloud/cloud.h"

/* Whether map, "floor:2,wall:70", names classes and numbers 0 to 254, each once; GLT_EARGUMENT
 * otherwise. */
int class_numbers_check(const struct classes *x, const char *map);
/* Records them in the cloud: from map (checked; NULL: none), else those of the model's training
 * data, else those of the ASPRS or free ones. */
int class_numbers_note(struct glt_cloud *c, const struct classes *x, const char *map);

#endif
