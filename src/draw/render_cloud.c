/* Images of a cloud: see render_cloud.h. The ceiling cut, panels side by side, titles, scales of
 * colours and the legend. */
#include "draw/render_cloud.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "core/call.h"
#include "core/error.h"
#include "core/option_string.h"
#include "core/progress.h"
#include "draw/cutaway.h"
#include "draw/image.h"
#include "draw/palette.h"
#include "draw/scale_bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };
enum { CLASSES_MAX = 4096, NAME_SIZE = 64, PANELS_MAX = 8 };

struct drawing {
    struct call call;
    const struct glt_cloud *cloud, *against;
    const struct render_options *o;
    float *xyz;
    uint8_t *hidden;
    struct colour *colours;
    struct classes classes; /* of labels and truth; none until a panel needs them */
    int32_t *label, *truth; /* the indices of their classes, -1: none; NULL without */
    uint8_t used[CLASSES_MAX];
    double low, high;       /* of heights */
    double origin;          /* of heights, in the file */
    const char *unit;       /* of lengths, "" if nobody says */
    struct scale_bar scale; /* of the panel painted last; no name: its colours are no scale */
};

struct render_options render_cloud_options(void)
{
    return (struct render_options){.width = 900,
                                   .height = 700,
                                   .view = {.azimuth = -60, .elevation = 56, .fov = 40, .zoom = 1},
                                   .up = 2,
                                   .cut = -1,
                                   .shading = 1};
}

/* --- colours of the points --- */

/* LAS calls it classification. */
static const char *label_name(const struct drawing *d)
{
    const struct column *x = labels_given(d->cloud);
    return d->o->label ? d->o->label : x ? x->name : "label";
}

/* The cloud that holds the truth. */
static const struct glt_cloud *truth_cloud(const struct drawing *d)
{
    return d->against ? d->against : d->cloud;
}

static int find_truth(struct labels *truth, const struct drawing *d, const struct classes *names)
{
    const struct glt_cloud *from = truth_cloud(d);
    if (from->n != d->cloud->n)
        return error_topic(error_set(GLT_EDATA,
                                     "the truth has %lld points, the cloud %lld: they must match",
                                     (long long)from->n, (long long)d->cloud->n),
                           GLT_TOPIC_SHAPE, "truth");
    *truth = labels_find(from, names, true);
    if (d->o->truth || !d->against) {
        truth->column = cloud_attribute(from, d->o->truth ? d->o->truth : "truth");
        truth->unnamed = false;
    }
    if (truth->unnamed)
        return error_topic(error_set(GLT_EDATA, "the truth: " LABELS_UNNAMED), GLT_TOPIC_LABELS,
                           "truth");
    return 0;
}

/* Adds the names that only the truth has, under the next numbers. */
static int add_names(struct classes *names, const struct labels *truth)
{
    int32_t number, class, next = classes_number_end(names);
    for (int32_t i = 0; i < truth->named->n; i++) {
        if (!classes_first_number(&number, truth->named, i) || labels_class(&class, truth, number))
            continue;
        TRY(classes_add(names, truth->named->names[i]));
        TRY(classes_add_number(names, next++, names->n - 1));
    }
    return 0;
}

/* -1 where there is no class. names NULL: the column's own numbers, else those of the same names
 * there. */
static int load_numbers(int32_t **out, struct drawing *d, const struct labels *x,
                        const struct glt_cloud *c, const struct classes *names)
{
    int32_t *to = call_alloc(&d->call, (size_t)c->n, sizeof *to), class;
    if (!to)
        return GLT_ENOMEM;
    TRY(labels_numbers(to, x->column, c->n, cloud_name(c)));
    for (int64_t i = 0; i < c->n; i++) {
        to[i] = labels_is_class(c, x->column, to[i]) ? to[i] : -1;
        if (names && to[i] >= 0 && labels_class(&class, x, to[i]) && class >= 0)
            classes_first_number(&to[i], names, class);
    }
    *out = to;
    return 0;
}

/* Labels and truth, whatever is shown, as indices into the classes of both. Where both clouds name
 * their classes, names are compared, else numbers. */
