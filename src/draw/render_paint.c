/* Colours of points: see render_paint.h. */
#include "draw/render_paint.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/memory.h"
#include "draw/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int load_classes(struct drawing *d, int32_t **out, const struct glt_cloud *c,
                        const char *name)
{
    if (*out)
        return 0;
    int32_t *values = memory_alloc((size_t)d->cloud->n, sizeof *values);
    if (!values)
        return GLT_ENOMEM;
    int code = cloud_attribute_as_i32(values, c, name);
    if (code < 0) {
        memory_free(values);
        return code;
    }
    *out = values;
    return 0;
}

/* LAS calls it classification. */
static const char *label_name(const struct glt_cloud *c)
{
    const struct column *x = labels_given(c);
    return x ? x->name : "label";
}

static int need_label(struct drawing *d)
{
    return load_classes(d, &d->label, d->cloud, d->o->label ? d->o->label : label_name(d->cloud));
}

static int need_truth(struct drawing *d)
{
    if (d->against) {
        if (d->against->n != d->cloud->n)
            return error_set(GLT_EDATA,
                             "the truth has %lld points, the cloud %lld: they must match",
                             (long long)d->against->n, (long long)d->cloud->n);
        if (labels_find(d->against, &d->cloud->classes, false).unnamed)
            return error_set(GLT_EDATA, "the truth: " LABELS_UNNAMED);
        return load_classes(d, &d->truth, d->against, label_name(d->against));
    }
    return load_classes(d, &d->truth, d->cloud, d->o->truth ? d->o->truth : "truth");
}

static bool is_class(int32_t value)
{
    return value >= 0 && value < CLASSES_MAX - 1; /* 255 is nobody's class */
}

/* One more than the largest class of an attribute; 0 without. */
static int count_classes(const struct glt_cloud *c, const char *name)
{
    const struct column *x = cloud_attribute(c, name);
    int most = 0;
    for (int64_t i = 0; x && !x->start && x->width == 1 && i < c->n; i++) {
        double v = column_value(x, i);
        if (v >= most && v < CLASSES_MAX - 1)
            most = (int)v + 1;
    }
    return most;
}

/* Colours of classes depend on how many there are, in labels and truth together whatever is shown,
 * so that a class looks the same in all panels and pictures; names come from the cloud's comments.
 */
static int prepare_classes(struct drawing *d)
{
    const char *label = d->o->label ? d->o->label : label_name(d->cloud);
    int most = count_classes(d->cloud, label);
    int other = d->against ? count_classes(d->against, label_name(d->against))
                           : count_classes(d->cloud, d->o->truth ? d->o->truth : "truth");
    most = other > most ? other : most;
    const struct classes *named = d->against ? &d->against->classes : &d->cloud->classes;
    struct colour palette[CLASSES_MAX];
    int known = 0;
    for (int i = 0; i < CLASSES_MAX; i++)
        if (classes_name(named, i) || classes_name(&d->cloud->classes, i))
            known = i + 1;
    most = known ? known : most; /* numbers beyond the names are no classes */
    palette_classes(palette, most);
    for (int i = 0; i < most; i++) {
        char text[NAME_SIZE];
        const char *name = classes_name(named, i);
        name = name ? name : classes_name(&d->cloud->classes, i);
        if (name)
            snprintf(text, sizeof text, "%s", name);
        else
            snprintf(text, sizeof text, "class %d", i);
        TRY(classes_add(&d->classes, text));
        memcpy(d->classes.colours[i], &palette[i], 3);
    }
    return 0;
}

static struct colour class_colour(const struct drawing *d, int32_t value)
{
    if (value < 0 || value >= d->classes.n)
        return colour(150, 150, 150);
    const uint8_t *rgb = d->classes.colours[value];
    return colour(rgb[0], rgb[1], rgb[2]);
}

static int paint_classes(struct drawing *d, bool truth)
{
    TRY(truth ? need_truth(d) : need_label(d));
    const int32_t *values = truth ? d->truth : d->label;
    if (!d->classes.n)
        TRY(prepare_classes(d));
    for (int64_t i = 0; i < d->cloud->n; i++) {
        d->colours[i] = class_colour(d, values[i]);
        if (is_class(values[i]))
            d->used[values[i]] |= !d->hidden[i];
    }
    return 0;
}

static int paint_error(struct drawing *d)
{
    TRY(need_label(d));
    TRY(need_truth(d));
    for (int64_t i = 0; i < d->cloud->n; i++) {
        bool right = !is_class(d->truth[i]) || d->label[i] == d->truth[i];
        d->colours[i] = right ? colour(205, 205, 205) : colour(214, 39, 40);
    }
    return 0;
}

static int paint_rgb(struct drawing *d)
{
    int64_t n = d->cloud->n;
    if (cloud_colour_scale(d->cloud) == 0)
        return error_set(GLT_EDATA, "the cloud has no red, green and blue; try --colours height");
    float *rgb = memory_alloc((size_t)n * 3, sizeof *rgb);
    if (!rgb)
        return GLT_ENOMEM;
    int code = cloud_colours(rgb, d->cloud);
    for (int64_t i = 0; code == 0 && i < n; i++) {
        int v[3];
        for (int k = 0; k < 3; k++) {
            float x = rgb[3 * i + k] * 255 + 0.5f;
            v[k] = x > 0 ? x < 255 ? (int)x : 255 : 0;
        }
        d->colours[i] = colour(v[0], v[1], v[2]);
    }
    memory_free(rgb);
    return code;
}

static int paint_attribute(struct drawing *d, const char *name)
{
    int64_t n = d->cloud->n;
    double *x = memory_alloc((size_t)n, sizeof *x), low = INFINITY, high = -INFINITY;
    if (!x)
        return GLT_ENOMEM;
    int code = cloud_attribute_as_f64(x, d->cloud, name);
    for (int64_t i = 0; code == 0 && i < n; i++) {
        if (!isfinite(x[i]))
            continue;
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    if (strcmp(name, "confidence") == 0) {
        low = 0;
        high = 1;
    }
    for (int64_t i = 0; code == 0 && i < n; i++)
        d->colours[i] = isfinite(x[i]) ? palette_scale(high > low ? (x[i] - low) / (high - low) : 0)
                                       : colour(150, 150, 150);
    memory_free(x);
    return code;
}

static void paint_height(struct drawing *d)
{
    for (int64_t i = 0; i < d->cloud->n; i++)
        d->colours[i] = palette_scale((d->xyz[3 * i + 2] - d->low) / (d->high - d->low + 1e-9));
}

int render_paint(struct drawing *d, const char *what)
{
    if (strcmp(what, "rgb") == 0)
        return paint_rgb(d);
    if (strcmp(what, "label") == 0 || (!d->o->label && strcmp(what, label_name(d->cloud)) == 0))
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
