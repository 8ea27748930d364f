/* The ops: one prototype each, one file per family. A builder appends the op to the plan and
 * returns its output. Shapes are (rows, columns); weights are (out, in). */
#ifndef NN_OPS_H
#define NN_OPS_H

#include "nn/plan.h"

/* linear.c: y = x w^T, or x w with OP_PLAIN. Into `y` if given (OP_ONTO: added to it). */
enum { OP_PLAIN = 1, OP_ONTO = 2, OP_RELU = 4 };
struct tensor *op_linear(struct plan *p, struct tensor *y, struct tensor *x, struct tensor *w,
                         int flags);
/* ... + shift, or * scale + shift, then ReLU with OP_RELU, on the rows just computed. */
struct tensor *op_linear_affine(struct plan *p, struct tensor *y, struct tensor *x,
                                struct tensor *w, struct tensor *scale, struct tensor *shift,
                                int flags);

/* norm.c: batch normalisation. shift may be NULL: scale only. */
struct norm {
    struct tensor *scale, *shift, *mean, *var; /* (1, c); mean and var are running statistics */
};
/* training: y = act(norm(x)); join: y = ReLU(norm(x) + norm(s)), s unchanged if it has no norm */
struct tensor *op_norm(struct plan *p, struct tensor *x, const struct norm *n, bool relu);
struct tensor *op_norm_join(struct plan *p, struct tensor *x, const struct norm *n,
                            struct tensor *s, const struct norm *ns);
/* inference: the norm as one multiplication and one addition, both (1, c) */
void op_norm_fold(struct plan *p, struct tensor **scale, struct tensor **shift,
                  const struct norm *n);
/* y = act(x * scale + shift) */
struct tensor *op_affine(struct plan *p, struct tensor *x, struct tensor *scale,
                         struct tensor *shift, bool relu);

/* edge_norm.c: the norm over edges of a value that is a centre part plus a source part, either of
 * which may be NULL; *a and *b become the normalised parts (docs/network.md, "The collapse"); a
 * shift is added to the first existing part. Without centre_used the centre part only takes part in
 * the statistics and *a becomes NULL. */
void op_edge_norm(struct plan *p, struct tensor **a, struct tensor **b, const struct norm *n,
                  bool centre_used, int level, int block);

/* moments.c: covariances, (c, c) each, of (difference, difference), (difference, centre) and
 * (centre, centre) over the edges, one above the other; means (3, c), of which the first and the
 * last belong to the difference and the centre. c: features and coordinates. */
struct moments {
    struct tensor *covariance, *mean;
};
struct moments op_moments(struct plan *p, struct tensor *x, struct tensor *xc, struct tensor *ps,
                          struct tensor *pc, int level, int block);
/* basis_norm.c: the norm over edges of a value in basis form: *a and *b hold the images (c, out) of
 * the centre's and the difference's unit vectors, either may be NULL. They become the normalised
 * ones; a constant part is dropped. */
struct basis_norm_options {
    int64_t first, count; /* rows of a and b that are not zero */
    bool centre_used;     /* otherwise *a only takes part in the statistics, and becomes NULL */
    bool centred;         /* the value's mean over the edges is zero */
    int level, block;
};
void op_basis_norm(struct plan *p, struct tensor **a, struct tensor **b, const struct moments *m,
                   const struct norm *n, const struct basis_norm_options *o);
/* (1, out) minus the mean over the edges of the value with these images at the sources and the
 * centres, mapped by w: the sum of the dropped constant parts. No gradient: a norm follows. */
struct tensor *op_basis_offset(struct plan *p, const struct moments *m, struct tensor *values,
                               struct tensor *centres, struct tensor *w);

/* attend.c: y_i = sum over neighbours of softmax(scores) * values; scores (m, c / group), values
 * (m, c): both belong to the source alone (collapsed). */
struct tensor *op_attend(struct plan *p, struct tensor *values, struct tensor *scores, int level,
                         int block);
/* edge_weights.c: the attention that op_attend computes from these scores, on edges; for a
 * trace. */
struct tensor *op_edge_weights(struct plan *p, struct tensor *scores, int level, int block);
/* edge_statistics.c: (entropy, saturation) of each head, per centre, of such attention; the heads
 * are side by side in `weights`. */
struct tensor *op_edge_statistics(struct plan *p, struct tensor *weights, int heads, int level,
                                  int block);
/* edges.c: op_attend for values and scores on edges (direct); weights: if not NULL, receives the
 * attention (edges, c / group). */
struct tensor *op_attend_edges(struct plan *p, struct tensor *values, struct tensor *scores,
                               int level, int block, struct tensor **weights);
/* Copies rows to edges: those of the source or of the centre; OP_ONTO adds, negative subtracts. */
struct tensor *op_to_edges(struct plan *p, struct tensor *y, struct tensor *x, bool centre,
                           int sign, int level, int block, int flags);
/* ReLU(a_i + b_j) on edges; backward recomputes it */
struct tensor *op_edge_relu(struct plan *p, struct tensor *a, struct tensor *b, int level,
                            int block);
struct tensor *op_mean_edges(struct plan *p, struct tensor *x, int level, int block);
struct tensor *op_max_edges(struct plan *p, struct tensor *x, int level, int block);

/* gather.c */
struct tensor *op_gather_max(struct plan *p, struct tensor *x, int level, int block);
struct tensor *op_gather_mean(struct plan *p, struct tensor *x, int level, int block);
/* rows of level l - 1 that survive to level l */
struct tensor *op_centres(struct plan *p, struct tensor *x, int level);
/* y at level `level` += or = interpolation of x at level + 1 */
struct tensor *op_interpolate(struct plan *p, struct tensor *y, struct tensor *x, int level,
                              int flags);
struct tensor *op_mean_rows(struct plan *p, struct tensor *x, int level); /* per cloud */

/* pointwise.c; input: the batch's features (channels) or, without channels, its xyz at a level */
struct tensor *op_input(struct plan *p, int level, int64_t channels);
struct tensor *op_add(struct plan *p, struct tensor *y, struct tensor *x); /* y += x, in place */
struct tensor *op_scale(struct plan *p, struct tensor *y, struct tensor *x, double factor,
                        int flags);
struct tensor *op_relu(struct plan *p, struct tensor *x);
struct tensor *op_dropout(struct plan *p, struct tensor *x, int lane); /* lane: of the stream */
/* y (r, c) = x * scale, scale by row (of a weight matrix): folding a norm into its map */
struct tensor *op_scale_rows(struct plan *p, struct tensor *x, struct tensor *scale);
/* (rows, cols) zero but for `value` at (first + j, j) */
struct tensor *op_identity(struct plan *p, int64_t rows, int64_t first, int64_t cols, double value);

/* loss.c: cross entropy of logits against the labels of a level; which: 0 main, 1..4 aux */
void op_loss(struct plan *p, struct tensor *logits, int level, int which);

#endif