static int load_both(struct drawing *d, struct classes *names)
{
    const struct glt_cloud *from = truth_cloud(d);
    struct labels label = {.column = cloud_attribute(d->cloud, label_name(d))}, truth;
    bool named = d->against && d->cloud->classes.n && from->classes.n;
    TRY(classes_copy(names, d->cloud->classes.n ? &d->cloud->classes : &from->classes));
    TRY(find_truth(&truth, d, names));
    names->origin = LABELS_FROM_MODEL; /* so that the name of a number counts first */
    if (named)
        TRY(add_names(names, &truth));
    if (column_is_single(label.column)) {
        TRY(load_numbers(&d->label, d, &label, d->cloud, NULL));
        TRY(labels_collect(names, d->cloud, label.column, CLASSES_MAX));
    }
    if (column_is_single(truth.column)) {
        TRY(load_numbers(&d->truth, d, &truth, from, named ? names : NULL));
        TRY(labels_collect(names, from, named ? NULL : truth.column, CLASSES_MAX));
    }
    TRY(labels_list(&d->classes, names,
                    labels_are_las(label.column) || labels_are_las(truth.column)));
    for (int64_t i = 0; i < d->cloud->n; i++) {
        if (d->label)
            d->label[i] = classes_of_number(&d->classes, d->label[i]);
        if (d->truth)
            d->truth[i] = classes_of_number(&d->classes, d->truth[i]);
    }
    return 0;
}

static int load_classes(struct drawing *d)
{
    struct classes names = {0};
    if (d->label || d->truth)
        return 0;
    int code = load_both(d, &names);
    classes_free(&names);
    return code;
}

static int need_label(struct drawing *d)
{
    const struct column *x;
    TRY(load_classes(d));
    return d->label ? 0 : cloud_single(&x, d->cloud, label_name(d));
}

static int need_truth(struct drawing *d)
{
    const struct column *x;
    const char *name = d->o->truth ? d->o->truth : d->against ? "label" : "truth";
    TRY(load_classes(d));
    return d->truth ? 0 : cloud_single(&x, truth_cloud(d), name);
}

static int paint_classes(struct drawing *d, bool truth)
{
    TRY(truth ? need_truth(d) : need_label(d));
    const int32_t *class = truth ? d->truth : d->label;
    for (int64_t i = 0; i < d->cloud->n; i++) {
        d->colours[i] = palette_class(&d->classes, class[i]);
        if (class[i] >= 0)
            d->used[class[i]] |= !d->hidden[i];
    }
    return 0;
}

static int paint_error(struct drawing *d)
{
    TRY(need_label(d));
    TRY(need_truth(d));
    for (int64_t i = 0; i < d->cloud->n; i++)
        d->colours[i] = d->truth[i] < 0              ? palette_class(&d->classes, -1)
                        : d->label[i] == d->truth[i] ? colour(205, 205, 205)
                                                     : colour(214, 39, 40);
    return 0;
}

static int paint_rgb(struct drawing *d)
{
    int64_t n = d->cloud->n;
    if (cloud_colour_scale(d->cloud) == 0)
        return error_topic(
            error_set(GLT_EDATA, "the cloud has no red, green and blue; colour it by height"),
            GLT_TOPIC_ATTRIBUTE, "red");
    int64_t mark = call_mark(&d->call);
    float *rgb = call_alloc(&d->call, (size_t)n * 3, sizeof *rgb);
    if (!rgb)
        return GLT_ENOMEM;
    TRY(cloud_colours(rgb, d->cloud));
    for (int64_t i = 0; i < n; i++) {
        int v[3];
        for (int k = 0; k < 3; k++) {
            float x = rgb[3 * i + k] * 255 + 0.5f;
            v[k] = x > 0 ? x < 255 ? (int)x : 255 : 0;
        }
        d->colours[i] = colour(v[0], v[1], v[2]);
    }
    call_reset(&d->call, mark);
    return 0;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Values between which all but two hundredths lie: a few bright points must not leave the others
 * dark. Where these are one value, the lowest and the highest. */
static int value_range(struct drawing *d, const double *x, double *low, double *high)
{
    int64_t n = d->cloud->n, k = 0;
    double *sorted = call_alloc(&d->call, (size_t)n, sizeof *sorted);
    if (!sorted)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(x[i]))
            sorted[k++] = x[i];
    qsort(sorted, (size_t)k, sizeof *sorted, compare_double);
    *low = k ? sorted[k / 100] : 0;
    *high = k ? sorted[k - 1 - k / 100] : 0;
    if (*low == *high && k) {
        *low = sorted[0];
        *high = sorted[k - 1];
    }
    return 0;
}

