/* Clouds of a viewer page: see view_cloud.h.
 *
 * A point takes up to 13 bytes: three coordinates of 16 bits (steps of 1 / 65535 of the extent, for
 * display only), three of colour, one of class, one of confidence, and the distance from the
 * previous row (none if all rows are shown; else 7 bits a byte, two bytes up to 16383 rows).
 * Columns follow each other, smooth ones as differences, because deflate packs that well. */
#include "task/view_cloud.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "cloud/type.h"
#include "core/call.h"
#include "core/error.h"
#include "core/option_string.h"
#include "draw/page.h"
#include "formats/format.h"
#include "task/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STEPS = 65535,
    NONE = 255, /* in the page: a point without a class */
    CLASSES_MAX = NONE,
    NAME_SIZE = 128,
    SECTION_NAME = 32
};

struct work {
    struct call call;
    struct file *file;
    struct json *json;
    const struct view_cloud *view;
    const struct glt_cloud *cloud;
    struct shown shown;
    struct classes classes;     /* of labels and truth */
    int64_t count[CLASSES_MAX]; /* points of the file with this label */
};

struct json *view_cloud_text(const char *text)
{
    char ascii[NAME_SIZE];
    if (json_holds(text))
        return json_string(text);
    snprintf(ascii, sizeof ascii, "%s", text);
    for (char *p = ascii; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    return json_string(ascii);
}

/* --- sections --- */

static int put(struct work *w, const char *what, const void *bytes, int64_t n)
{
    char name[2 * SECTION_NAME];
    snprintf(name, sizeof name, "c%d%s", w->view->number, what);
    return page_section(w->file, name, bytes, (size_t)n);
}

static unsigned char *take(struct work *w, int64_t bytes)
{
    return call_alloc(&w->call, (size_t)bytes + 1, 1);
}

/* Differences of 16-bit values: all low bytes, then all high ones. */
static void put_steps(unsigned char *low, unsigned char *high, const uint16_t *value, int64_t n)
{
    uint16_t last = 0;
    for (int64_t i = 0; i < n; i++) {
        uint16_t step = (uint16_t)(value[i] - last);
        low[i] = (unsigned char)step;
        high[i] = (unsigned char)(step >> 8);
        last = value[i];
    }
}

static void find_extent(double low[3], double step[3], const struct shown *s)
{
    for (int axis = 0; axis < 3; axis++) {
        double high = -INFINITY;
        low[axis] = INFINITY;
        for (int64_t i = 0; i < s->m; i++) {
            double v = (double)s->xyz[3 * (int64_t)s->rows[i] + axis];
            low[axis] = fmin(low[axis], v);
            high = fmax(high, v);
        }
        low[axis] = s->m ? low[axis] : 0;
        step[axis] = s->m && high > low[axis] ? (high - low[axis]) / STEPS : 0;
    }
}

static int write_positions(struct work *w)
{
    const struct shown *s = &w->shown;
    double low[3], step[3];
    int64_t mark = call_mark(&w->call), m = s->m;
    uint16_t *q = call_alloc(&w->call, (size_t)m + 1, sizeof *q);
    unsigned char *bytes = take(w, 6 * m);
    if (!q || !bytes)
        return GLT_ENOMEM;
    find_extent(low, step, s);
    for (int axis = 0; axis < 3; axis++) {
        for (int64_t i = 0; i < m; i++) {
            double v = (double)s->xyz[3 * (int64_t)s->rows[i] + axis] - low[axis];
            q[i] = (uint16_t)(step[axis] > 0 ? fmin(v / step[axis] + 0.5, STEPS) : 0);
        }
        put_steps(bytes + 2 * axis * m, bytes + (2 * axis + 1) * m, q, m);
    }
    json_set(
        w->json, "low",
        json_pack("[f,f,f]", low[0] + s->origin[0], low[1] + s->origin[1], low[2] + s->origin[2]));
    json_set(w->json, "step", json_pack("[f,f,f]", step[0], step[1], step[2]));
    int code = put(w, "xyz", bytes, 6 * m);
    call_reset(&w->call, mark);
    return code;
}

/* Distances between rows, 7 bits a byte from the lowest; the highest bit says that more follow. */
static int write_rows(struct work *w)
{
    int64_t mark = call_mark(&w->call), len = 0, next = 0;
    if (w->shown.m == w->cloud->n)
        return 0;
    unsigned char *bytes = take(w, 5 * w->shown.m);
    if (!bytes)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < w->shown.m; i++) {
        int64_t gap = w->shown.rows[i] - next;
        for (; gap > 127; gap >>= 7)
            bytes[len++] = (unsigned char)(gap | 128);
        bytes[len++] = (unsigned char)gap;
        next = (int64_t)w->shown.rows[i] + 1;
    }
    int code = put(w, "row", bytes, len);
    call_reset(&w->call, mark);
    return code;
}

