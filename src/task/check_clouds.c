/* The clouds of a dataset: see check_clouds.h. */
#include "task/check_clouds.h"

#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "sampling/item.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 128 };
static const double repeated_max = 0.05;

static double distance2(const float *a, const float *b)
{
    double dx = (double)a[0] - (double)b[0], dy = (double)a[1] - (double)b[1],
           dz = (double)a[2] - (double)b[2];
    return dx * dx + dy * dy + dz * dz;
}

/* The distance to the nearest other point: rows are sorted by x, so the walk ends when x alone is
 * farther. */
static double nearest(const struct item *x, int32_t i)
{
    const float *p = x->xyz + 3 * (int64_t)i;
    double best = INFINITY;
    for (int direction = -1; direction <= 1; direction += 2) {
        for (int64_t j = (int64_t)i + direction; j >= 0 && j < x->n; j += direction) {
            const float *q = x->xyz + 3 * j;
            double dx = (double)q[0] - (double)p[0], d2;
            if (dx * dx >= best)
                break;
            d2 = distance2(p, q);
            if (d2 > 0 && d2 < best)
                best = d2;
        }
    }
    return sqrt(best);
}

static double median_spacing(const struct item *x)
{
    double found[PROBES];
    int n = 0;
    int probes = x->n < PROBES ? x->n : PROBES;
    for (int k = 0; k < probes; k++) {
        double d = nearest(x, (int32_t)((int64_t)k * x->n / probes));
        if (isfinite(d))
            found[n++] = d;
    }
    return check_median(found, n);
}

static int digest_item(char hex[DIGEST_SIZE], const struct item *x)
{
    struct digest *d = NULL;
    TRY(digest_begin(&d));
    digest_add(d, x->xyz, (size_t)x->n * 3 * sizeof *x->xyz);
    if (x->features)
        digest_add(d, x->features, (size_t)x->n * (size_t)x->extra * sizeof *x->features);
    digest_end(hex, d);
    return 0;
}

static void measure(struct check_cloud *y, const struct item *x)
{
    float low[3], high[3];
    memcpy(low, x->xyz, sizeof low);
    memcpy(high, x->xyz, sizeof high);
    for (int64_t i = 0; i < x->n; i++) {
        for (int k = 0; k < 3; k++) {
            float v = x->xyz[3 * i + k];
            low[k] = v < low[k] ? v : low[k];
            high[k] = v > high[k] ? v : high[k];
        }
    }
    for (int k = 0; k < 3; k++)
        y->extent[k] = (double)high[k] - (double)low[k];
    y->spacing = median_spacing(x);
}

/* Whole numbers from 0 to 255 on all three axes, like colours. */
static bool looks_like_colours(const struct item *x, const struct check_cloud *y)
{
    for (int k = 0; k < 3; k++)
        if (y->extent[k] < 32)
            return false;
    for (int64_t i = 0; i < x->n; i++) {
        for (int k = 0; k < 3; k++) {
            double v = (double)x->xyz[3 * i + k] + x->origin[k];
            if (v < 0 || v > 255 || v != floor(v))
                return false;
        }
    }
    return true;
}

static void look_at_points(struct check *c, struct check_cloud *y, const struct item *x)
{
    const char *path = check_path(c, y);
    int64_t repeated = 0;
    for (int64_t i = 1; i < x->n; i++)
        repeated += distance2(x->xyz + 3 * i, x->xyz + 3 * (i - 1)) == 0;
    if (x->rows > x->n)
        check_say(c, "points", CHECK_NOTE, path,
                  "%" PRId64 " of %" PRId64
                  " points have coordinates that are not finite; they are left out: remove them",
                  x->rows - x->n, x->rows);
    if (x->step > 0)
        check_say(c, "columns", CHECK_NOTE, path,
                  "coordinates are 32-bit floats of steps of %.3g: export doubles, or shift "
                  "before saving",
                  (double)x->step);
    if ((double)repeated > repeated_max * (double)x->n)
        check_say(c, "points", CHECK_NOTE, path,
                  "%" PRId64 " of %d points coincide with another one; remove repeated points",
                  repeated, x->n);
    y->wrong = c->data->task == TASK_SEGMENT && looks_like_colours(x, y);
    if (y->wrong)
        check_say(c, "columns", CHECK_ERROR, path,
                  "x, y and z are whole numbers from 0 to 255, as colours are; put the columns "
                  "in order");
    if (!x->labels && c->data->task != TASK_CLASSIFY)
        check_say(c, "labels", CHECK_ERROR, path,
                  "its points have no labels; add an attribute `label`");
}