static int paint_attribute(struct drawing *d, const char *name)
{
    int64_t n = d->cloud->n;
    int64_t mark = call_mark(&d->call);
    double *x = call_alloc(&d->call, (size_t)n, sizeof *x), low = 0, high = 1;
    if (!x)
        return GLT_ENOMEM;
    TRY(cloud_attribute_as_f64(x, d->cloud, name));
    if (strcmp(name, "confidence") != 0)
        TRY(value_range(d, x, &low, &high));
    for (int64_t i = 0; i < n; i++)
        d->colours[i] = isfinite(x[i]) ? palette_scale(high > low ? (x[i] - low) / (high - low) : 0)
                                       : colour(150, 150, 150);
    d->scale = (struct scale_bar){name, strcmp(name, "gps_time") ? "" : "s", low, high};
    call_reset(&d->call, mark);
    return 0;
}

static void paint_height(struct drawing *d)
{
    for (int64_t i = 0; i < d->cloud->n; i++)
        d->colours[i] = palette_scale((d->xyz[3 * i + 2] - d->low) / (d->high - d->low + 1e-9));
    d->scale = (struct scale_bar){"height", d->unit, d->low + d->origin, d->high + d->origin};
}

/* The colours of all points, by what a panel shows: rgb, label, truth, error, height, or an
 * attribute. */
static int paint(struct drawing *d, const char *what)
{
    d->scale.name = NULL;
    if (strcmp(what, "rgb") == 0)
        return paint_rgb(d);
    if (strcmp(what, "label") == 0 || (!d->o->label && strcmp(what, label_name(d)) == 0))
        return paint_classes(d, false);
    if (strcmp(what, "truth") == 0)
        return paint_classes(d, true);
    if (strcmp(what, "error") == 0)
        return paint_error(d);
    if (strcmp(what, "height") == 0) {
        paint_height(d);
        return 0;
    }
    return paint_attribute(d, what);
}

/* --- panels --- */

static const char *default_colours(const struct glt_cloud *c)
{
    if (cloud_colour_scale(c) != 0)
        return "rgb";
    return labels_given(c) ? "label" : "height";
}

static int split(char panels[PANELS_MAX][NAME_SIZE], int *n, const char *text)
{
    size_t len;
    *n = 0;
    for (const char *rest = text, *item; (item = option_string_item(&rest, &len, ','));) {
        if (len == 0 || len >= NAME_SIZE || *n == PANELS_MAX)
            return error_topic(error_set(GLT_EARGUMENT,
                                         "panels \"%s\": give 1 to %d names with commas between",
                                         text, PANELS_MAX),
                               GLT_TOPIC_OPTION, "colours");
        snprintf(panels[(*n)++], NAME_SIZE, "%.*s", (int)len, item);
    }
    return 0;
}

/* As the figures of papers say it, once there is a truth to compare with. */
static const char *panel_title(const char *name, const char (*names)[NAME_SIZE], int n)
{
    bool compares = false;
    for (int i = 0; i < n; i++)
        compares |= strcmp(names[i], "truth") == 0;
    if (compares && strcmp(name, "rgb") == 0)
        return "input";
    return compares && strcmp(name, "label") == 0 ? "prediction" : name;
}

/* The panels of an image, what they show, and the scales of their colours. */
struct panels {
    int n;
    char names[PANELS_MAX][NAME_SIZE];
    struct image images[PANELS_MAX];
    struct scale_bar scales[PANELS_MAX];
};

static void draw_scales(struct image *out, const struct drawing *d, const struct panels *p, int y,
                        int gap, int scale, struct colour ink)
{
    for (int i = 0; i < p->n; i++)
        if (p->scales[i].name)
            scale_bar_colours(out, gap + i * (d->o->width + gap), y, d->o->width, &p->scales[i],
                              scale, ink);
}

/* Panels side by side under their titles, the scales of their colours and the legend of the classes
 * in sight below. */