static int write_colours(struct work *w)
{
    bool found = cloud_colour_scale(w->cloud) > 0;
    int64_t mark = call_mark(&w->call), m = w->shown.m;
    json_set(w->json, "rgb", json_boolean(found));
    if (!found)
        return 0;
    float *rgb = call_alloc(&w->call, (size_t)w->cloud->n + 1, 3 * sizeof *rgb);
    unsigned char *bytes = take(w, 3 * m);
    if (!rgb || !bytes)
        return GLT_ENOMEM;
    TRY(cloud_colours(rgb, w->cloud));
    for (int k = 0; k < 3; k++) {
        unsigned char last = 0;
        for (int64_t i = 0; i < m; i++) {
            float v = rgb[3 * (int64_t)w->shown.rows[i] + k] * 255 + 0.5f;
            unsigned char now = (unsigned char)(v > 0 ? v < 255 ? v : 255 : 0);
            bytes[k * m + i] = (unsigned char)(now - last);
            last = now;
        }
    }
    int code = put(w, "rgb", bytes, 3 * m);
    call_reset(&w->call, mark);
    return code;
}

static int write_confidence(struct work *w)
{
    bool found = column_is_single(cloud_attribute(w->cloud, "confidence"));
    int64_t mark = call_mark(&w->call), m = w->shown.m;
    json_set(w->json, "confidence", json_boolean(found));
    if (!found)
        return 0;
    unsigned char *bytes = take(w, m);
    if (!bytes)
        return GLT_ENOMEM;
    const struct column *x = cloud_attribute(w->cloud, "confidence");
    for (int64_t i = 0; i < m; i++) {
        double v = column_value(x, w->shown.rows[i]) * 255 + 0.5;
        bytes[i] = (unsigned char)(v > 0 ? v < 255 ? v : 255 : 0);
    }
    int code = put(w, "confidence", bytes, m);
    call_reset(&w->call, mark);
    return code;
}

/* --- classes --- */

static const struct column *find_truth(const struct glt_cloud *c)
{
    const struct column *x = cloud_attribute(c, "truth");
    return column_is_single(x) ? x : NULL;
}

/* One byte a point: the index of its class, or NONE. */
static int write_classes(struct work *w, const struct column *x, const char *what, int64_t *count)
{
    int64_t mark = call_mark(&w->call);
    int32_t number;
    if (!x)
        return 0;
    unsigned char *bytes = take(w, w->cloud->n);
    if (!bytes)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < w->cloud->n; i++) {
        TRY(labels_number(&number, column_value(x, i), i, cloud_name(w->cloud)));
        bool good = labels_is_class(w->cloud, x, number);
        bytes[i] = (unsigned char)(good ? classes_of_number(&w->classes, number) : NONE);
        if (good && count)
            count[bytes[i]]++;
    }
    for (int64_t i = 0; i < w->shown.m; i++)
        bytes[i] = bytes[w->shown.rows[i]];
    int code = put(w, what, bytes, w->shown.m);
    call_reset(&w->call, mark);
    return code;
}

