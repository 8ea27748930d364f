/* The types of data sets, one file each: rows of the table in dataset.c. */
#ifndef DATA_TYPES_H
#define DATA_TYPES_H

#include "data/dataset.h"

extern const struct dataset_type dataset_modelnet_npz; /* shapes packed by numpy */
extern const struct dataset_type dataset_rooms;        /* S3DIS, and rooms laid out like it */

enum { S3DIS_CLASSES = 13 };
extern const char *const s3dis_classes[S3DIS_CLASSES];

#endif
