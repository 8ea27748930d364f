/* A cloud as it is drawn: which points, in which colours. */
#ifndef DRAW_RENDER_PAINT_H
#define DRAW_RENDER_PAINT_H

#include "cloud/cloud.h"
#include "draw/render.h"

enum { CLASSES_MAX = 256, NAME_SIZE = 64 };

struct drawing {
    const struct glt_cloud *cloud, *against;
    const struct render_options *o;
    float *xyz;
    uint8_t *hidden;
    struct colour *colours;
    int32_t *label, *truth; /* NULL until a panel needs them */
    struct classes classes; /* of the legend; none while no panel shows classes */
    uint8_t used[CLASSES_MAX];
    double low, high; /* of heights */
};

/* The colours of all points, by what a panel shows: rgb, label, truth, error, height, or an
 * attribute. */
int render_paint(struct drawing *d, const char *what);

#endif
