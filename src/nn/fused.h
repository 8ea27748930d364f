/* The layer on tiles of neighbourhoods, for maps with a ReLU between neighbours and scores: the
 * linear part before the first ReLU was done once per point; the rest is done for a few hundred
 * edges at a time, from gather to weighted sum, and no (edges, c) tensor is ever stored. Inference
 * only. */
#ifndef NN_FUSED_H
#define NN_FUSED_H

#include "nn/plan.h"

enum { FUSED_HEADS = 2 };

/* A linear map on edges with its folded norm: y = act(x w^T + shift). */
struct fused_map {
    struct tensor *w, *shift; /* (out, in); (1, out) or NULL */
    bool relu;
};

struct fused {
    int level, block, heads;
    int64_t d, s;    /* channels and scores of a head */
    bool pool, mean; /* instead of attention */
    /* scores = score(hidden(values)), either may be absent */
    struct fused_map hidden[FUSED_HEADS], score[FUSED_HEADS];

    /* Without `values`, ReLU(centre_i + source_j), (.., heads d), are the values. With them, values
     * (m, heads d) belong to the sources, and that ReLU is the input of the scores. */
    struct tensor *centre, *source;
    struct tensor *values;

    /* bn-relu: the equations' inner maps. Rows of centre: [f_r | f_rs | f_p | f_pq], of source:
     * [f_rs | f_pq | f_q | f_s], each d wide, complete except for the terms to add before its
     * ReLU. */
    bool chain, cross, geometric, latent;
    struct fused_map hg, gh, gg, hh;
};

/* y (n, heads d) */
struct tensor *op_fused(struct plan *p, const struct fused *f);

#endif
