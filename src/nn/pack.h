/* Lives and addresses of a plan's tensors. */
#ifndef NN_PACK_H
#define NN_PACK_H

#include "nn/plan.h"

/* Marks, for every op and input, whether its gradient is the first to be written (set) or not. */
void pack_gradients(struct plan *p);
/* Finds the life of every value, gradient and scratch area and places them in one block. */
int pack(struct plan *p);

#endif
