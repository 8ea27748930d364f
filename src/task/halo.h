/* Halos: the surroundings of a cloud, in the files beside it.
 *
 * Files of one survey or building are neighbours by their bounding boxes. From a file's neighbours,
 * all points are read that belong to tiles of the world grid with a point of the file
 * (sampling/tiling.h). So these tiles are the same as those of one large cloud, and so are their
 * labels. Boxes come from headers if the format has them; other files are read once. */
#ifndef TASK_HALO_H
#define TASK_HALO_H

#include "cloud/cloud.h"
#include "config/inputs.h"
#include "core/call.h"
#include "sampling/tiling.h"

/* How far a prediction looks. */
struct halo_reach {
    double halo; /* at least this far; 0: no halo */
    bool wide;   /* the points within `halo` get labels too: those of the file depend on them */
    struct tiling_options tiling;
};

/* A cloud of the network's input: coordinates and inputs. The points of the file come first. */
struct halo {
    struct glt_cloud *cloud;
    int64_t wanted; /* how many of its points get labels */
};

/* Files that may be neighbours. */
struct halo_files {
    const char *const *paths; /* (n) */
    int32_t n;
    const char *reading;                                     /* options of glt_cloud_read */
    int (*find_box)(double box[4], void *user, int32_t i);   /* a stored box; 1: found */
    void (*keep_box)(void *user, int32_t i, const double *); /* a box that was measured */
    void *user;                                              /* of both */
    double (*box)[4];                                        /* (n) x, y, X, Y */
};

/* Finds all boxes; they are memory of the call. */
int halo_find_boxes(struct halo_files *files, struct call *call);
/* The numbers of the files from which file i may need points; memory of the call. */
int halo_neighbours(int32_t **list, int32_t *n, struct call *call, const struct halo_files *files,
                    int32_t i, const struct halo_reach *r);
/* The cloud of file i with its neighbours list (n). Release it with halo_free. */
int halo_read(struct halo *out, const struct glt_cloud *c, const struct halo_files *files,
              int32_t i, const int32_t *list, int32_t n, const struct halo_reach *r,
              const struct inputs *inputs);
void halo_free(struct halo *h);

#endif
