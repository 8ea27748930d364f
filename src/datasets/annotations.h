/* A room of S3DIS as published: a folder Annotations with one text file of "x y z r g b" lines per
 * object, named <class>_<k>.txt. */
#ifndef DATASETS_ANNOTATIONS_H
#define DATASETS_ANNOTATIONS_H

#include "datasets/dataset.h"

struct file;

/* Calls back with the class of every object. */
int annotations_classes(const char *room, int (*fn)(void *user, const char *name), void *user);
/* All objects of a room as one cloud: x y z, red green blue, label (the dataset's classes) and
 * instance. Lines with bytes that are not text (as in the published files) are repaired with a
 * warning. */
int annotations_read(struct glt_cloud **out, const char *room, const struct dataset *d);
/* One object alone, all points of one class. */
int annotations_read_object(struct glt_cloud **out, struct file *f, int32_t class);

#endif
