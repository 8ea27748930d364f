/* Views of a trace: see trace_view.h. */
#include "draw/trace_view.h"

#include "core/error.h"
#include "core/log.h"
#include "core/number.h"
#include "core/option_string.h"
#include "core/random.h"
#include "draw/cutaway.h"
#include "draw/image.h"
#include "draw/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEVATION = 40 }; /* of views of all points, in degrees */

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

/* --- options --- */

static bool is_word(const char *item, size_t len, const char *word)
{
    return len == strlen(word) && !memcmp(item, word, len);
}

static int read_channel(int *channel, const char *item, size_t len)
{
    char text[16];
    double number;
    *channel = is_word(item, len, "mean") ? TRACE_MEAN : TRACE_RANDOM;
    if (*channel == TRACE_MEAN || is_word(item, len, "random"))
        return 0;
    if (len == 0 || len >= sizeof text)
        return GLT_EARGUMENT;
    memcpy(text, item, len);
    text[len] = 0;
    if (option_string_numbers(&number, 1, text) != 1 || !(number >= -1 && number <= 65535) ||
        number != (int)number)
        return GLT_EARGUMENT;
    *channel = (int)number; /* -1 is TRACE_MEAN */
    return 0;
}

int trace_view_channels(struct trace_view *p, const char *text)
{
    int n = 0, code = 0;
    size_t len;
    for (const char *rest = text, *item;
         code == 0 && (item = option_string_item(&rest, &len, ','));)
        code = n < TRACE_LEVELS ? read_channel(&p->channel[n++], item, len) : GLT_EARGUMENT;
    if (code < 0 || (n != 1 && n != TRACE_LEVELS))
        return error_topic(
            error_set(GLT_EARGUMENT,
                      "channel = %s: give mean, random, a number up to 65535, or %d of these "
                      "with commas between, one for each level",
                      text, TRACE_LEVELS),
            GLT_TOPIC_OPTION, "channel");
    for (int l = n; l < TRACE_LEVELS; l++)
        p->channel[l] = p->channel[0];
    return 0;
}

int trace_view_prepare(struct trace_view *p, const char *up)
{
    int axis;
    int32_t n = p->trace.n[0];
    struct cutaway cut = {.share = p->cut, .elevation = ELEVATION};
    TRY(cutaway_axis(&axis, up));
    cutaway_turn(p->trace.xyz, n, axis);
    TRY(cutaway_heights(cut.range, &p->call, p->trace.xyz, n));
    p->hidden = call_alloc(&p->call, (size_t)n, sizeof *p->hidden);
    if (!p->hidden)
        return GLT_ENOMEM;
    cutaway_hide(p->hidden, &cut, p->trace.xyz, n);
    return 0;
}

int trace_view_centre(int32_t *out, const struct trace_view *p, int64_t point, int level)
{
    const struct trace_file *t = &p->trace;
    int32_t row = -1, best = 0, n = t->n[level];
    for (int32_t i = 0; i < t->n[0] && row < 0; i++)
        if (t->row[i] == point)
            row = i;
    if (row < 0)
        return error_topic(
            error_set(GLT_EARGUMENT, "point %lld is not in the trace", (long long)point),
            GLT_TOPIC_OPTION, "point");
    for (int32_t i = 1; row >= n && i < n; i++)
        if (distance2(t->xyz + 3 * (int64_t)i, t->xyz + 3 * (int64_t)row) <
            distance2(t->xyz + 3 * (int64_t)best, t->xyz + 3 * (int64_t)row))
            best = i;
    *out = row < n ? row : best;
    if (*out != row)
        log_message(GLT_LOG_INFO,
                    "point %lld is not sampled up to level %d; the nearest that is: point %d",
                    (long long)point, level, t->row[*out]);
    return 0;
}

/* --- weights --- */

const char *trace_view_head(int head)
{
    return head ? "latent" : "geometric";
}

struct colour trace_view_colour(int head)
{
    return head ? colour(10, 150, 40) : colour(214, 20, 20);
}

/* "We randomly picked a value d in D per attention score": one draw for each level, block, head. */
static int pick(const struct trace_view *p, int level, int block, int head)
{
    int64_t channels = trace_channels(&p->trace, level, block, trace_view_head(head));
    uint32_t lane = (uint32_t)(4 * (level - 1) + 2 * (block - 1) + head);
    if (p->channel[level - 1] != TRACE_RANDOM || channels < 1 || channels > UINT32_MAX)
        return p->channel[level - 1] == TRACE_RANDOM ? TRACE_MEAN : p->channel[level - 1];
    struct random r = random_start(random_stream(p->seed, 0, 0, RANDOM_CHANNEL), lane);
    return (int)random_below(&r, (uint32_t)channels);
}

