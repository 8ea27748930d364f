/* Views of a trace that images and films share: all of its points, or those around one centre, with
 * the centre's neighbours drawn over them. */
#ifndef DRAW_TRACE_VIEW_H
#define DRAW_TRACE_VIEW_H

#include "core/call.h"
#include "draw/render.h"
#include "model/trace_file.h"

enum { TRACE_GAP = 6, TRACE_TITLE = 24 };

struct trace_view {
    struct call call; /* memory of all that is drawn */
    struct trace_file trace;
    struct image image;
    int width, height, channel; /* of one view; of the scores */
    double azimuth;
    int32_t centre; /* network row */
    bool weights;   /* attention, else grouping */
};

/* Neighbours of the centre, and what is said of each. */
struct trace_group {
    const int32_t *index; /* (n) network rows */
    const float *weight;  /* (n) */
    int32_t n;
    int32_t shown; /* the first of them are drawn, all count for the view */
    struct colour full;
};

/* The point of the file if it reaches the last level, else the nearest that does, which is logged.
 */
int trace_view_centre(struct trace_view *p, int64_t point);

/* The first n points from so far that all of the trace would be in sight; g may be NULL. radius: of
 * a point, 0 = by spacing. */
int trace_view_whole(struct image *out, struct trace_view *p, const struct colour *colours,
                     int64_t n, const struct trace_group *g, double radius);
/* Half as far again around the centre as its neighbours reach. */
int trace_view_near(struct image *out, struct trace_view *p, const struct colour *colours,
                    int64_t n, const struct trace_group *g);

#endif
