/* Describes a cloud, as text for people or as JSON for programs. All is collected once into a
 * summary, for two printers. The spacing is the median distance to the nearest other point, over a
 * seeded sample: of at least 8 points, and of more as long as they take a few hundred million
 * distances. */
#include "cloud/asprs.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "cloud/provenance.h"
#include "core/call.h"
#include "core/error.h"
#include "core/json.h"
#include "core/random.h"
#include "core/string.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUERIES = 256, LABELS = 65536 + 1 };

struct summary {
    struct bounds bounds;
    double spacing; /* NAN when there are not two points */
    double colour_scale;
    double step;            /* between coordinates that are too coarse; 0: they are fine */
    const char *label_name; /* NULL without labels */
    bool given;             /* false if a LAS file has one and the same for all points */
    int64_t labels[LABELS]; /* counts of -1 .. LABELS - 2 */
    int64_t other_labels;   /* outside this range */
};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distance from point i to the nearest other finite point of xyz (n, 3). */
static double nearest(const float *xyz, int64_t n, int64_t i)
{
    float best = INFINITY;
    const float *p = xyz + 3 * i;
    for (int64_t j = 0; j < n; j++) {
        float dx = xyz[3 * j] - p[0], dy = xyz[3 * j + 1] - p[1], dz = xyz[3 * j + 2] - p[2];
        float d = (dx * dx + dy * dy) + dz * dz;
        best = j != i && d < best ? d : best;
    }
    return sqrt((double)best);
}

static int find_spacing(struct call *call, double *out, const struct glt_cloud *c)
{
    double origin[3], found[QUERIES];
    int64_t n = c->n, queries = n > 0 ? 200000000 / n + 1 : 0;
    int kept = 0;
    *out = NAN;
    if (n < 2)
        return 0;
    float *xyz = call_alloc(call, (size_t)n, 3 * sizeof *xyz);
    if (!xyz)
        return GLT_ENOMEM;
    TRY(cloud_local(origin, xyz, c));
    struct random r = random_start(random_stream(0, 0, 0, RANDOM_CONVERT), 1);
    queries = queries > QUERIES ? QUERIES : queries < 8 ? 8 : queries;
    for (int64_t q = 0; q < queries; q++) {
        double d = nearest(xyz, n, (int64_t)(random_uniform(&r) * (double)n));
        if (isfinite(d))
            found[kept++] = d;
    }
    if (kept) {
        qsort(found, (size_t)kept, sizeof *found, compare);
        *out = found[kept / 2];
    }
    return 0;
}

static void count_labels(struct summary *s, const struct glt_cloud *c)
{
    const struct column *x = labels_column(c);
    if (!x)
        return;
    s->label_name = x->name;
    s->given = labels_given(c);
    for (int64_t i = 0; i < c->n; i++) {
        double v = column_value(x, i);
        if (v >= -1 && v < LABELS - 1 && v == floor(v))
            s->labels[(int)v + 1]++;
        else
            s->other_labels++;
    }
}

static int summarise(struct call *call, struct summary *s, const struct glt_cloud *c)
{
    TRY(cloud_bounds(&s->bounds, c));
    s->colour_scale = cloud_colour_scale(c);
    TRY(cloud_step(&s->step, c));
    count_labels(s, c);
    return find_spacing(call, &s->spacing, c);
}

static const char *scale_name(double scale)
{
    return scale == 1 ? "0..1" : scale == 1.0 / 255 ? "0..255" : "0..65535";
}

/* Smallest and largest value of a column; min > max if it has none. */
static void range_of(double *min, double *max, const struct column *x, int64_t n)
{
    int64_t items = column_items(x, n);
    *min = INFINITY;
    *max = -INFINITY;
    for (int64_t i = 0; i < items; i++) {
        double v = column_value(x, i);
        *min = v < *min ? v : *min;
        *max = v > *max ? v : *max;
    }
}

static struct json *three(const double v[3])
{
    return json_pack("[f, f, f]", v[0], v[1], v[2]);
}

/* A name as the file spells it. If it is not UTF-8, bytes that are not ASCII become U+FFFD; a very
 * long one is truncated. */
