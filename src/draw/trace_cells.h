/* A grid of views around one centre: columns are encoder levels. */
#ifndef DRAW_TRACE_CELLS_H
#define DRAW_TRACE_CELLS_H

#include "draw/trace_view.h"

/* Both into p->image, around p->centre. */
int trace_cells_attention(struct trace_view *p);
int trace_cells_grouping(struct trace_view *p);

/* A title above (x, y) as large as `width` is wide enough for; the end of what never fits is left
 * out. */
enum { TRACE_CELLS_LINE = 19 };
void trace_cells_title(struct image *im, int x, int y, int width, const char *text);

#endif