int trace_view_weights(float *dst, bool *found, int *channel, const struct trace_view *p, int level,
                       int block, int head, int32_t begin, int32_t end)
{
    *channel = pick(p, level, block, head);
    return trace_weights(dst, found, &p->trace, level, block, trace_view_head(head), begin, end,
                         *channel);
}

/* --- neighbours over a view --- */

struct canvas {
    struct image *image;
    const struct trace_view *view;
    const struct camera *camera;
    int unit; /* pixels of the smallest disc */
};

/* *scale: pixels per metre there. */
static bool project(const struct canvas *c, int32_t row, int at[2], double *scale)
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
    *scale = c->camera->focal > 0 ? c->camera->focal / depth : c->camera->scale;
    return true;
}

struct ranked {
    float share, other; /* 0: the smallest weight, 1: the largest */
    int32_t row;
};

static float largest(const struct ranked *x)
{
    return x->share > x->other ? x->share : x->other;
}

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (largest(x) != largest(y))
        return largest(x) < largest(y) ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* From the smallest to the largest of n weights; those that are no numbers are left out. */
struct range {
    double min, max;
};

static struct range range_of(const float *weight, int32_t n)
{
    struct range r = {INFINITY, -INFINITY};
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(weight[i]))
            continue;
        r.min = weight[i] < r.min ? weight[i] : r.min;
        r.max = weight[i] > r.max ? weight[i] : r.max;
    }
    return r;
}

static float share_of(struct range r, float weight)
{
    return r.max > r.min ? (float)(((double)weight - r.min) / (r.max - r.min)) : 1;
}

/* The neighbours that are shown by rising weight, so that what matters stays in sight; those whose
 * weight is no number are left out. */
static int rank(struct ranked **out, int32_t *n, struct call *call, const struct trace_group *g)
{
    struct ranked *all = call_alloc(call, (size_t)g->shown + 1, sizeof *all);
    struct range first = range_of(g->weight, g->n);
    struct range second = g->other ? range_of(g->other, g->n) : first;
    if (!all)
        return GLT_ENOMEM;
    *n = 0;
    for (int32_t i = 0; i < g->shown; i++) {
        bool fine = isfinite(g->weight[i]) && (!g->other || isfinite(g->other[i]));
        if (fine && g->index[i] != g->centre)
            all[(*n)++] =
                (struct ranked){share_of(first, g->weight[i]),
                                g->other ? share_of(second, g->other[i]) : 0, g->index[i]};
    }
    qsort(all, (size_t)*n, sizeof *all, compare_ranked);
    *out = all;
    return 0;
}

static void draw_lines(const struct canvas *c, const struct trace_group *g,
                       const struct ranked *ranked, int32_t n)
{
    int at[2], centre[2];
    double scale;
    if (!project(c, g->centre, centre, &scale))
        return;
    for (int32_t i = 0; i < n; i++) {
        bool heavy = g->style == TRACE_EDGES;
        int half = heavy ? (int)(ranked[i].share * (float)c->unit) : 0;
        struct colour ink = heavy ? palette_mix(colour(225, 225, 225), g->full, ranked[i].share)
                                  : colour(150, 180, 225);
        for (int k = -half; k <= half && project(c, ranked[i].row, at, &scale); k++)
            if (abs(at[0] - centre[0]) < abs(at[1] - centre[1]))
                image_line(c->image, centre[0] + k, centre[1], at[0] + k, at[1], ink);
            else
                image_line(c->image, centre[0], centre[1] + k, at[0], at[1] + k, ink);
    }
}

/* Pale is the smallest weight, full the largest. */
static void draw_discs(const struct canvas *c, const struct trace_group *g,
                       const struct ranked *ranked, int32_t n)
{
    int at[2];
    double scale;
    for (int32_t i = 0; i < n; i++) {
        if (!project(c, ranked[i].row, at, &scale))
            continue;
        double share = g->style == TRACE_WEIGHTS ? (double)ranked[i].share : 1;
        double growth = g->style == TRACE_WEIGHTS ? 1.5 * (double)largest(&ranked[i])
                        : g->style == TRACE_EDGES ? 0
                                                  : 0.5;
        int r = c->unit + (int)(growth * c->unit);
        image_disc(c->image, at[0], at[1], r + 1, colour(90, 90, 90));
        image_disc(c->image, at[0], at[1], r,
                   g->style == TRACE_EDGES ? colour(255, 215, 0)
                                           : palette_mix(white(), g->full, share));
        if (g->other)
            image_half_disc(c->image, at[0], at[1], r,
                            palette_mix(white(), g->other_full, (double)ranked[i].other));
    }
}

