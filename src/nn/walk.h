/* The argument of most parallel loops of ops: the plan, the op, and its lists. */
#ifndef NN_WALK_H
#define NN_WALK_H

#include "nn/plan.h"

struct walk {
    struct plan *p;
    struct op *op;
};

static inline const struct edge_list *edges_of(const struct walk *w)
{
    return op_edges(w->p, w->op);
}

#endif
