/* The 13 classes of S3DIS and the names of its areas, for all datasets with its layout. */
#ifndef DATASETS_ROOMS_H
#define DATASETS_ROOMS_H

#include <stdbool.h>
#include <stdint.h>

enum { ROOMS_CLASSES = 13 };
extern const char *const rooms_classes[ROOMS_CLASSES];

/* The number after the last "Area_" of a room's path; -1 if there is none. */
int64_t rooms_area(const char *path);
/* Whether a file is the angle of an area, which S3DIS has beside the rooms. */
bool rooms_is_angle(const char *path);

#endif
