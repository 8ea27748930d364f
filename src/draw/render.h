/* Images of points without a graphics stack: discs with a depth test at twice the resolution,
 * eye-dome shading from the depth buffer (Boucheny, "Interactive scientific visualization of large
 * datasets", 2009), then halved. No libm: the same pixels everywhere. */
#ifndef DRAW_RENDER_H
#define DRAW_RENDER_H

#include "core/frame3.h"
#include "draw/image.h"

#include <stdbool.h>

struct camera {
    struct frame3 frame; /* x right, y up, z towards the viewer; o = eye (or middle if flat) */
    double focal;        /* pixels per unit at depth 1; 0: orthographic */
    double scale;        /* orthographic: pixels per metre */
    double middle;       /* depth of the cloud's middle */
    double extent;       /* size of the cloud, for shading */
};

struct render_points {
    const float *xyz;             /* (n, 3) */
    const struct colour *colours; /* (n) */
    const uint8_t *hidden;        /* (n), not 0: left out; NULL: none */
    int64_t n;
};

/* Looks at the middle of the visible points from azimuth and elevation (degrees), all in sight;
 * fov in degrees, 0 = orthographic. zoom > 1 is nearer. */
struct render_view {
    double azimuth, elevation, fov, zoom;
};
struct camera render_fit(const struct render_points *p, const struct render_view *view, int width,
                         int height);
/* Pixel coordinates and depth (> 0 in front); false behind the eye. */
bool render_project(const struct camera *cam, const float xyz[3], int width, int height,
                    double pixel[2], double *depth);
/* A finished panel. radius: of a splat in pixels, 0 = from the spacing of the points; shading 0..1.
 */
int render_panel(struct image *out, const struct render_points *p, const struct camera *cam,
                 int width, int height, double radius, double shading, struct colour background);

#endif
