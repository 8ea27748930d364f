/* Camera, splats and eye-dome shading: see render.h. */
#include "draw/render.h"

#include "core/angle.h"
#include "core/error.h"
#include "core/frame3.h"
#include "core/memory.h"
#include "core/vec3.h"

#include <math.h>
#include <string.h>

static bool shown(const struct render_points *p, int64_t i)
{
    const float *x = p->xyz + 3 * i;
    return (!p->hidden || !p->hidden[i]) && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static struct vec3 point(const float *x)
{
    return vec3(x[0], x[1], x[2]);
}

/* Middle of the bounds, and half of their diagonal. */
static struct vec3 middle_of(const struct render_points *p, double *half)
{
    struct vec3 low = vec3(1e30, 1e30, 1e30), high = vec3(-1e30, -1e30, -1e30);
    for (int64_t i = 0; i < p->n; i++) {
        if (!shown(p, i))
            continue;
        struct vec3 x = point(p->xyz + 3 * i);
        low = vec3(x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z);
        high = vec3(x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y,
                    x.z > high.z ? x.z : high.z);
    }
    if (low.x > high.x) {
        *half = 1;
        return vec3(0, 0, 0);
    }
    double length = vec3_length(vec3_sub(high, low)) / 2;
    *half = length > 1e-6 ? length : 1e-6;
    return vec3_scale(vec3_add(low, high), 0.5);
}

static struct frame3 look_from(double azimuth, double elevation)
{
    double sa, ca, se, ce;
    angle_sincos(azimuth * ANGLE_PI / 180, &sa, &ca);
    angle_sincos(elevation * ANGLE_PI / 180, &se, &ce);
    struct vec3 z = vec3(ce * ca, ce * sa, se), x = vec3(-sa, ca, 0);
    return (struct frame3){x, vec3_cross(z, x), z, vec3(0, 0, 0)};
}

/* Shifts and scales so that the projected bounds fill the panel: measured, then corrected twice
 * because perspective moves them. */
static void centre_view(struct camera *cam, const struct render_points *p, int width, int height,
                        double fill)
{
    double low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
    for (int64_t i = 0; i < p->n; i++) {
        double pixel[2], depth;
        if (!shown(p, i) || !render_project(cam, p->xyz + 3 * i, width, height, pixel, &depth))
            continue;
        for (int k = 0; k < 2; k++) {
            low[k] = pixel[k] < low[k] ? pixel[k] : low[k];
            high[k] = pixel[k] > high[k] ? pixel[k] : high[k];
        }
    }
    if (low[0] > high[0])
        return;
    double dx = (low[0] + high[0] - width) / 2, dy = (low[1] + high[1] - height) / 2;
    double per_pixel = cam->focal > 0 ? cam->middle / cam->focal : 1 / cam->scale;
    cam->frame.o = vec3_along(cam->frame.o, cam->frame.x, dx * per_pixel);
    cam->frame.o = vec3_along(cam->frame.o, cam->frame.y, -dy * per_pixel);
    double spread_x = (high[0] - low[0]) / width, spread_y = (high[1] - low[1]) / height;
    double spread = spread_x > spread_y ? spread_x : spread_y;
    if (spread < 1e-6)
        return;
    cam->focal *= fill / spread;
    cam->scale *= fill / spread;
}

struct camera render_fit(const struct render_points *p, const struct render_view *view, int width,
                         int height)
{
    struct camera cam = {.frame = look_from(view->azimuth, view->elevation)};
    struct vec3 middle = middle_of(p, &cam.extent);
    int least = width < height ? width : height;
    cam.scale = least / (2 * cam.extent);
    cam.middle = cam.extent * 4;
    if (view->fov > 0) {
        double s, c;
        angle_sincos(view->fov * ANGLE_PI / 360, &s, &c);
        cam.middle = cam.extent * c / s * 1.05 + 0.1 * cam.extent;
        cam.focal = least / 2.0 * c / s;
    }
    cam.frame.o = vec3_along(middle, cam.frame.z, cam.middle);
    for (int pass = 0; pass < 3; pass++)
        centre_view(&cam, p, width, height, 0.94);
    cam.focal *= view->zoom;
    cam.scale *= view->zoom;
    return cam;
}

bool render_project(const struct camera *cam, const float xyz[3], int width, int height,
                    double pixel[2], double *depth)
{
    struct vec3 q = frame3_unapply(&cam->frame, point(xyz));
    *depth = -q.z;
    if (!isfinite(*depth) || *depth < 1e-3 * cam->extent)
        return false;
    double scale = cam->focal > 0 ? cam->focal / *depth : cam->scale;
    pixel[0] = width / 2.0 + q.x * scale;
    pixel[1] = height / 2.0 - q.y * scale;
    return true;
}

struct buffer {
    int width, height;
    float *depth;  /* (h, w), 0: nothing */
    int32_t *near; /* (h, w) index of the nearest point */
};

/* Coordinates of far points do not fit an int; NaN is 0. */
static int bounded(double x, int max)
{
    return !(x > 0) ? 0 : x < max ? (int)x : max;
}

static void splat(struct buffer *b, const double pixel[2], double depth, double radius, int32_t i)
{
    int x0 = bounded(ceil(pixel[0] - radius - 0.5), b->width);
    int y0 = bounded(ceil(pixel[1] - radius - 0.5), b->height);
    int x1 = bounded(floor(pixel[0] + radius - 0.5) + 1, b->width);
    int y1 = bounded(floor(pixel[1] + radius - 0.5) + 1, b->height);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double dx = x + 0.5 - pixel[0], dy = y + 0.5 - pixel[1];
            size_t at = (size_t)y * (size_t)b->width + (size_t)x;
            if (dx * dx + dy * dy > radius * radius)
                continue;
            if (b->depth[at] == 0 || (float)depth < b->depth[at]) {
                b->depth[at] = (float)depth;
                b->near[at] = i;
            }
        }
}

