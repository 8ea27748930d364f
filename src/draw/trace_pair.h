/* Two centres and the graphs of their neighbourhoods, step by step. */
#ifndef DRAW_TRACE_PAIR_H
#define DRAW_TRACE_PAIR_H

#include "draw/trace_view.h"

/* What an image is about. */
struct trace_subject {
    int64_t point, other; /* rows of the file; other < 0: one whose neighbourhood overlaps */
    int level, block;     /* of the graph, from 1 */
};
int trace_pair_draw(struct trace_view *p, const struct trace_subject *s);

#endif
