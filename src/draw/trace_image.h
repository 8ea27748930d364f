/* Images of a trace. */
#ifndef DRAW_TRACE_IMAGE_H
#define DRAW_TRACE_IMAGE_H

#include "draw/trace_pair.h"
#include "draw/trace_view.h"

/* An image of p->trace, into p->image; the kinds are those of glt_trace_image. */
int trace_image_draw(struct trace_view *p, const char *kind, const struct trace_subject *s);

#endif