/* Radius in metres that closes a surface seen by this many points: half of the diagonal of the
 * square a point would own if all lay in one layer of the panel. */
static double automatic_radius(const struct render_points *p, const struct camera *cam, int width,
                               int height)
{
    enum { cells_x = 96, cells_y = 96 };
    uint8_t hit[cells_x * cells_y] = {0};
    int64_t n = 0, used = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double pixel[2], depth;
        if (!shown(p, i) || !render_project(cam, p->xyz + 3 * i, width, height, pixel, &depth))
            continue;
        double right = pixel[0] * cells_x / width, down = pixel[1] * cells_y / height;
        n++;
        if (!(right > -1 && right < cells_x && down > -1 && down < cells_y))
            continue;
        int x = (int)right, y = (int)down;
        if (hit[y * cells_x + x])
            continue;
        hit[y * cells_x + x] = 1;
        used++;
    }
    double pixels = (double)used / (cells_x * cells_y) * width * height;
    double layers = 3; /* most points hide behind others */
    double r = n ? 0.95 * sqrt(pixels * layers / (double)n) : 1;
    double max = (width < height ? width : height) / 60.0;
    return r < 0.7 ? 0.7 : r > max ? max : r;
}

static void draw_points(struct buffer *b, const struct render_points *p, const struct camera *cam,
                        double radius)
{
    for (int64_t i = 0; i < p->n; i++) {
        double pixel[2], depth;
        if (!shown(p, i) ||
            !render_project(cam, p->xyz + 3 * i, b->width, b->height, pixel, &depth))
            continue;
        double r = cam->focal > 0 ? radius * cam->middle / depth : radius;
        splat(b, pixel, depth, r < 0.7 ? 0.7 : r, (int32_t)i);
    }
}

/* A gap between points: an empty pixel with points near in at least seven of eight directions takes
 * the farthest of them. */
