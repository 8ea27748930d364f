/* The two-headed layer of the paper. */
#ifndef MODEL_LAYER_H
#define MODEL_LAYER_H

#include "model/build.h"

/* With the norm and ReLU after it (n, D). x: features at the candidates (m, D), xc: at the
 * centres; p, pc: coordinates. */
struct tensor *layer_attention(struct build *b, int level, int block, struct tensor *x,
                               struct tensor *xc, struct tensor *p, struct tensor *pc);

#endif
