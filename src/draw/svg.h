/* Pictures of numbers as SVG: plain shapes and text, alone in a file or inside of a page. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "core/file.h"
#include "sampling/confusion.h"

/* A confusion matrix: a row per true class, shades by share of the row. */
int svg_matrix(struct file *f, const struct confusion *c, char *const *names);
int svg_matrix_file(const char *path, const struct confusion *c, char *const *names);

/* Curves. NaN leaves a point out. */
enum { SVG_CURVES = 10 };
struct svg_curve {
    const char *name;
    const double *x, *y; /* (n) */
    int n;
};
struct svg_chart {
    const char *title, *over; /* over: what x is */
    struct svg_curve curves[SVG_CURVES];
    int count;
    double top; /* of the axis; 0: what the curves reach */
};
/* Charts side by side, four in a row, each with its axes from 0. */
int svg_charts(struct file *f, const struct svg_chart *charts, int count);

#endif