static int compose(struct image *out, struct drawing *d, const struct panels *p)
{
    const struct render_options *o = d->o;
    struct colour back = o->dark ? colour(18, 18, 22) : colour(255, 255, 255);
    struct colour ink = o->dark ? colour(230, 230, 230) : colour(30, 30, 30);
    int n = p->n, scale = o->width >= 700 ? 2 : 1, gap = 6 * scale;
    int width = n * o->width + (n + 1) * gap, bars = 0;
    const char *names[CLASSES_MAX];
    struct colour swatches[CLASSES_MAX];
    struct legend legend = {names, swatches, 0, scale};
    for (int i = 0; !o->no_legend && i < d->classes.n; i++)
        if (d->used[i]) {
            names[legend.n] = d->classes.names[i];
            swatches[legend.n++] = palette_class(&d->classes, i);
        }
    int head = (n > 1 ? (IMAGE_LINE + 4) * scale : gap) + (o->title ? 13 * scale : 0);
    int foot = image_legend(NULL, 0, 0, width - 2 * gap, &legend, ink);
    for (int i = 0; !o->no_legend && i < n; i++)
        bars = p->scales[i].name ? 11 * scale : bars;
    TRY(image_new(out, width, head + o->height + gap + bars + (foot ? foot + gap : 0), back));
    if (o->title)
        image_text(out, gap, gap, o->title, scale, ink);
    for (int i = 0; i < n; i++) {
        int x = gap + i * (o->width + gap);
        image_copy(out, x, head, &p->images[i]);
        char title[NAME_SIZE];
        snprintf(title, sizeof title, "%s", panel_title(p->names[i], p->names, n));
        image_text_shorten(title, o->width, scale);
        int w = image_text_width(title, scale);
        if (n > 1)
            image_text(out, x + (o->width - w) / 2, head - IMAGE_LINE * scale, title, scale, ink);
    }
    if (bars)
        draw_scales(out, d, p, head + o->height + gap, gap, scale, ink);
    image_legend(out, gap, head + o->height + gap + bars, width - 2 * gap, &legend, ink);
    return 0;
}

static int draw_panels(struct image *out, struct drawing *d, struct panels *panels)
{
    const struct render_options *o = d->o;
    struct render_points p = {d->xyz, d->colours, d->hidden, d->cloud->n};
    struct camera cam = render_fit(&p, &o->view, o->width, o->height);
    struct colour back = o->dark ? colour(18, 18, 22) : colour(255, 255, 255);
    struct colour ink = o->dark ? colour(230, 230, 230) : colour(30, 30, 30);
    const int rect[4] = {0, 0, o->width, o->height};
    for (int i = 0; i < panels->n; i++) {
        TRY(paint(d, panels->names[i]));
        panels->scales[i] = d->scale;
        TRY(render_panel(&panels->images[i], &p, &cam, o->width, o->height, o->radius, o->shading,
                         back));
        if (o->map && !o->no_legend)
            scale_bar_map(&panels->images[i], rect, cam.scale, d->unit, o->width >= 700 ? 2 : 1,
                          ink);
    }
    return compose(out, d, panels);
}

static int draw(struct image *out, struct drawing *d)
{
    struct panels panels = {0};
    const char *shown = d->o->colours ? d->o->colours : default_colours(d->cloud);
    int code = split(panels.names, &panels.n, shown);
    if (code == 0)
        code = draw_panels(out, d, &panels);
    for (int i = 0; i < panels.n; i++)
        image_free(&panels.images[i]);
    return code;
}

static int check(const struct glt_cloud *c, const struct render_options *o)
{
    if (c->n < 1)
        return error_topic(error_set(GLT_EDATA, "the cloud has no points to draw"),
                           GLT_TOPIC_MISSING, NULL);
    if (c->n > INT32_MAX)
        return error_topic(error_set(GLT_ELIMIT, "%lld points: an image can show at most 2^31 - 1",
                                     (long long)c->n),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    if (o->width < 16 || o->height < 16 || o->width > 8192 || o->height > 8192)
        return error_topic(error_set(GLT_EARGUMENT, "a panel of %d x %d pixels; give 16 to 8192",
                                     o->width, o->height),
                           GLT_TOPIC_OPTION, "width");
    const struct render_view *v = &o->view;
    bool view = v->fov >= 0 && v->fov <= 150 && v->zoom > 0.01 && v->zoom < 1000 &&
                v->elevation >= -90 && v->elevation <= 90 && isfinite(v->azimuth);
    if (!view)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "fov %g, zoom %g, elevation %g: give 0 to 150, 0.01 to "
                                     "1000, -90 to 90",
                                     v->fov, v->zoom, v->elevation),
                           GLT_TOPIC_OPTION, "fov");
    return 0;
}

static int draw_cloud(struct image *out, struct drawing *d)
{
    size_t n = (size_t)d->cloud->n;
    double origin[3];
    d->xyz = call_alloc(&d->call, n * 3, sizeof *d->xyz);
    d->hidden = call_alloc(&d->call, n, 1);
    d->colours = call_alloc(&d->call, n, sizeof *d->colours);
    if (!d->xyz || !d->hidden || !d->colours)
        return GLT_ENOMEM;
    TRY(cloud_local(origin, d->xyz, d->cloud));
    cutaway_turn(d->xyz, d->cloud->n, d->o->up);
    const struct note *unit = cloud_note(d->cloud, "unit");
    d->origin = origin[d->o->up];
    d->unit = unit ? (const char *)unit->bytes : "";
    struct cutaway cut = {.share = d->o->cut, .elevation = d->o->view.elevation};
    TRY(cutaway_heights(cut.range, &d->call, d->xyz, d->cloud->n));
    d->low = cut.range[0];
    d->high = cut.range[1];
    cutaway_hide(d->hidden, &cut, d->xyz, d->cloud->n);
    return draw(out, d);
}

