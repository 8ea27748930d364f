/* Items: one cloud of a dataset, as the input of the network.
 *
 * Coordinates are local floats, the other input channels a separate array, labels are class numbers
 * with -1 for ignored points. Rows are in canonical order (network.md section 2), so that a
 * shuffled file gives the same item; `row` leads back to the rows of the file. Points whose
 * coordinates are not finite have no row. */
#ifndef SAMPLING_ITEM_H
#define SAMPLING_ITEM_H

#include "gelatto.h"

#include "config/inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct item {
    int32_t n, extra;
    float *xyz;       /* (n, 3) */
    float *features;  /* (n, extra); NULL if extra = 0 */
    int32_t *labels;  /* (n); NULL if points have none */
    int32_t labelled; /* points with a label, if samples are drawn only around these; else 0 */
    bool predicted;   /* the labels were predicted by a network */
    bool grey;        /* the cloud has no colours */
    int32_t *row;     /* (n) row of the file */
    int64_t rows;     /* of the file */
    int64_t wanted;   /* rows of the file below it get labels, others are only input; 0: all */
    double lattice;   /* on the world grid, coordinates are multiples of it; else 0 */
    float step;       /* of the coarse lattice on which coordinates lie; else 0 */
    int32_t category; /* class of the shape, category of its parts; -1: none */
    int32_t class_first, class_count; /* classes its points may have */
    float low[3];                     /* of xyz */
    double origin[3]; /* coordinates of the file = (xyz + origin), before any normalising */
};

/* Arrays of n points; rows count up. */
int item_new(struct item *x, int64_t n, int32_t extra, bool labels);
void item_clear(struct item *x);
int64_t item_bytes(const struct item *x);
/* Coordinates and channels of a cloud; without labels. `name` is for messages. */
int item_from_cloud(struct item *x, const struct glt_cloud *c, const struct inputs *inputs,
                    const char *name);
/* The same with coordinates on a lattice of that step: see cloud_local_steps. */
int item_from_cloud_steps(struct item *x, const struct glt_cloud *c, const struct inputs *inputs,
                          double step, const char *name);
/* Drops points whose coordinates are not finite, with a warning; an error if none is left. */
int item_keep_finite(struct item *x, const char *name);
/* out: the points of x that are kept (n), at least one, in the same order; the rest as in x. */
int item_select(struct item *out, const struct item *x, const bool *kept);
/* Drops the other points of x. */
int item_keep(struct item *x, const bool *kept);
/* Sorts into canonical order; before that, if unit_sphere, moves the mean to 0 and scales the
 * largest radius to 1. */
int item_finish(struct item *x, bool unit_sphere);
void item_find_low(struct item *x);
/* Turns the points of `from` about the axis `up`, and their normals, which are the features from
 * `normals` on (-1: there are none). `to` has arrays of the same size and may be `from`. */
void item_turn(struct item *to, const struct item *from, int32_t up, int32_t normals, double angle);

/* Copies rows of the item for a tile: xyz (n, 3) from its centre, features (n, extra). */
void item_gather(float *xyz, float *features, const struct item *x, const int32_t *rows, int32_t n,
                 const float centre[3]);
/* Sorts rows of the item into the canonical order of the points in a tile, which differs from that
 * of the item if the rounding of x - centre makes two coordinates equal. */
struct arena;
void item_sort_rows(int32_t *rows, int32_t n, const struct item *x, const float centre[3],
                    struct arena *scratch);
size_t item_sort_bytes(int32_t n, int32_t extra); /* of that scratch */

/* Items by number, from any source. Any thread may take one; it is shared and must be given
 * back. */
struct item_source {
    void *user;
    int32_t count;
    int (*take)(const struct item **out, void *user, int32_t i);
    void (*give)(void *user, int32_t i);
    int64_t (*points)(void *user, int32_t i);   /* of an item, without loading it */
    const char *(*name)(void *user, int32_t i); /* for messages; NULL: none */
    double (*weight)(void *user, int32_t i);    /* of its samples; 0: none; NULL: all equal */
};
/* Puts the name of an item, if it has one, before the message of an error. Returns the code. */
int item_source_blame(const struct item_source *s, int32_t i, int code);
struct item_source item_alone(const struct item *x); /* holds only this item, without a name */

#endif
