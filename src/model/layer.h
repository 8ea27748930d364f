/* What the two files of the two-headed layer share. */
#ifndef MODEL_LAYER_H
#define MODEL_LAYER_H

#include "model/build.h"
#include "nn/fused.h"

enum form { FORM_EDGES, FORM_POINTS, FORM_BASIS };
enum group { GROUP_INNER, GROUP_VALUE, GROUP_SCORE }; /* columns of the table of `maps` */
enum kind { KIND_LINEAR, KIND_NORM, KIND_NORM_RELU, KIND_MLP };

/* A quantity on edges (i, j): edge_ij + centre_i + source_j, with NULL for zero. */
struct value {
    struct tensor *centre, *source, *edge;
};

struct layer {
    struct build *b;
    struct plan *p;
    int level, block, heads;
    enum form form;
    int64_t d, s;                             /* channels and scores of one head */
    struct tensor *values, *centres, *scores; /* (.., heads d), (.., heads d), (.., heads s) */
    bool fused;                               /* the rest on tiles of edges */
    bool on_edges;                            /* the rest on all edges: centres are the heads */
    struct tensor *hidden[2];                 /* score-mlp, fused: at centres and sources */
    struct fused_map score_map[FUSED_HEADS];  /* fused: on the edges */
};

/* encL.blockB.attention.name, or without the last part */
const char *layer_name(const struct layer *l, char *buffer, size_t size, const char *name);
enum kind layer_kind(const struct layer *l, enum group group);
/* Columns of one head in a tensor that both share, made when the first comes. */
void layer_put_head(struct layer *l, struct tensor **all, struct tensor *x, int head,
                    int64_t width);
/* y = x M[0..d) + p M[d..d+3) (+ M[d+3]) for a chain's matrix M over the basis */
struct tensor *layer_apply(struct layer *l, struct tensor *m, struct tensor *x, struct tensor *p);

/* layer_fused.c */
void layer_fused_score(struct layer *l, int index, const char *name, struct value v);
struct tensor *layer_fused_collect(struct layer *l, struct tensor *x, struct tensor *xc,
                                   struct tensor *p, struct tensor *pc);
struct tensor *layer_fused_chain(struct layer *l, struct tensor *x, struct tensor *xc,
                                 struct tensor *p, struct tensor *pc);

#endif
