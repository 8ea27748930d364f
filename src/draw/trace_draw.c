/* Views of a trace: see trace_draw.h. */
#include "draw/trace_draw.h"

#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "draw/components.h"

#include <math.h>

static struct colour white(void)
{
    return colour(255, 255, 255);
}

static double distance2(const float *a, const float *b)
{
    double d2 = 0;
    for (int k = 0; k < 3; k++)
        d2 += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return d2;
}

int picture_centre(struct picture *p, int64_t point)
{
    const struct trace_file *t = &p->trace;
    int32_t row = -1, best = 0;
    for (int32_t i = 0; i < t->n[0] && row < 0; i++)
        if (t->row[i] == point)
            row = i;
    if (row < 0)
        return error_set(GLT_EARGUMENT, "point %lld is not in the trace", (long long)point);
    for (int32_t i = 1; row >= t->n[TRACE_LEVELS] && i < t->n[TRACE_LEVELS]; i++)
        if (distance2(t->xyz + 3 * (int64_t)i, t->xyz + 3 * (int64_t)row) <
            distance2(t->xyz + 3 * (int64_t)best, t->xyz + 3 * (int64_t)row))
            best = i;
    p->centre = row < t->n[TRACE_LEVELS] ? row : best;
    if (p->centre != row)
        log_message(GLT_LOG_INFO,
                    "point %lld is not sampled up to level 4; the nearest that is: point %d",
                    (long long)point, t->row[p->centre]);
    return 0;
}

/* --- neighbours over a view --- */

struct canvas {
    struct image *image;
    const struct picture *picture;
    const struct camera *camera;
};

static bool project(const struct canvas *c, int32_t row, int at[2])
{
    double pixel[2], depth;
    if (!camera_project(c->camera, c->picture->trace.xyz + 3 * (int64_t)row, c->image->width,
                        c->image->height, pixel, &depth))
        return false;
    double far = 4.0 * (c->image->width + c->image->height); /* a line is drawn pixel by pixel */
    if (!(fabs(pixel[0]) < far && fabs(pixel[1]) < far))
        return false;
    at[0] = (int)pixel[0];
    at[1] = (int)pixel[1];
    return true;
}

static void draw_spokes(const struct canvas *c, const struct group *g)
{
    int at[2], centre[2];
    if (!project(c, c->picture->centre, centre))
        return;
    for (int32_t i = 0; i < g->shown; i++)
        if (project(c, g->index[i], at))
            image_line(c->image, centre[0], centre[1], at[0], at[1], colour(150, 180, 225));
}

/* Pale is the smallest weight, full the largest. By rising weight, so that what matters stays in
 * sight. */
static void draw_group(const struct canvas *c, const struct group *g)
{
    const struct picture *p = c->picture;
    int at[2], unit = c->image->height / 128 + 1;
    float least = g->n ? g->weight[0] : 0, most = least, last = -1;
    for (int32_t i = 1; i < g->n; i++) {
        least = g->weight[i] < least ? g->weight[i] : least;
        most = g->weight[i] > most ? g->weight[i] : most;
    }
    if (!p->weights)
        draw_spokes(c, g);
    for (int32_t step = 0; step < g->n && last < most; step++) {
        float next = most;
        for (int32_t i = 0; i < g->n; i++)
            next = g->weight[i] > last && g->weight[i] < next ? g->weight[i] : next;
        for (int32_t i = 0; i < g->shown; i++) {
            if (g->weight[i] != next || g->index[i] == p->centre || !project(c, g->index[i], at))
                continue;
            double range = (double)most - (double)least;
            double share =
                range > 0 && isfinite(range) ? ((double)next - (double)least) / range : 1;
            int r = unit + (int)(share * (p->weights ? 1.5 : 0.5) * unit);
            image_disc(c->image, at[0], at[1], r + 1, colour(90, 90, 90));
            image_disc(c->image, at[0], at[1], r, palette_mix(white(), g->full, share));
        }
        last = next;
    }
    if (project(c, p->centre, at)) {
        image_disc(c->image, at[0], at[1], unit + 3, colour(60, 50, 0));
        image_disc(c->image, at[0], at[1], unit + 2, colour(255, 215, 0));
    }
}

/* --- views --- */

