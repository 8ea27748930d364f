/* The types of data sets, one file each: rows of the table in dataset.c. */
#ifndef DATASETS_TYPES_H
#define DATASETS_TYPES_H

#include "datasets/dataset.h"

extern const struct dataset_type dataset_synth;        /* rooms made in memory */
extern const struct dataset_type dataset_folder;       /* any folder, by a YAML file */
extern const struct dataset_type dataset_modelnet_npz; /* shapes packed by numpy */
extern const struct dataset_type dataset_modelnet;     /* normal_resampled text */
extern const struct dataset_type dataset_shapenet_npz; /* shapes with parts packed by numpy */
extern const struct dataset_type dataset_shapenet;     /* text trees of both editions */
extern const struct dataset_type dataset_scannet;      /* scans packed by numpy */
extern const struct dataset_type dataset_rooms;        /* S3DIS, and rooms laid out like it */

void entry_clear(struct entry *e); /* releases its texts, and zeroes it */
/* Brings the splits of an opened set into the form that d->settings ask for; GLT_EDATA if no cloud
 * is left. */
int splits_settle(struct dataset *d);

/* The error for a path that none of them knows. */
int dataset_refuse(const char *path);

/* What a probe answers where a look failed: no, unless that says nothing about the content. */
static inline int probe_failed(int code)
{
    return code == GLT_ENOMEM || code == GLT_EIO ? code : 0;
}

/* Failures that say nothing of the file at hand: no use in trying the next. */
static inline bool is_fatal(int code)
{
    return code == GLT_ENOMEM || code == GLT_EINTERRUPTED;
}

enum { S3DIS_CLASSES = 13 };
extern const char *const s3dis_classes[S3DIS_CLASSES];

/* The number behind the last "Area_" of a room's path; -1 if there is none. */
int64_t rooms_area(const char *path);

/* ModelNet: rows 0, 10, 20, .. of each class in the training list are for validation. */
enum { MODELNET_VALIDATION_EVERY = 10 };

#endif