int render_cloud(struct image *out, const struct glt_cloud *c, const struct glt_cloud *against,
                 const struct render_options *o)
{
    TRY(check(c, o));
    struct drawing d = {.cloud = c, .against = against, .o = o};
    int code = draw_cloud(out, &d);
    classes_free(&d.classes);
    call_free(&d.call);
    return code;
}

/* --- into files: one, or the frames of a turn --- */

static int draw_to(const char *path, const struct glt_cloud *c, const struct glt_cloud *truth,
                   const struct render_options *o)
{
    struct image im = {0};
    TRY(render_cloud(&im, c, truth, o));
    int code = image_write(&im, path);
    image_free(&im);
    return code;
}

/* room.png -> room_007.png */
static int frame_path(char *dst, size_t size, const char *path, int frame)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    int len = snprintf(dst, size, "%.*s_%03d%s", stem, path, frame, dot ? dot : "");
    return len < 0 || (size_t)len >= size
               ? error_topic(error_in(GLT_EARGUMENT, path, "the path is too long"),
                             GLT_TOPIC_SIZE_LIMIT, NULL)
               : 0;
}

static int read_options(struct call *call, struct render_options *o, int *frames,
                        const char *options)
{
    bool orthographic = false;
    const char *up = "z";
    const struct option_field table[] = {{"width", FIELD_INT, &o->width, 16, 8192},
                                         {"height", FIELD_INT, &o->height, 16, 8192},
                                         {"azimuth", FIELD_REAL, &o->view.azimuth, -3600, 3600},
                                         {"elevation", FIELD_REAL, &o->view.elevation, -90, 90},
                                         {"fov", FIELD_REAL, &o->view.fov, 0, 150},
                                         {"zoom", FIELD_REAL, &o->view.zoom, 0.02, 500},
                                         {"orthographic", FIELD_FLAG, &orthographic, 0, 0},
                                         {"map_view", FIELD_FLAG, &o->map, 0, 0},
                                         {"up", FIELD_TEXT, &up, 0, 0},
                                         {"cut", FIELD_REAL, &o->cut, 0.01, 1},
                                         {"radius", FIELD_REAL, &o->radius, 0, 200},
                                         {"shading", FIELD_REAL, &o->shading, 0, 4},
                                         {"colours", FIELD_TEXT, &o->colours, 0, 0},
                                         {"label", FIELD_TEXT, &o->label, 0, 0},
                                         {"truth", FIELD_TEXT, &o->truth, 0, 0},
                                         {"no_legend", FIELD_FLAG, &o->no_legend, 0, 0},
                                         {"dark", FIELD_FLAG, &o->dark, 0, 0},
                                         {"turntable", FIELD_INT, frames, 1, 999}};
    TRY(option_string_read(call, options, table, sizeof table / sizeof *table));
    if (orthographic)
        o->view.fov = 0;
    if (o->map && strcmp(up, "z") != 0)
        return error_topic(
            error_set(GLT_EARGUMENT, "up=%s with map_view: north is y only where z points up", up),
            GLT_TOPIC_OPTION, "up");
    if (o->map) { /* y, north, points up in the image */
        o->view.azimuth = -90;
        o->view.elevation = 90;
        o->view.fov = 0;
    }
    return cutaway_axis(&o->up, up);
}

int glt_cloud_render(const struct glt_cloud *c, const struct glt_cloud *truth, const char *path,
                     const char *options)
{
    REQUIRE(c, path);
    struct render_options o = render_cloud_options();
    int frames = 0;
    struct call call = {0};
    int code = read_options(&call, &o, &frames, options);
    if (code == 0 && frames == 0)
        code = draw_to(path, c, truth, &o);
    double first = o.view.azimuth;
    for (int i = 0; code == 0 && i < frames; i++) {
        char name[PATH_SIZE];
        o.view.azimuth = first + 360.0 * i / frames;
        code = frame_path(name, sizeof name, path, i);
        if (code == 0)
            code = progress_report("frames", i, frames);
        if (code == 0)
            code = draw_to(name, c, truth, &o);
    }
    call_free(&call);
    return code;
}