int picture_whole(struct image *out, const struct picture *p, const struct colour *colours,
                  int64_t n, const struct group *g, double radius)
{
    const struct render_view view = {.azimuth = p->azimuth, .elevation = 40, .fov = 35, .zoom = 1};
    struct render_points all = {p->trace.xyz, colours, NULL, p->trace.n[0]};
    struct render_points points = {p->trace.xyz, colours, NULL, n};
    struct camera cam = camera_fit(&all, &view, p->width, p->height);
    struct image im = {0};
    TRY(render_panel(&im, &points, &cam, p->width, p->height, radius, radius > 0 ? 0 : 0.6,
                     white()));
    struct canvas c = {&im, p, &cam};
    if (g)
        draw_group(&c, g);
    *out = im;
    return 0;
}

int picture_near(struct image *out, const struct picture *p, const struct colour *colours,
                 int64_t n, const struct group *g)
{
    const struct render_view view = {
        .azimuth = p->azimuth, .elevation = 30, .fov = 30, .zoom = 0.9};
    const struct trace_file *t = &p->trace;
    const float *centre = t->xyz + 3 * (int64_t)p->centre;
    double reach2 = 0;
    struct image im = {0};
    uint8_t *hidden = memory_alloc((size_t)n + 1, sizeof *hidden);
    if (!hidden)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < g->n; i++) {
        double d2 = distance2(t->xyz + 3 * (int64_t)g->index[i], centre);
        reach2 = d2 > reach2 ? d2 : reach2;
    }
    for (int64_t i = 0; i < n; i++)
        hidden[i] = reach2 > 0 && distance2(t->xyz + 3 * i, centre) > reach2 * 2.25;
    struct render_points points = {t->xyz, colours, hidden, n};
    struct camera cam = camera_fit(&points, &view, p->width, p->height);
    int code =
        render_panel(&im, &points, &cam, p->width, p->height, p->height / 160.0 + 1, 0, white());
    memory_free(hidden);
    TRY(code);
    struct canvas c = {&im, p, &cam};
    draw_group(&c, g);
    *out = im;
    return 0;
}

/* --- colours --- */

void colours_sampled(struct colour *dst, const struct trace_file *t, int level, int64_t sampled)
{
    for (int64_t i = 0; i < t->n[level - 1]; i++)
        dst[i] = i < sampled ? colour(40, 40, 40) : colour(205, 205, 210);
}

/* NaN is 0. */
static int byte(double x)
{
    return x > 0 ? x < 255 ? (int)x : 255 : 0;
}

void colours_input(struct colour *dst, const struct trace_file *t)
{
    for (int64_t i = 0; i < t->n[0]; i++) {
        const float *c = t->colours ? t->colours + 3 * i : NULL;
        dst[i] = c ? colour(byte(255.0 * c[0]), byte(255.0 * c[1]), byte(255.0 * c[2]))
                   : colour(120, 130, 150);
    }
}

void colours_position(struct colour *dst, const struct trace_file *t, int64_t n)
{
    float low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = t->xyz[k];
        for (int64_t i = 1; i < t->n[0]; i++) {
            float x = t->xyz[3 * i + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        int rgb[3];
        for (int k = 0; k < 3; k++)
            rgb[k] = high[k] > low[k]
                         ? byte(235.0 * (t->xyz[3 * i + k] - low[k]) / (high[k] - low[k]) + 10)
                         : 128;
        dst[i] = colour(rgb[0], rgb[1], rgb[2]);
    }
}

void colours_labels(struct colour *dst, const struct trace_file *t, const int32_t *labels,
                    int64_t n)
{
    struct colour palette[TRACE_CLASSES] = {{0}};
    palette_classes(palette, t->classes.n < TRACE_CLASSES ? t->classes.n : TRACE_CLASSES);
    for (int64_t i = 0; i < n; i++)
        dst[i] = labels[i] < 0 ? colour(150, 150, 150) : palette[labels[i] % TRACE_CLASSES];
}

int colours_features(struct colour *dst, int64_t *rows, const struct trace_file *t,
                     const char *tensor)
{
    float *x = NULL;
    int64_t cols;
    TRY(trace_features(&x, rows, &cols, t, tensor));
    int code = *rows > 0 ? components_colours(dst, x, *rows, cols) : 0;
    memory_free(x);
    return code;
}

int picture_legend(struct image *im, const struct trace_file *t, int x, int y, int width)
{
    struct colour palette[TRACE_CLASSES];
    int n = t->classes.n < TRACE_CLASSES ? t->classes.n : TRACE_CLASSES;
    palette_classes(palette, n);
    struct legend legend = {(const char *const *)t->classes.names, palette, n, 2};
    return image_legend(im, x, y, width, &legend, colour(30, 30, 30));
}
