/* Halos: what lies around a cloud in the files beside it.
 *
 * Files of one survey or building are neighbours by their bounding boxes. Of a file's neighbours
 * those points are read that tiles of the world grid with a point of the file are made of
 * (sampling/tiling.h), so these tiles are the same as those of one large cloud, and so are the
 * labels in them. Boxes come from headers where the format has them; other files are read once. */
#ifndef TASK_HALO_H
#define TASK_HALO_H

#include "cloud/cloud.h"
#include "config/inputs.h"
#include "core/call.h"
#include "sampling/tiling.h"

/* How far a prediction looks. */
struct halo_reach {
    double halo; /* at least so far; 0: it does not */
    bool wide;   /* the points within `halo` get labels too: those of the file depend on them */
    struct tiling_options tiling;
};

/* A cloud of what the network sees: coordinates and inputs. First stand the points of the file. */
struct halo {
    struct glt_cloud *cloud;
    int64_t wanted; /* how many of its points get labels */
};

/* Files that may be neighbours. */
struct halo_files {
    const char *const *paths; /* (n) */
    int32_t n;
    const char *reading;                                     /* options of glt_cloud_read */
    int (*find_box)(double box[4], void *user, int32_t i);   /* a box that was kept; 1: there is */
    void (*keep_box)(void *user, int32_t i, const double *); /* one that took reading the file */
    void *user;                                              /* of both */
    double (*box)[4];                                        /* (n) x, y, X, Y */
};

/* Finds all boxes; they are memory of the call. */
int halo_find_boxes(struct halo_files *files, struct call *call);
/* The numbers of the files that file i may need points of; memory of the call. */
int halo_neighbours(int32_t **list, int32_t *n, struct call *call, const struct halo_files *files,
                    int32_t i, const struct halo_reach *r);
/* The cloud of file i with its neighbours list (n). Release it with halo_free. */
int halo_read(struct halo *out, const struct glt_cloud *c, const struct halo_files *files,
              int32_t i, const int32_t *list, int32_t n, const struct halo_reach *r,
              const struct inputs *inputs);
void halo_free(struct halo *h);

#endif
