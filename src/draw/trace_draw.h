/* What pictures and films of a trace share: views of its points, the neighbours of one centre, and
 * colours for what a point is or holds. */
#ifndef DRAW_TRACE_DRAW_H
#define DRAW_TRACE_DRAW_H

#include "draw/render.h"
#include "model/trace_file.h"

enum { TRACE_GAP = 6, TRACE_TITLE = 24, TRACE_CLASSES = 256 };

struct picture {
    struct trace_file trace;
    struct image image;
    int width, height, channel; /* of one view; of the scores */
    double azimuth;
    int32_t centre; /* network row */
    bool weights;   /* attention, else grouping */
};

/* Neighbours of the centre, and what is said of each. */
struct group {
    const int32_t *index; /* (n) network rows */
    const float *weight;  /* (n) */
    int32_t n;
    int32_t shown; /* the first of them are drawn, all count for the view */
    struct colour full;
};

/* The point of the file if it reaches the last level, else the nearest that does, told by log. */
int picture_centre(struct picture *p, int64_t point);

/* The first n points from so far that all of the trace would be in sight; g may be NULL. radius: of
 * a point, 0 = by spacing. */
int picture_whole(struct image *out, const struct picture *p, const struct colour *colours,
                  int64_t n, const struct group *g, double radius);
/* Half as far again around the centre as its neighbours reach. */
int picture_near(struct image *out, const struct picture *p, const struct colour *colours,
                 int64_t n, const struct group *g);

/* Black for the points sampled at a level, grey for the others of the one below. */
void colours_sampled(struct colour *dst, const struct trace_file *t, int level, int64_t sampled);
void colours_input(struct colour *dst, const struct trace_file *t);
void colours_position(struct colour *dst, const struct trace_file *t, int64_t n);
void colours_labels(struct colour *dst, const struct trace_file *t, const int32_t *labels,
                    int64_t n);
/* The first three principal components of a tensor's rows as red, green and blue; 0 rows if there
 * is no such tensor. dst has room for n[0]. */
int colours_features(struct colour *dst, int64_t *rows, const struct trace_file *t,
                     const char *tensor);

/* The names of the classes below everything else; im NULL only measures. Returns the height. */
int picture_legend(struct image *im, const struct trace_file *t, int x, int y, int width);

/* Kinds of pictures; each fills p->image. */
int picture_cells(struct picture *p); /* attention or grouping */
int picture_outputs(struct picture *p);
int picture_panels(struct picture *p);
int picture_levels(struct picture *p);

#endif
