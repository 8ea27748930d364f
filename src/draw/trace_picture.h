/* Images of a trace. */
#ifndef DRAW_TRACE_PICTURE_H
#define DRAW_TRACE_PICTURE_H

#include "draw/trace_view.h"

/* An image of p->trace, into p->image; the kinds are those of glt_trace_picture. */
int trace_picture_draw(struct trace_view *p, const char *kind, int64_t point);
/* Attention or grouping around the centre, into p->image. */
int trace_picture_cells(struct trace_view *p);

#endif
