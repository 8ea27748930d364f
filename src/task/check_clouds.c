/* Each cloud by itself: whether it can be read, and what its points are like. */
#include "task/check.h"

#include "core/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PROBES = 128 };
static const double most_repeated = 0.05;

static double distance2(const float *a, const float *b)
{
    double dx = (double)a[0] - (double)b[0], dy = (double)a[1] - (double)b[1],
           dz = (double)a[2] - (double)b[2];
    return dx * dx + dy * dy + dz * dz;
}

/* To the nearest point elsewhere: rows are sorted by x, so the walk ends where x alone is farther.
 */
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

/* Whole numbers from 0 to 255 on all three axes, as colours are. */
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
        check_say(c, "points", CHECK_NOTE,
                  "%s: %" PRId64 " of %" PRId64
                  " points have coordinates that are not finite; they are left out: remove them",
                  path, x->rows - x->n, x->rows);
    if (x->step > 0)
        check_say(c, "columns", CHECK_NOTE,
                  "%s: coordinates are 32-bit floats of steps of %.3g: export doubles, or shift "
                  "before saving",
                  path, (double)x->step);
    if ((double)repeated > most_repeated * (double)x->n)
        check_say(c, "points", CHECK_NOTE,
                  "%s: %" PRId64 " of %d points lie where another one is; remove repeated points",
                  path, repeated, x->n);
    y->told = c->data->task == TASK_SEGMENT && looks_like_colours(x, y);
    if (y->told)
        check_say(c, "columns", CHECK_FAULT,
                  "%s: x, y and z are whole numbers from 0 to 255, as colours are; put the columns "
                  "in order (gelatto convert --columns names them)",
                  path);
    if (!x->labels && c->data->task != TASK_CLASSIFY)
        check_say(c, "labels", CHECK_FAULT,
                  "%s: its points have no labels; add an attribute `label`", path);
}

static bool is_about_labels(const char *message)
{
    return strstr(message, ": label ") || strstr(message, " labels") || strstr(message, "class '");
}

static int look(struct check *c, struct check_cloud *y)
{
    const struct item *x;
    int code = dataset_take(&x, c->data, y->split, y->item);
    if (code == GLT_ENOMEM)
        return code;
    if (code < 0) {
        bool labels = is_about_labels(glt_error_message());
        check_say(c, labels ? "labels" : "unreadable", CHECK_FAULT, "%s", glt_error_message());
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
