/* What shows when the clouds of a set are compared: copies, axes that were swapped, units and
 * densities that do not match. Medians are of the set; a cloud is odd when it is far from them. */
#include "task/check.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Clouds a median means something for; factors beyond which a cloud is no ordinary one. */
enum { FEW = 4 };
static const double unit_factor = 50, density_factor = 8, axis_factor = 2;

static int by_digest(const void *a, const void *b)
{
    const struct check_cloud *x = *(struct check_cloud *const *)a,
                             *y = *(struct check_cloud *const *)b;
    int order = strcmp(x->digest, y->digest);
    return order ? order : (x > y) - (x < y);
}

static void tell_duplicates(struct check *c, const struct check_cloud **sorted, int32_t n)
{
    qsort(sorted, (size_t)n, sizeof *sorted, by_digest);
    for (int32_t i = 1; i < n; i++) {
        const struct check_cloud *a = sorted[i - 1], *b = sorted[i];
        if (strcmp(a->digest, b->digest))
            continue;
        const struct entry *e = &c->data->split[a->split].list[a->item];
        const struct entry *f = &c->data->split[b->split].list[b->item];
        if (a->split != b->split)
            check_say(c, "duplicates", CHECK_FAULT,
                      "%s (%s, %s): has the points of %s (%s, %s); remove it from one of the "
                      "splits, or the result means nothing",
                      f->path, f->name, split_name(b->split), e->path, e->name,
                      split_name(a->split));
        else
            check_say(c, "duplicates", CHECK_FAULT,
                      "%s (%s): has the points of %s (%s); remove one of them", f->path, f->name,
                      e->path, e->name);
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
        return "millimetres: gelatto convert --scale 0.001";
    if (ratio > 30)
        return "centimetres: gelatto convert --scale 0.01";
    return ratio < 1.0 / 300 ? "kilometres: gelatto convert --scale 1000"
                             : "another unit: gelatto convert --scale FACTOR";
}

/* A cloud against the rest: true if it was told to be odd. */
static bool tell_units(struct check *c, const struct check_cloud *x, double widest)
{
    double ratio = widest > 0 ? value_of(c, x, WIDEST) / widest : 1;
    if (ratio < unit_factor && ratio > 1 / unit_factor)
        return false;
    check_say(c, "units", CHECK_FAULT,
              "%s: %.3g wide, where the set's median is %.3g; it may be in %s", check_path(c, x),
              value_of(c, x, WIDEST), widest, unit_guess(ratio));
    return true;
}

/* Rooms are as high as each other: one whose height fits another axis was turned over. */
static bool tell_axes(struct check *c, const struct check_cloud *x, double height)
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
        check_say(c, "columns", CHECK_FAULT,
                  "%s: %.3g high and %.3g along %c, where the set's median height is %.3g; the "
                  "columns %c and %c look swapped: gelatto convert --up %c if it points up, else "
                  "put them in order",
                  check_path(c, x), x->extent[up], x->extent[k], axes[k], height, axes[k], axes[up],
                  axes[k]);
        return true;
    }
    return false;
}

static void tell_density(struct check *c, const struct check_cloud *x, double spacing)
{
    double ratio = spacing > 0 && x->spacing > 0 ? x->spacing / spacing : 1;
    if (ratio < density_factor && ratio > 1 / density_factor)
        return;
    check_say(c, "density", CHECK_NOTE,
              "%s: points are %.3g apart, where the set's median is %.3g; %s", check_path(c, x),
              x->spacing, spacing,
              ratio > 1 ? "a thinner cloud is hard to label: scan or sample it denser"
                        : "thin it out, or it counts for many (gelatto convert --subsample)");
}

/* All clouds in the same wrong unit show in the radius. */
static bool tell_scale(struct check *c, double spacing)
{
    double radius = c->data->config.network.radius[0], ratio = spacing / radius;
    if (c->data->task != TASK_SEGMENT || spacing <= 0 || (ratio < 10 && ratio > 1e-3))
        return false;
    check_say(c, "units", CHECK_FAULT,
              "%s: points are %.3g apart and the first balls have a radius of %g; the coordinates "
              "may be in %s, or set radius and block to fit",
              c->data->path, spacing, radius,
              ratio > 1 ? unit_guess(ratio * 10) : "kilometres: gelatto convert --scale 1000");
    return true;
}

void check_set(struct check *c)
{
    const struct check_cloud **list = memory_alloc((size_t)c->n, sizeof *list);
    double *scratch = memory_alloc((size_t)c->n, sizeof *scratch);
    int32_t n = 0;
    for (int32_t i = 0; list && scratch && i < c->n; i++)
        if (c->clouds[i].loaded && !c->clouds[i].told)
            list[n++] = &c->clouds[i];
    if (n > 0) {
        double height = median_of(c, list, n, EXTENT_UP, scratch);
        double widest = median_of(c, list, n, WIDEST, scratch);
        double spacing = median_of(c, list, n, SPACING, scratch);
        check_say(c, "density", CHECK_NOTE, "points are %.3g apart (median of %d clouds)", spacing,
                  n);
        bool scaled = tell_scale(c, spacing);
        bool scenes = c->data->task == TASK_SEGMENT && n >= FEW && !scaled;
        for (int32_t i = 0; i < n && scenes; i++) {
            /* one cause, one message */
            if (!tell_units(c, list[i], widest) && !tell_axes(c, list[i], height))
                tell_density(c, list[i], spacing);
        }
        tell_duplicates(c, list, n);
    }
    memory_free(list);
    memory_free(scratch);
}
