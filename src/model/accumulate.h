/* Gradients of the mini-batches of a step, added in a fixed binary tree: leaf i is mini-batch i,
 * siblings are added from left to right, a node without a right sibling moves up unchanged. So the
 * sum depends on the leaves alone. A process with consecutive leaves adds its part of the tree and
 * keeps partial sums: if the number of its leaves is a power of two and they begin at a multiple of
 * it, at most log2 of it besides the last leaf. */
#ifndef MODEL_ACCUMULATE_H
#define MODEL_ACCUMULATE_H

#include "kernels/real.h"

#include <stdint.h>

enum { ACCUMULATE_NODES = 26 }; /* enough for 4096 leaves */

/* A partial sum: leaves index << level to (index + 1) << level. */
struct accumulate_node {
    int32_t level, index;
    real *sum; /* (size) */
};

struct accumulate {
    int64_t size;
    real *leaf;  /* (size) receives each computed gradient */
    real *block; /* (buffers, size) */
    int buffers;
    struct accumulate_node nodes[ACCUMULATE_NODES + 1];
    int n;
};

/* For the leaves first to end - 1, computed in `leaf`, which must outlive it. */
int accumulate_create(struct accumulate *a, real *leaf, int64_t size, int32_t first, int32_t end);
void accumulate_free(struct accumulate *a); /* accepts an empty one */
/* The number of partial sums needed besides the leaf. */
int accumulate_buffers(int32_t first, int32_t end);

void accumulate_begin(struct accumulate *a); /* begins a step; drops earlier sums */
void accumulate_keep(struct accumulate *a);  /* call before computing the next leaf */
/* Adds a computed leaf: leaves come in their order, without gaps. */
void accumulate_add(struct accumulate *a, int32_t index);

/* Lists the partial sums left of leaves first to end - 1; returns how many. Their sums are
 * not set. */
int accumulate_list(struct accumulate_node nodes[ACCUMULATE_NODES + 1], int32_t first, int32_t end);
/* Adds neighbouring partial sums up to the root of the tree, and writes that times scale into
 * `out`, which may be one of them. n = 0 gives zeros. Changes the sums. */
void accumulate_fold(real *out, struct accumulate_node *nodes, int n, int64_t size, double scale);

#endif