static struct json *name_json(const char *name)
{
    char text[1024];
    size_t len = 0;
    if (json_holds(name))
        return json_string(name);
    for (const char *p = name; *p && len < sizeof text - 3; p++)
        len += (size_t)sprintf(text + len, (unsigned char)*p < 0x80 ? "%c" : "\xEF\xBF\xBD", *p);
    return json_string(text);
}

static struct json *attributes_json(const struct glt_cloud *c)
{
    struct json *all = json_array();
    for (int32_t i = 0; i < c->n_columns; i++) {
        const struct column *x = &c->columns[i];
        double min, max;
        range_of(&min, &max, x, c->n);
        struct json *one = json_pack("{s:o, s:s, s:i}", "name", name_json(x->name), "type",
                                     type_name(x->type), "width", x->width);
        if (x->source)
            json_set(one, "source", name_json(x->source));
        if (min <= max && isfinite(min) && isfinite(max)) {
            json_set(one, "min", json_real(min));
            json_set(one, "max", json_real(max));
        }
        json_append(all, one);
    }
    return all;
}

static struct json *labels_json(const struct summary *s, const struct glt_cloud *c)
{
    struct json *all = json_array();
    for (int32_t i = 0; i < LABELS; i++) {
        if (!s->labels[i])
            continue;
        struct json *one = json_pack("{s:i, s:I}", "label", i - 1, "points", (int64_t)s->labels[i]);
        const char *name = labels_name(c, labels_column(c), i - 1);
        uint8_t rgb[3];
        if (name)
            json_set(one, "name", name_json(name));
        if (asprs_colour(rgb, name))
            json_set(one, "colour", json_pack("[i,i,i]", rgb[0], rgb[1], rgb[2]));
        json_append(all, one);
    }
    return all;
}

static bool has_provenance(const struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_comments; i++)
        if (provenance_comment(c->comments[i]))
            return true;
    return false;
}

/* {"version": .., "warnings": [..]} */
static struct json *provenance_json(const struct glt_cloud *c)
{
    struct json *all = json_object(), *warnings = json_array();
    for (int32_t i = 0; i < c->n_comments; i++) {
        const char *line = provenance_comment(c->comments[i]);
        size_t len = line ? strcspn(line, " ") : 0;
        if (!line)
            continue;
        char key[16];
        snprintf(key, sizeof key, "%.*s", (int)len, line);
        if (!strcmp(key, "warning"))
            json_append(warnings, name_json(line + len + 1));
        else
            json_set(all, key, name_json(line + len + 1));
    }
    json_set(all, "warnings", warnings);
    return all;
}

static int print_json(char **out, const struct summary *s, const struct glt_cloud *c)
{
    size_t len;
    struct json *root = json_pack("{s:s, s:I, s:I}", "format", c->format ? c->format : "none",
                                  "points", (int64_t)c->n, "finite", (int64_t)s->bounds.finite);
    json_set(root, "attributes", attributes_json(c));
    if (s->bounds.finite) {
        json_set(root, "min", three(s->bounds.min));
        json_set(root, "max", three(s->bounds.max));
    }
    if (isfinite(s->spacing))
        json_set(root, "spacing", json_real(s->spacing));
    if (s->step > 0)
        json_set(root, "step", json_real(s->step));
    if (s->colour_scale > 0)
        json_set(root, "colours", json_string(scale_name(s->colour_scale)));
    if (s->label_name)
        json_set(root, "labels", labels_json(s, c));
    if (s->given)
        json_set(root, "label_attribute", name_json(s->label_name));
    if (s->other_labels)
        json_set(root, "other_labels", json_integer(s->other_labels));
    struct json *elements = json_array();
    for (int32_t i = 0; i < c->n_elements; i++)
        json_append(elements, json_pack("{s:o, s:I}", "name", name_json(c->elements[i].name),
                                        "count", (int64_t)c->elements[i].n));
    json_set(root, "elements", elements);
    json_set(root, "comments", json_integer(c->n_comments));
    if (has_provenance(c))
        json_set(root, "provenance", provenance_json(c));
    int code = root ? json_print(out, &len, root) : GLT_ENOMEM;
    json_free(root);
    return code;
}

