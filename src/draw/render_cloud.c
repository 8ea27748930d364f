/* Pictures of a cloud: the ceiling cut, its panels side by side, titles and the legend. */
#include "draw/render_cloud.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/memory.h"
#include "draw/image.h"
#include "draw/render_paint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 8 };

struct render_options render_cloud_default(void)
{
    return (struct render_options){.width = 900,
                                   .height = 700,
                                   .view = {.azimuth = -60, .elevation = 56, .fov = 40, .zoom = 1},
                                   .up = 2,
                                   .cut = -1,
                                   .shading = 1};
}

static int compare_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Heights between which all but a hundredth of the points lie: stray points must not set the cut.
 */
static int height_range(struct drawing *d)
{
    int64_t n = d->cloud->n, k = 0;
    float *z = memory_alloc((size_t)n, sizeof *z);
    if (!z)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(d->xyz[3 * i + 2]))
            z[k++] = d->xyz[3 * i + 2];
    qsort(z, (size_t)k, sizeof *z, compare_float);
    d->low = k ? z[k / 200] : 0;
    d->high = k ? z[k - 1 - k / 200] : 1;
    memory_free(z);
    return 0;
}

/* A room by its size: walls as high as people build them, wider than high is tall. */
static bool looks_like_room(const struct drawing *d)
{
    struct bounds b;
    double height = d->high - d->low;
    if (cloud_bounds(&b, d->cloud) < 0 || b.finite == 0)
        return false;
    double x = b.max[0] - b.min[0], y = b.max[1] - b.min[1];
    return height > 1.8 && height < 6 && x > 1.5 && y > 1.5 && x < 60 && y < 60;
}

static void cut_ceiling(struct drawing *d)
{
    double cut = d->o->cut;
    if (cut < 0)
        cut = d->o->view.elevation > 15 && looks_like_room(d) ? 0.85 : 1;
    if (cut >= 1)
        return;
    double most = d->low + cut * (d->high - d->low);
    for (int64_t i = 0; i < d->cloud->n; i++)
        d->hidden[i] = d->xyz[3 * i + 2] > most;
}

static const char *default_colours(const struct glt_cloud *c)
{
    if (cloud_colour_scale(c) != 0)
        return "rgb";
    return labels_given(c) ? "label" : "height";
}

static int split(char panels[PANELS_MAX][NAME_SIZE], int *n, const char *text)
{
    *n = 0;
    while (*text) {
        size_t len = strcspn(text, ",");
        if (len == 0 || len >= NAME_SIZE || *n == PANELS_MAX)
            return error_set(GLT_EARGUMENT, "panels \"%s\": give 1 to %d names with commas between",
                             text, PANELS_MAX);
        memcpy(panels[*n], text, len);
        panels[(*n)++][len] = 0;
        text += len + (text[len] == ',');
    }
    return *n ? 0 : error_set(GLT_EARGUMENT, "no panel named; try rgb, label or height");
}

/* As the figures of papers say it, once there is a truth to compare with. */
static const char *panel_title(const char *name, char names[PANELS_MAX][NAME_SIZE], int n)
{
    bool compares = false;
    for (int i = 0; i < n; i++)
        compares |= strcmp(names[i], "truth") == 0;
    if (compares && strcmp(name, "rgb") == 0)
        return "input";
    return compares && strcmp(name, "label") == 0 ? "prediction" : name;
}

/* Panels side by side under their titles, the legend of the classes in sight below. */
static int compose(struct image *out, struct drawing *d, const struct image *panels,
                   char shown[PANELS_MAX][NAME_SIZE], int n)
{
    const struct render_options *o = d->o;
    struct colour back = o->dark ? colour(18, 18, 22) : colour(255, 255, 255);
    struct colour ink = o->dark ? colour(230, 230, 230) : colour(30, 30, 30);
    int scale = o->width >= 700 ? 2 : 1, gap = 6 * scale, width = n * o->width + (n + 1) * gap;
    const char *names[CLASSES_MAX];
    struct colour swatches[CLASSES_MAX];
    struct legend legend = {names, swatches, 0, scale};
    for (int i = 0; !o->no_legend && i < d->classes.n; i++)
        if (d->used[i]) {
            const uint8_t *rgb = d->classes.colours[i];
            names[legend.n] = d->classes.names[i];
            swatches[legend.n++] = colour(rgb[0], rgb[1], rgb[2]);
        }
    int head = (n > 1 ? (IMAGE_LINE + 4) * scale : gap) + (o->title ? 13 * scale : 0);
    int foot = image_legend(NULL, 0, 0, width - 2 * gap, &legend, ink);
    TRY(image_new(out, width, head + o->height + gap + (foot ? foot + gap : 0), back));
    if (o->title)
        image_text(out, gap, gap, o->title, scale, ink);
    for (int i = 0; i < n; i++) {
        int x = gap + i * (o->width + gap);
        image_copy(out, x, head, &panels[i]);
        const char *title = panel_title(shown[i], shown, n);
        int w = image_text_width(title, scale);
        if (n > 1)
            image_text(out, x + (o->width - w) / 2, head - IMAGE_LINE * scale, title, scale, ink);
    }
    image_legend(out, gap, head + o->height + gap, width - 2 * gap, &legend, ink);
    return 0;
}

