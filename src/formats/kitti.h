/* SemanticKITTI scans: a reader that is given open files. */
#ifndef FORMATS_KITTI_H
#define FORMATS_KITTI_H

#include "formats/format.h"

#include <limits.h>

/* Fills an empty cloud from the scan f and its labels, NULL without them. */
int kitti_read(struct call *call, struct glt_cloud *c, struct file *f, struct file *labels,
               const struct format_options *o);
/* The label file that is read with a scan; false if there is none, or path is not a scan. */
bool kitti_label_file(char dst[PATH_MAX], const char *path);

#endif
