/* Images of a cloud, as `gelatto render` draws them: panels of its points in several colours. */
#ifndef DRAW_RENDER_CLOUD_H
#define DRAW_RENDER_CLOUD_H

#include "draw/render.h"
#include "gelatto.h"

struct render_options {
    int width, height; /* of one panel */
    struct render_view view;
    int up;         /* the axis that points up: 0 x, 1 y, 2 z */
    double cut;     /* share of the height to keep, from below; 1 = all, < 0 = 0.85 for rooms */
    double radius;  /* of a splat; 0 = automatic */
    double shading; /* 0..1 */
    /* Panels, separated by commas: rgb, label, truth, error, confidence, height, or the name of an
     * attribute; NULL: rgb if there are colours, else label, else height. */
    const char *colours;
    const char *label, *truth; /* attributes; NULL: "label", "truth" */
    const char *title;         /* NULL: none */
    bool no_legend, dark;
    bool map; /* from above, north up, without perspective; with a scale and an arrow */
};
struct render_options render_cloud_options(void); /* the defaults */
/* against: a cloud of the same points whose label is the truth; may be NULL. */
int render_cloud(struct image *out, const struct glt_cloud *c, const struct glt_cloud *against,
                 const struct render_options *o);

#endif
