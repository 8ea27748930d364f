/* A cloud as `gelatto render` draws it: panels side by side, titles and the legend. */
#ifndef DRAW_RENDER_CLOUD_H
#define DRAW_RENDER_CLOUD_H

#include "draw/render.h"

struct render_options render_cloud_default(void);
/* against: a cloud of the same points whose label is the truth; may be NULL. */
int render_cloud(struct image *out, const struct glt_cloud *c, const struct glt_cloud *against,
                 const struct render_options *o);

#endif
