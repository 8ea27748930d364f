/* The points of a cloud that a page shows, and a digest of the cloud. gelatto view writes both into
 * the page, a patch repeats them, and gelatto patch finds the same points again. */
#ifndef TASK_SHOWN_H
#define TASK_SHOWN_H

#include "cloud/cloud.h"
#include "core/call.h"
#include "datasets/digest.h"

struct shown {
    float *xyz; /* (n, 3) of the whole cloud, relative to the origin */
    double origin[3];
    int32_t *rows; /* (m) ascending: those of geometry/subset.h */
    int64_t m;
};

int shown_find(struct shown *out, struct call *call, const struct glt_cloud *c, int64_t max);

/* The digest of the number of points and their coordinates, in the order of the file. It ignores
 * labels and other attributes, so that corrections outlive a new prediction. */
int shown_digest(char hex[DIGEST_SIZE], const struct glt_cloud *c);

#endif
