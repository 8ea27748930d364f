/* Images of a trace. */
#ifndef DRAW_TRACE_PICTURE_H
#define DRAW_TRACE_PICTURE_H

#include "draw/trace_view.h"

/* Attention or grouping around the centre, into p->image. */
int trace_picture_cells(struct trace_view *p);

#endif
