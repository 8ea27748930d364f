/* All attention scores of one point in one view. */
#ifndef DRAW_TRACE_SCORES_H
#define DRAW_TRACE_SCORES_H

#include "draw/trace_view.h"

enum { TRACE_HEADS = 2 }; /* geometric, latent */

struct trace_scores {
    struct trace_view *view;
    float *share[TRACE_HEADS];  /* (n[0]) 0..1 of each point, -1: in no list */
    bool found[TRACE_HEADS];    /* whether the network has this head */
    int32_t *index;             /* (n) points of any list */
    float *weight[TRACE_HEADS]; /* (n) their shares, 0 for -1 */
    int32_t n;
};

/* The scores of p->centre, in the memory of p; s is zeroed. */
int trace_scores_gather(struct trace_scores *s, struct trace_view *p);
/* Into p->image, around p->centre. */
int trace_scores_draw(struct trace_view *p);

#endif
