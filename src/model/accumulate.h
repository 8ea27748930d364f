/* Gradients of the mini-batches of a step, added in a fixed binary tree: leaf i is mini-batch i,
 * siblings are added from left to right, a node without a right sibling moves up as it is. The sum
 * is a function of the leaves alone. Whoever has some neighbouring leaves adds what it can of the
 * tree and keeps the rest as partial sums, at most log2 of them beside the last leaf if their
 * number is a power of two and they begin at a multiple of it. */
#ifndef MODEL_ACCUMULATE_H
#define MODEL_ACCUMULATE_H

#include "kernels/real.h"

#include <stdint.h>

enum { ACCUMULATE_NODES = 26 }; /* suffice for 4096 leaves */

/* A partial sum: leaves index << level to (index + 1) << level. */
struct accumulate_node {
    int32_t level, index;
    real *sum; /* (size) */
};

struct accumulate {
    int64_t size;
    real *leaf;  /* (size) where gradients are computed */
    real *block; /* (buffers, size) */
    int buffers;
    struct accumulate_node nodes[ACCUMULATE_NODES + 1];
    int n;
};

/* For the leaves first to end - 1, computed in `leaf`, which outlives it. */
int accumulate_create(struct accumulate *a, real *leaf, int64_t size, int32_t first, int32_t end);
void accumulate_free(struct accumulate *a); /* accepts an empty one */
/* Partial sums it needs besides the leaf. */
int accumulate_buffers(int32_t first, int32_t end);

void accumulate_begin(struct accumulate *a); /* a step; what was there is dropped */
void accumulate_keep(struct accumulate *a);  /* before the next leaf is computed */
/* The leaf is computed: leaves come in their order, without gaps. */
void accumulate_add(struct accumulate *a, int32_t index);

/* The partial sums that stay of leaves first to end - 1; how many. Their sums are not set. */
int accumulate_list(struct accumulate_node nodes[ACCUMULATE_NODES + 1], int32_t first, int32_t end);
/* Adds neighbouring partial sums, and at the end all that is left: the tree's root, times scale,
 * into `out`, which may be one of them. n = 0 gives zeros. Changes the sums. */
void accumulate_fold(real *out, struct accumulate_node *nodes, int n, int64_t size, double scale);

#endif