static void add_attributes(struct string *t, const struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++) {
        const struct column *x = &c->columns[i];
        double min, max;
        range_of(&min, &max, x, c->n);
        string_add(t, "  %-20s %-4s", x->name, type_name(x->type));
        if (x->start)
            string_add(t, " list");
        else if (x->width > 1)
            string_add(t, " x %d", x->width);
        if (min <= max)
            string_add(t, "  %.10g .. %.10g", min, max);
        if (x->source)
            string_add(t, "  (%s)", x->source);
        string_add(t, "\n");
    }
}

static void add_provenance(struct string *t, const struct glt_cloud *c)
{
    bool first = true;
    for (int32_t i = 0; i < c->n_comments; i++) {
        const char *line = provenance_comment(c->comments[i]);
        int len = line ? (int)strcspn(line, " ") : 0;
        if (!line)
            continue;
        string_add(t, "%s  %-9.*s %s\n", first ? "provenance\n" : "", len, line, line + len + 1);
        first = false;
    }
}

static int print_text(char **out, const struct summary *s, const struct glt_cloud *c)
{
    struct string t = {0};
    const struct bounds *b = &s->bounds;
    string_add(&t, "format      %s\npoints      %" PRId64 "\n", c->format ? c->format : "none",
               c->n);
    if (b->finite < c->n)
        string_add(&t, "not finite  %" PRId64 "\n", c->n - b->finite);
    if (b->finite) {
        string_add(&t, "min         %.10g %.10g %.10g\n", b->min[0], b->min[1], b->min[2]);
        string_add(&t, "max         %.10g %.10g %.10g\n", b->max[0], b->max[1], b->max[2]);
        string_add(&t, "extent      %.6g %.6g %.6g\n", b->max[0] - b->min[0], b->max[1] - b->min[1],
                   b->max[2] - b->min[2]);
    }
    if (isfinite(s->spacing))
        string_add(&t, "spacing     %.4g (median distance to the nearest point)\n", s->spacing);
    if (s->step > 0)
        string_add(
            &t,
            "steps       %.4g: coordinates are 32-bit floats; export doubles, or shift before "
            "saving\n",
            s->step);
    if (s->colour_scale > 0)
        string_add(&t, "colours     %s\n", scale_name(s->colour_scale));
    for (int32_t i = 0; i < c->n_elements; i++)
        string_add(&t, "element     %s, %" PRId64 "\n", c->elements[i].name, c->elements[i].n);
    if (c->n_comments)
        string_add(&t, "comments    %d\n", c->n_comments);
    string_add(&t, "attributes\n");
    add_attributes(&t, c);
    if (s->label_name)
        string_add(&t, "%s%s\n", s->label_name,
                   s->given ? "" : " (no labels: the same in all points, and without a name)");
    for (int32_t i = 0; s->label_name && i < LABELS; i++) {
        if (!s->labels[i])
            continue;
        const char *name = labels_name(c, labels_column(c), i - 1);
        string_add(&t, "  %5d %-16.63s %12" PRId64 "  %5.1f %%\n", i - 1, name ? name : "",
                   s->labels[i], 100.0 * (double)s->labels[i] / (double)c->n);
    }
    if (s->other_labels)
        string_add(&t, "  others                 %12" PRId64 "\n", s->other_labels);
    add_provenance(&t, c);
    return string_take(out, &t);
}

static int print(struct call *call, char **out, const struct glt_cloud *c, bool json)
{
    struct summary *s = call_alloc(call, 1, sizeof *s);
    if (!s)
        return GLT_ENOMEM;
    TRY(summarise(call, s, c));
    return json ? print_json(out, s, c) : print_text(out, s, c);
}

int glt_cloud_info(char **out, const struct glt_cloud *c, int json)
{
    REQUIRE(out, c);
    struct call call = {0};
    int code = print(&call, out, c, json != 0);
    call_free(&call);
    return code;
}