static bool is_listed(const struct json *list, const char *name)
{
    for (size_t i = 0; i < json_size(list); i++) {
        const char *text = json_string_value(json_get(json_at(list, i), "name"));
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* Adds the caller's class names after those of the file, under the next free numbers. */
static int add_named(struct work *w, struct json *list, int32_t number)
{
    size_t len;
    char name[NAME_SIZE];
    for (const char *rest = w->view->classes, *item;
         (item = option_string_item(&rest, &len, ','));) {
        snprintf(name, sizeof name, "%.*s", (int)len, item);
        if (!len || is_listed(list, name))
            continue;
        uint8_t rgb[3];
        labels_colour(rgb, number, name);
        if (json_size(list) < CLASSES_MAX)
            json_append(list, json_pack("{s:i,s:o,s:[i,i,i],s:i}", "number", number, "name",
                                        view_cloud_text(name), "colour", rgb[0], rgb[1], rgb[2],
                                        "count", 0));
        number++;
    }
    return 0;
}

static int list_classes(struct work *w)
{
    struct json *list = json_array();
    const struct column *label = labels_column(w->cloud);
    int32_t end = label && labels_none(w->cloud, label) == 0; /* LAS: 0 is no class */
    json_set(w->json, "first", json_integer(end));
    for (int32_t i = 0; i < w->classes.n; i++) {
        int32_t number = w->classes.labels[i].number;
        const char *name = labels_name(w->cloud, label, number);
        const uint8_t *rgb = w->classes.colours[i];
        json_append(list, json_pack("{s:i,s:o,s:[i,i,i],s:I}", "number", number, "name",
                                    name && json_holds(name) ? json_string(name) : json_null(),
                                    "colour", rgb[0], rgb[1], rgb[2], "count", w->count[i]));
        end = number + 1;
    }
    int code = add_named(w, list, end);
    json_set(w->json, "classes", list);
    return code;
}

static int write_labels(struct work *w)
{
    const struct column *label = labels_column(w->cloud), *truth = find_truth(w->cloud);
    TRY(labels_classes(&w->classes, w->cloud, label, truth, CLASSES_MAX));
    json_set(w->json, "label", label ? view_cloud_text(label->name) : json_null());
    json_set(w->json, "truth", json_boolean(truth != NULL));
    TRY(write_classes(w, label, "label", w->count));
    TRY(write_classes(w, truth, "truth", NULL));
    return list_classes(w);
}

/* --- attributes --- */

struct range {
    double low, high;
    bool whole;
};

static struct range find_range(const struct work *w, const struct column *x)
{
    struct range r = {INFINITY, -INFINITY, true};
    for (int64_t i = 0; i < w->shown.m; i++) {
        double v = column_value(x, w->shown.rows[i]);
        r.whole = r.whole && v == floor(v) && isfinite(v);
        if (isfinite(v)) {
            r.low = fmin(r.low, v);
            r.high = fmax(r.high, v);
        }
    }
    if (r.low > r.high)
        r = (struct range){0, 0, false};
    return r;
}

/* The difference to the lowest value: whole numbers of one, two or four bytes, others as floats. */
static int write_values(struct work *w, const struct column *x, int number)
{
    char what[SECTION_NAME];
    struct range r = find_range(w, x);
    int64_t mark = call_mark(&w->call), m = w->shown.m;
    bool real = !r.whole || r.high - r.low > UINT32_MAX;
    int bytes = real || r.high - r.low > STEPS ? 4 : r.high - r.low > 255 ? 2 : 1;
    unsigned char *values = take(w, bytes * m);
    if (!values)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < m; i++) {
        double v = column_value(x, w->shown.rows[i]);
        uint32_t item;
        float above = (float)(v - r.low);
        if (real)
            memcpy(&item, &above, sizeof item);
        else
            item = (uint32_t)(v - r.low);
        for (int k = 0; k < bytes; k++)
            values[k * m + i] = (unsigned char)(item >> 8 * k);
    }
    json_append(json_get(w->json, "attributes"),
                json_pack("{s:o,s:f,s:f,s:i,s:b}", "name", view_cloud_text(x->name), "low", r.low,
                          "high", r.high, "bytes", bytes, "real", real));
    snprintf(what, sizeof what, "a%d", number);
    int code = put(w, what, values, bytes * m);
    call_reset(&w->call, mark);
    return code;
}

static int write_attributes(struct work *w)
{
    size_t len;
    int n = 0;
    json_set(w->json, "attributes", json_array());
    const struct column *x = cloud_attribute(w->cloud, "intensity");
    if (column_is_single(x))
        TRY(write_values(w, x, n++));
    for (const char *rest = w->view->attributes, *item;
         (item = option_string_item(&rest, &len, ','));) {
        char *name = call_print(&w->call, "%.*s", (int)len, item);
        if (!name)
            return GLT_ENOMEM;
        if (!strcmp(name, "intensity") && n)
            continue;
        TRY(cloud_single(&x, w->cloud, name));
        TRY(write_values(w, x, n++));
    }
    return 0;
}

/* --- the whole cloud --- */

static const char *base_name(const struct glt_cloud *c)
{
    const char *path = cloud_name(c), *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* The name that gelatto patch may write the corrected cloud to: of the same format, if that is
 * written and holds labels. */
static struct json *corrected_name(struct call *call, const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot ? (size_t)(dot - name) : strlen(name);
    size_t size = strlen(name) + sizeof "corrected-.ply";
    char *text = call_alloc(call, size, 1);
    if (text && format_holds_labels(name))
        snprintf(text, size, "corrected-%s", name);
    else if (text)
        snprintf(text, size, "corrected-%.*s.ply", (int)stem, name);
    return text ? view_cloud_text(text) : NULL;
}

static int write_all(struct work *w)
{
    char digest[DIGEST_SIZE];
    TRY(shown_digest(digest, w->cloud));
    TRY(shown_find(&w->shown, &w->call, w->cloud, w->view->points));
    json_set(w->json, "name", view_cloud_text(base_name(w->cloud)));
    json_set(w->json, "corrected", corrected_name(&w->call, base_name(w->cloud)));
    json_set(w->json, "digest", json_string(digest));
    json_set(w->json, "points", json_integer(w->cloud->n));
    json_set(w->json, "shown", json_integer(w->shown.m));
    json_set(w->json, "maximum", json_integer(w->view->points));
    TRY(write_positions(w));
    TRY(write_rows(w));
    TRY(write_colours(w));
    TRY(write_labels(w));
    TRY(write_confidence(w));
    return write_attributes(w);
}

int view_cloud_write(struct json **out, struct file *f, const struct view_cloud *v)
{
    struct work w = {.file = f, .view = v, .cloud = v->cloud, .json = json_object()};
    int code = w.json ? write_all(&w) : GLT_ENOMEM;
    classes_free(&w.classes);
    call_free(&w.call);
    if (code < 0)
        json_free(w.json);
    else
        *out = w.json;
    return code;
}