static int look(struct check *c, struct check_cloud *y)
{
    const struct item *x;
    int code = dataset_take(&x, c->data, y->split, y->item);
    if (code == GLT_ENOMEM)
        return code;
    if (code < 0) {
        bool labels = glt_error_topic() == GLT_TOPIC_LABELS;
        check_failure(c, labels ? "labels" : "unreadable", check_path(c, y));
        c->unreadable++;
        return 0;
    }
    y->loaded = true;
    measure(y, x);
    code = digest_item(y->digest, x);
    if (code == 0)
        look_at_points(c, y, x);
    dataset_give(c->data, y->split, y->item);
    return code;
}

int check_clouds(struct check *c)
{
    int32_t at = 0;
    for (int s = 0; s < SPLITS; s++) {
        for (int32_t i = 0; i < c->data->split[s].n; i++, at++) {
            c->clouds[at].split = (enum split)s;
            c->clouds[at].item = i;
            TRY(look(c, &c->clouds[at]));
        }
    }
    return 0;
}

/* --- in comparison: a cloud is unusual when it is far from the medians of the dataset --- */

/* Minimum clouds for a meaningful median; factors beyond which a cloud is unusual. */
enum { FEW = 4 };
static const double unit_factor = 50, density_factor = 8, axis_factor = 2;

static int by_digest(const void *a, const void *b)
{
    const struct check_cloud *x = *(struct check_cloud *const *)a,
                             *y = *(struct check_cloud *const *)b;
    int order = strcmp(x->digest, y->digest);
    return order ? order : (x > y) - (x < y);
}

static void report_duplicates(struct check *c, const struct check_cloud **sorted, int32_t n)
{
    qsort(sorted, (size_t)n, sizeof *sorted, by_digest);
    for (int32_t i = 1; i < n; i++) {
        const struct check_cloud *a = sorted[i - 1], *b = sorted[i];
        if (strcmp(a->digest, b->digest))
            continue;
        const struct entry *e = &c->data->split[a->split].list[a->item];
        const struct entry *f = &c->data->split[b->split].list[b->item];
        if (a->split != b->split)
            check_say(c, "duplicates", CHECK_ERROR, f->path,
                      "%s of %s has the same points as %s of %s (%s); remove it from one of the "
                      "splits, or the scores mean nothing",
                      f->name, dataset_split_name(b->split), e->name, dataset_split_name(a->split),
                      e->path);
        else
            check_say(c, "duplicates", CHECK_ERROR, f->path,
                      "%s has the same points as %s (%s); remove one of them", f->name, e->name,
                      e->path);
    }
}

enum { EXTENT_UP, WIDEST, SPACING };

static double value_of(const struct check *c, const struct check_cloud *x, int what)
{
    if (what == SPACING)
        return x->spacing;
    if (what == EXTENT_UP)
        return x->extent[c->data->up];
    return fmax(x->extent[0], fmax(x->extent[1], x->extent[2]));
}

static double median_of(const struct check *c, const struct check_cloud **list, int32_t n, int what,
                        double *scratch)
{
    for (int32_t i = 0; i < n; i++)
        scratch[i] = value_of(c, list[i], what);
    return check_median(scratch, n);
}

static const char *unit_guess(double ratio)
{
    if (ratio > 300)
        return "millimetres: scale it by 0.001";
    if (ratio > 30)
        return "centimetres: scale it by 0.01";
    return ratio < 1.0 / 300 ? "kilometres: scale it by 1000" : "another unit: scale it";
}