static void draw_centre(const struct canvas *c, const struct trace_group *g)
{
    int at[2];
    double scale;
    bool given = g->middle.r || g->middle.g || g->middle.b;
    if (!project(c, g->centre, at, &scale))
        return;
    double radius = g->radius * scale;
    if (radius > 0 && radius < 4.0 * (c->image->width + c->image->height))
        image_circle(c->image, at[0], at[1], (int)radius, colour(230, 120, 0));
    image_disc(c->image, at[0], at[1], c->unit + 3, colour(60, 50, 0));
    image_disc(c->image, at[0], at[1], c->unit + 2, given ? g->middle : colour(255, 215, 0));
}

static int draw_groups(const struct canvas *c, struct call *call, const struct trace_group *groups,
                       int n_groups)
{
    for (int i = 0; i < n_groups; i++) {
        const struct trace_group *g = &groups[i];
        struct ranked *ranked;
        int32_t n;
        TRY(rank(&ranked, &n, call, g));
        if (g->style == TRACE_SPOKES || g->style == TRACE_EDGES)
            draw_lines(c, g, ranked, n);
        draw_discs(c, g, ranked, n);
    }
    for (int i = 0; i < n_groups; i++)
        draw_centre(c, &groups[i]);
    return 0;
}

/* --- views --- */

int trace_view_whole(struct image *out, struct trace_view *p, const struct colour *colours,
                     int64_t n, const struct trace_group *g, double radius)
{
    const struct render_view view = {
        .azimuth = p->azimuth, .elevation = ELEVATION, .fov = 35, .zoom = 1};
    struct render_points all = {p->trace.xyz, colours, p->hidden, p->trace.n[0]};
    struct render_points points = {p->trace.xyz, colours, p->hidden, n};
    struct camera cam = render_fit(&all, &view, p->width, p->height);
    struct image im = {0};
    TRY(render_panel(&im, &points, &cam, p->width, p->height, radius, radius > 0 ? 0 : 0.6,
                     white()));
    struct canvas c = {&im, p, &cam, im.height / 128 + 1};
    int code = g ? draw_groups(&c, &p->call, g, 1) : 0;
    if (code < 0)
        image_free(&im);
    else
        *out = im;
    return code;
}

double trace_view_reach(const struct trace_view *p, const struct trace_group *g, int level,
                        int block)
{
    const float *xyz = p->trace.xyz, *centre = xyz + 3 * (int64_t)g->centre;
    double reach2 = 0;
    for (int32_t i = 0; i < g->n; i++) {
        double d2 = distance2(xyz + 3 * (int64_t)g->index[i], centre);
        reach2 = d2 > reach2 ? d2 : reach2;
    }
    return reach2 > 0 ? sqrt(reach2) : p->trace.radius[level - 1][block - 1];
}

/* Enlarges the view until the circles around the centres are in it: everything moves away from the
 * middle as the focal length does. */
static void widen(struct camera *cam, const struct trace_view *p, const struct trace_scene *s)
{
    const double size[2] = {p->width, p->height};
    double factor = 1;
    for (int k = 0; k < s->n_groups && s->span > 0; k++) {
        const float *centre = p->trace.xyz + 3 * (int64_t)s->groups[k].centre;
        double pixel[2], depth;
        if (!render_project(cam, centre, p->width, p->height, pixel, &depth))
            continue;
        for (int d = 0; d < 2; d++) {
            double away = fabs(pixel[d] - size[d] / 2) + s->span * cam->focal / depth;
            factor = fmax(factor, 2.04 * away / size[d]);
        }
    }
    if (factor < 1e6)
        cam->focal /= factor;
}

int trace_view_near(struct image *out, struct trace_view *p, const struct trace_scene *s)
{
    const struct render_view view = {
        .azimuth = p->azimuth, .elevation = 30, .fov = 30, .zoom = 0.9};
    const float *xyz = p->trace.xyz;
    struct image im = {0};
    uint8_t *hidden = call_alloc(&p->call, (size_t)s->fit + 1, sizeof *hidden);
    if (!hidden)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < s->fit; i++) {
        hidden[i] = s->reach > 0 || p->hidden[i];
        for (int k = 0; k < s->n_groups; k++)
            if (distance2(xyz + 3 * i, xyz + 3 * (int64_t)s->groups[k].centre) <=
                s->reach * s->reach * 2.25)
                hidden[i] = 0;
    }
    struct render_points points = {xyz, s->colours, hidden, s->fit};
    struct camera cam = render_fit(&points, &view, p->width, p->height);
    widen(&cam, p, s);
    points.n = s->n;
    TRY(render_panel(&im, &points, &cam, p->width, p->height, p->height / 160.0 + 1, 0, white()));
    struct canvas c = {&im, p, &cam, im.height / 128 + 1};
    int code = draw_groups(&c, &p->call, s->groups, s->n_groups);
    if (code < 0)
        image_free(&im);
    else
        *out = im;
    return code;
}
