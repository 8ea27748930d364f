/* Blocks: square columns of a scene (docs/data.md, "From clouds to batches").
 *
 * Training draws a column around a random point; testing cuts the scene by a grid from its minimum
 * corner and deals the points of every column into samples until each has been drawn, so that every
 * point gets a label. A sample's coordinates are x and y from the column's centre, z from the
 * scene's floor. */
#ifndef SAMPLING_BLOCKS_H
#define SAMPLING_BLOCKS_H

#include "sampling/item.h"

struct block_options {
    double edge;
    int32_t least;  /* a training column with fewer points is drawn again, ten times at the most */
    int32_t points; /* of a sample at the most */
    uint64_t seed;
    int32_t cut, cuts; /* testing: the grid begins cut / cuts of an edge before the corner */
};

/* The column of one training sample: its rows of x, ascending, into rows (x->n); their number. */
int32_t block_draw(int32_t *rows, float centre[3], const struct item *x,
                   const struct block_options *o, uint32_t epoch, uint32_t sample);

/* How a scene is dealt in testing. */
struct coverage {
    int32_t blocks, samples, points;
    int32_t cut;
    int32_t before; /* samples of the cuts before this one: its own are numbered from there */
    uint64_t seed;
    int32_t *start; /* (blocks + 1) of each block's rows */
    int32_t *rows;  /* (n) rows of the item, block after block, in the order they are drawn */
    int32_t *first; /* (blocks + 1) first sample of each block */
    float *centre;  /* (blocks, 3) */
};

/* Samples a scene will be dealt into; GLT_ELIMIT if it is too wide for its blocks. */
int coverage_count(int32_t *samples, const struct item *x, const struct block_options *o);
int coverage_make(struct coverage *out, const struct item *x, const struct block_options *o);
void coverage_free(struct coverage *c);
int32_t coverage_size(const struct coverage *c, int32_t sample); /* points of it */
/* Rows of the item (coverage_size of them), each once. */
void coverage_rows(int32_t *rows, float centre[3], const struct coverage *c, int32_t sample);

#endif
