/* Cubes: space divided into cubes of one edge. Those that hold points are numbered in order of
 * discovery. They are found by hashing, because most cubes are empty. */
#ifndef SAMPLING_CUBES_H
#define SAMPLING_CUBES_H

#include <stdint.h>

struct cube {
    int32_t at[3]; /* in edges, from `first` */
};

struct cubes {
    const float *xyz;        /* (rows, 3) */
    double low[3];           /* the origin of the cubes */
    double first[3];         /* the cube of coordinates 0, in edges from the origin */
    double edge, per_length; /* and 1 / edge */
    int32_t n;               /* cubes that hold points */
    struct cube *cube;       /* (n) */
    int32_t *row;            /* (n) a point of each: the first, unless the caller replaces it */
    uint32_t *slot;          /* (size) 1 + the number of a cube; 0: empty */
    uint64_t size;           /* a power of two, or 0 */
};

/* Starts without cubes; memory of an earlier use is kept. */
void cubes_begin(struct cubes *c, const float *xyz, const double low[3], double edge);
void cubes_free(struct cubes *c);
/* The number of the cube that holds a row, or GLT_ENOMEM. */
int32_t cubes_find(struct cubes *c, int32_t row);
/* The squared distance of a row from the centre of its cube. */
double cubes_off_centre(const struct cubes *c, int32_t row);

#endif
