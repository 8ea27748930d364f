/* Colours for what a point of a trace is or holds. */
#ifndef DRAW_TRACE_COLOURS_H
#define DRAW_TRACE_COLOURS_H

#include "draw/image.h"
#include "model/trace_file.h"

/* Black for the points sampled at a level, grey for the others of the one below. */
void trace_colours_sampled(struct colour *dst, const struct trace_file *t, int level,
                           int64_t sampled);
void trace_colours_input(struct colour *dst, const struct trace_file *t);
void trace_colours_position(struct colour *dst, const struct trace_file *t, int64_t n);
void trace_colours_labels(struct colour *dst, const struct trace_file *t, const int32_t *labels,
                          int64_t n);
/* The first three principal components of a tensor's rows as red, green and blue; 0 rows if there
 * is no such tensor. dst holds n[0]. */
int trace_colours_features(struct colour *dst, int64_t *rows, const struct trace_file *t,
                           const char *tensor);

/* The names of the classes, of a shape those of its category, below everything else; im NULL only
 * measures. Returns the height. */
int trace_colours_legend(struct image *im, const struct trace_file *t, int x, int y, int width);

#endif
