/* Views of a trace: see trace_view.h. */
#include "draw/trace_view.h"

#include "core/error.h"
#include "core/log.h"
#include "draw/image.h"
#include "draw/palette.h"

#include <math.h>
#include <stdlib.h>

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

int trace_view_centre(struct trace_view *p, int64_t point)
{
    const struct trace_file *t = &p->trace;
    int32_t row = -1, best = 0;
    for (int32_t i = 0; i < t->n[0] && row < 0; i++)
        if (t->row[i] == point)
            row = i;
    if (row < 0)
        return error_topic(
            error_set(GLT_EARGUMENT, "point %lld is not in the trace", (long long)point),
            GLT_TOPIC_OPTION, "point");
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
    const struct trace_view *view;
    const struct camera *camera;
};

static bool project(const struct canvas *c, int32_t row, int at[2])
{
    double pixel[2], depth;
    if (!render_project(c->camera, c->view->trace.xyz + 3 * (int64_t)row, c->image->width,
                        c->image->height, pixel, &depth))
        return false;
    double far = 4.0 * (c->image->width + c->image->height); /* a line is drawn pixel by pixel */
    if (!(fabs(pixel[0]) < far && fabs(pixel[1]) < far))
        return false;
    at[0] = (int)pixel[0];
    at[1] = (int)pixel[1];
    return true;
}

static void draw_spokes(const struct canvas *c, const struct trace_group *g)
{
    int at[2], centre[2];
    if (!project(c, c->view->centre, centre))
        return;
    for (int32_t i = 0; i < g->shown; i++)
        if (project(c, g->index[i], at))
            image_line(c->image, centre[0], centre[1], at[0], at[1], colour(150, 180, 225));
}

struct ranked {
    float weight;
    int32_t row;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The neighbours that are shown by rising weight, so that what matters stays in sight; those whose
 * weight is no number are left out. */
static int rank(struct ranked **out, int32_t *n, struct call *call, const struct trace_group *g)
{
    struct ranked *all = call_alloc(call, (size_t)g->shown + 1, sizeof *all);
    if (!all)
        return GLT_ENOMEM;
    *n = 0;
    for (int32_t i = 0; i < g->shown; i++)
        if (isfinite(g->weight[i]))
            all[(*n)++] = (struct ranked){g->weight[i], g->index[i]};
    qsort(all, (size_t)*n, sizeof *all, compare_ranked);
    *out = all;
    return 0;
}

/* Pale is the smallest weight, full the largest. */
static int draw_group(const struct canvas *c, struct call *call, const struct trace_group *g)
{
    const struct trace_view *p = c->view;
    int at[2], unit = c->image->height / 128 + 1;
    float min = INFINITY, max = -INFINITY;
    struct ranked *ranked;
    int32_t n;
    TRY(rank(&ranked, &n, call, g));
    for (int32_t i = 0; i < g->n; i++) {
        if (!isfinite(g->weight[i]))
            continue;
        min = g->weight[i] < min ? g->weight[i] : min;
        max = g->weight[i] > max ? g->weight[i] : max;
    }
    double range = (double)max - (double)min;
    if (!p->weights)
        draw_spokes(c, g);
    for (int32_t i = 0; i < n; i++) {
        if (ranked[i].row == p->centre || !project(c, ranked[i].row, at))
            continue;
        double share = range > 0 ? ((double)ranked[i].weight - (double)min) / range : 1;
        int r = unit + (int)(share * (p->weights ? 1.5 : 0.5) * unit);
        image_disc(c->image, at[0], at[1], r + 1, colour(90, 90, 90));
        image_disc(c->image, at[0], at[1], r, palette_mix(white(), g->full, share));
    }
    if (project(c, p->centre, at)) {
        image_disc(c->image, at[0], at[1], unit + 3, colour(60, 50, 0));
        image_disc(c->image, at[0], at[1], unit + 2, colour(255, 215, 0));
    }
    return 0;
}

/* --- views --- */

int trace_view_whole(struct image *out, struct trace_view *p, const struct colour *colours,
                     int64_t n, const struct trace_group *g, double radius)
{
    const struct render_view view = {.azimuth = p->azimuth, .elevation = 40, .fov = 35, .zoom = 1};
    struct render_points all = {p->trace.xyz, colours, NULL, p->trace.n[0]};
    struct render_points points = {p->trace.xyz, colours, NULL, n};
    struct camera cam = render_fit(&all, &view, p->width, p->height);
    struct image im = {0};
    TRY(render_panel(&im, &points, &cam, p->width, p->height, radius, radius > 0 ? 0 : 0.6,
                     white()));
    struct canvas c = {&im, p, &cam};
    int code = g ? draw_group(&c, &p->call, g) : 0;
    if (code < 0)
        image_free(&im);
    else
        *out = im;
    return code;
}

int trace_view_near(struct image *out, struct trace_view *p, const struct colour *colours,
                    int64_t n, const struct trace_group *g)
{
    const struct render_view view = {
        .azimuth = p->azimuth, .elevation = 30, .fov = 30, .zoom = 0.9};
    const struct trace_file *t = &p->trace;
    const float *centre = t->xyz + 3 * (int64_t)p->centre;
    double reach2 = 0;
    struct image im = {0};
    uint8_t *hidden = call_alloc(&p->call, (size_t)n + 1, sizeof *hidden);
    if (!hidden)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < g->n; i++) {
        double d2 = distance2(t->xyz + 3 * (int64_t)g->index[i], centre);
        reach2 = d2 > reach2 ? d2 : reach2;
    }
    for (int64_t i = 0; i < n; i++)
        hidden[i] = reach2 > 0 && distance2(t->xyz + 3 * i, centre) > reach2 * 2.25;
    struct render_points points = {t->xyz, colours, hidden, n};
    struct camera cam = render_fit(&points, &view, p->width, p->height);
    TRY(render_panel(&im, &points, &cam, p->width, p->height, p->height / 160.0 + 1, 0, white()));
    struct canvas c = {&im, p, &cam};
    int code = draw_group(&c, &p->call, g);
    if (code < 0)
        image_free(&im);
    else
        *out = im;
    return code;
}