/* Compares a cloud with the rest: true if it was reported as unusual. */
static bool report_units(struct check *c, const struct check_cloud *x, double widest)
{
    double width = value_of(c, x, WIDEST); /* 0: one point, which says nothing */
    double ratio = widest > 0 && width > 0 ? width / widest : 1;
    if (ratio < unit_factor && ratio > 1 / unit_factor)
        return false;
    check_say(c, "units", CHECK_ERROR, check_path(c, x),
              "%.3g wide, but the median of the dataset is %.3g; it may be in %s", width, widest,
              unit_guess(ratio));
    return true;
}

/* Rooms have similar heights: if one has that height along another axis, it was turned over. */
static bool report_axes(struct check *c, const struct check_cloud *x, double height)
{
    static const char axes[] = "xyz";
    int up = c->data->up;
    double ratio = x->extent[up] / height;
    if (!(height > 0) || ratio < axis_factor)
        return false;
    for (int k = 0; k < 3; k++) {
        double other = x->extent[k] / height;
        if (k == up || other > 1.3 || other < 1 / 1.3)
            continue;
        check_say(c, "columns", CHECK_ERROR, check_path(c, x),
                  "%.3g high and %.3g along %c, but the median height of the dataset is %.3g; the "
                  "columns %c and %c look swapped: turn the cloud if %c points up, else "
                  "put them in order",
                  x->extent[up], x->extent[k], axes[k], height, axes[k], axes[up], axes[k]);
        return true;
    }
    return false;
}

static void report_density(struct check *c, const struct check_cloud *x, double spacing)
{
    double ratio = spacing > 0 && x->spacing > 0 ? x->spacing / spacing : 1;
    if (ratio < density_factor && ratio > 1 / density_factor)
        return;
    check_say(c, "density", CHECK_NOTE, check_path(c, x),
              "points are %.3g apart, but the median of the dataset is %.3g; %s", x->spacing,
              spacing,
              ratio > 1 ? "a thinner cloud is hard to label: scan or sample it denser"
                        : "thin it out, or it gets too much weight");
}

/* If all clouds are in the same wrong unit, the radius reveals it. */
static bool report_scale(struct check *c, double spacing)
{
    double radius = c->config.network.radius[0], ratio = spacing / radius;
    if (c->data->task != TASK_SEGMENT || spacing <= 0 || (ratio < 10 && ratio > 1e-3))
        return false;
    check_say(c, "units", CHECK_ERROR, c->data->path,
              "points are %.3g apart and the first balls have a radius of %g; the coordinates "
              "may be in %s, or set radius and block to fit",
              spacing, radius, ratio > 1 ? unit_guess(ratio * 10) : "kilometres: scale it by 1000");
    return true;
}

int check_compare(struct check *c)
{
    const struct check_cloud **list = call_alloc(&c->call, (size_t)c->n, sizeof *list);
    double *scratch = call_alloc(&c->call, (size_t)c->n, sizeof *scratch);
    int32_t n = 0;
    if (!list || !scratch)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n; i++)
        if (c->clouds[i].loaded && !c->clouds[i].wrong)
            list[n++] = &c->clouds[i];
    if (n == 0)
        return 0;
    double height = median_of(c, list, n, EXTENT_UP, scratch);
    double widest = median_of(c, list, n, WIDEST, scratch);
    double spacing = median_of(c, list, n, SPACING, scratch);
    check_say(c, "density", CHECK_NOTE, "", "points are %.3g apart (median of %d cloud%s)", spacing,
              n, string_plural(n));
    bool scaled = report_scale(c, spacing);
    bool scenes = c->data->task == TASK_SEGMENT && n >= FEW && !scaled;
    for (int32_t i = 0; i < n && scenes; i++) {
        /* one cause, one message */
        if (!report_units(c, list[i], widest) && !report_axes(c, list[i], height))
            report_density(c, list[i], spacing);
    }
    report_duplicates(c, list, n);
    return 0;
}