static int draw(struct image *out, struct drawing *d)
{
    const struct render_options *o = d->o;
    char names[PANELS_MAX][NAME_SIZE];
    struct image panels[PANELS_MAX] = {0};
    int n, code = split(names, &n, o->colours ? o->colours : default_colours(d->cloud));
    if (code < 0)
        return code;
    struct render_points p = {d->xyz, d->colours, d->hidden, d->cloud->n};
    struct camera cam = render_fit(&p, &o->view, o->width, o->height);
    struct colour back = o->dark ? colour(18, 18, 22) : colour(255, 255, 255);
    for (int i = 0; code == 0 && i < n; i++) {
        code = render_paint(d, names[i]);
        if (code == 0)
            code = render_panel(&panels[i], &p, &cam, o->width, o->height, o->radius, o->shading,
                                back);
    }
    if (code == 0)
        code = compose(out, d, panels, names, n);
    for (int i = 0; i < n; i++)
        image_free(&panels[i]);
    return code;
}

static int check(const struct glt_cloud *c, const struct render_options *o)
{
    if (c->n < 1)
        return error_set(GLT_EDATA, "the cloud has no points to draw");
    if (c->n > INT32_MAX)
        return error_set(GLT_ELIMIT, "%lld points: pictures take up to 2^31 - 1", (long long)c->n);
    if (o->width < 16 || o->height < 16 || o->width > 8192 || o->height > 8192)
        return error_set(GLT_EARGUMENT, "a panel of %d x %d pixels; give 16 to 8192", o->width,
                         o->height);
    const struct render_view *v = &o->view;
    bool view = v->fov >= 0 && v->fov <= 150 && v->zoom > 0.01 && v->zoom < 1000 &&
                v->elevation >= -90 && v->elevation <= 90 && isfinite(v->azimuth);
    if (!view)
        return error_set(GLT_EARGUMENT,
                         "fov %g, zoom %g, elevation %g: give 0 to 150, 0.01 to "
                         "1000, -90 to 90",
                         v->fov, v->zoom, v->elevation);
    return 0;
}

/* Axes are renamed in a circle until `up` is z, as glt_cloud_edit does. */
static void turn(float *xyz, int64_t n, int up)
{
    for (int64_t i = 0; i < n && up != 2; i++) {
        const float p[3] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
        for (int d = 0; d < 3; d++)
            xyz[3 * i + d] = p[(up + 1 + d) % 3];
    }
}

int render_cloud(struct image *out, const struct glt_cloud *c, const struct glt_cloud *against,
                 const struct render_options *o)
{
    TRY(check(c, o));
    struct drawing *d = memory_alloc(1, sizeof *d);
    if (!d)
        return GLT_ENOMEM;
    size_t n = (size_t)c->n;
    double origin[3];
    d->cloud = c;
    d->against = against;
    d->o = o;
    d->xyz = memory_alloc(n * 3, sizeof *d->xyz);
    d->hidden = memory_alloc(n, 1);
    d->colours = memory_alloc(n, sizeof *d->colours);
    int code = d->xyz && d->hidden && d->colours ? 0 : GLT_ENOMEM;
    if (code == 0)
        code = cloud_local(origin, d->xyz, c);
    if (code == 0) {
        turn(d->xyz, c->n, o->up);
        code = height_range(d);
    }
    if (code == 0) {
        cut_ceiling(d);
        code = draw(out, d);
    }
    memory_free(d->label);
    memory_free(d->truth);
    memory_free(d->xyz);
    memory_free(d->hidden);
    memory_free(d->colours);
    classes_free(&d->classes);
    memory_free(d);
    return code;
}
