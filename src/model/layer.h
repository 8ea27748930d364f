/* The two-headed layer of the paper. */
#ifndef MODEL_LAYER_H
#define MODEL_LAYER_H

#include "model/build.h"

/* Includes the norm and ReLU after the layer; returns (n, D). x: features of the candidates (m, D),
 * xc: of the centres; p, pc: coordinates. */
struct tensor *layer_attention(struct build *b, int level, int block, struct tensor *x,
                               struct tensor *xc, struct tensor *p, struct tensor *pc);

#endif