static void fill_gaps(struct buffer *b, int reach)
{
    static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    for (int y = reach; y < b->height - reach; y++)
        for (int x = reach; x < b->width - reach; x++) {
            size_t at = (size_t)y * (size_t)b->width + (size_t)x, from = at;
            if (b->depth[at] != 0)
                continue;
            int open = 0;
            float deepest = 0;
            for (int k = 0; k < 8 && open < 2; k++) {
                ptrdiff_t stride = (ptrdiff_t)dy[k] * b->width + dx[k];
                int step = 1;
                while (step <= reach && b->depth[(ptrdiff_t)at + step * stride] <= 0)
                    step++;
                size_t there = (size_t)((ptrdiff_t)at + step * stride);
                open += step > reach;
                if (step <= reach && b->depth[there] > deepest) {
                    deepest = b->depth[there];
                    from = there;
                }
            }
            if (open < 2) { /* negative until all are found: filled pixels fill no others */
                b->depth[at] = -deepest;
                b->near[at] = b->near[from];
            }
        }
    for (size_t i = 0; i < (size_t)b->width * (size_t)b->height; i++)
        b->depth[i] = b->depth[i] < 0 ? -b->depth[i] : b->depth[i];
}

/* How far a pixel lies behind its surroundings, in parts of the cloud's extent. Steps as small as
 * the discs themselves are ignored: they are flat where the surface is not. */
static double sunk(const struct buffer *b, int x, int y, int reach, double extent, double ignore)
{
    static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    double here = b->depth[(size_t)y * (size_t)b->width + (size_t)x], sum = 0;
    for (int k = 0; k < 8; k++) {
        int i = x + reach * dx[k], j = y + reach * dy[k];
        if (i < 0 || j < 0 || i >= b->width || j >= b->height)
            continue;
        double there = b->depth[(size_t)j * (size_t)b->width + (size_t)i];
        double step = there > 0 ? (here - there) / extent : 0;
        step -= ignore;
        sum += !(step > 0) ? 0 : step > 0.06 ? 0.06 : step; /* infinite depths differ by NaN */
    }
    return sum / 8;
}

static void shade(struct image *im, const struct buffer *b, const struct render_points *p,
                  double extent, double ignore, double strength)
{
    for (int y = 0; y < im->height; y++)
        for (int x = 0; x < im->width; x++) {
            size_t at = (size_t)y * (size_t)b->width + (size_t)x;
            if (b->depth[at] == 0)
                continue;
            double s = sunk(b, x, y, 2, extent, ignore) + 0.6 * sunk(b, x, y, 5, extent, ignore);
            double light = 1 / (1 + 38 * strength * s);
            struct colour c = p->colours[b->near[at]];
            image_pixel(im, x, y,
                        colour((int)(c.r * light + 0.5), (int)(c.g * light + 0.5),
                               (int)(c.b * light + 0.5)));
        }
}

int render_panel(struct image *out, const struct render_points *p, const struct camera *cam,
                 int width, int height, double radius, double shading, struct colour background)
{
    struct image full = {0};
    struct camera twice = *cam;
    twice.focal *= 2;
    twice.scale *= 2;
    struct buffer b = {2 * width, 2 * height, NULL, NULL};
    int code = image_new(&full, 2 * width, 2 * height, background);
    if (code < 0)
        return code;
    b.depth = memory_alloc((size_t)b.width * (size_t)b.height, sizeof *b.depth);
    b.near = memory_alloc((size_t)b.width * (size_t)b.height, sizeof *b.near);
    if (!b.depth || !b.near)
        code = GLT_ENOMEM;
    if (code == 0) {
        double r = radius > 0 ? 2 * radius : automatic_radius(p, &twice, b.width, b.height);
        draw_points(&b, p, &twice, r);
        if (radius <= 0)
            fill_gaps(&b, (int)(1.5 * r) + 1);
        double metre = cam->focal > 0 ? twice.focal / cam->middle : twice.scale; /* in pixels */
        shade(&full, &b, p, cam->extent, 1.2 * r / metre / cam->extent, shading);
        code = image_halve(out, &full);
    }
    memory_free(b.depth);
    memory_free(b.near);
    image_free(&full);
    return code;
}
