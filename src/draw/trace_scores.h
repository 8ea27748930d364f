/* All attention scores of one point in one view. */
#ifndef DRAW_TRACE_SCORES_H
#define DRAW_TRACE_SCORES_H

#include "draw/trace_view.h"

/* Into p->image, around p->centre. */
int trace_scores_draw(struct trace_view *p);

#endif
