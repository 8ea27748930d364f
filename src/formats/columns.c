/* Naming columns that the file does not name: by the caller's list, or by their values.
 *
 * The first three are coordinates. After them, in order: three columns of unit vectors are normals;
 * three of whole numbers 0..65535 (or reals 0..1) are colours; a column of whole numbers is the
 * label, a second one the instance; a column of other numbers is the intensity. The rest are called
 * c<number>.
 *
 * Seven columns of whole numbers may be x y z, colours and a label, or x y z, an intensity and
 * colours: a last column with many different values is a colour, one with few a label. */
#include "formats/columns.h"

#include "cloud/column.h"
#include "cloud/names.h"
#include "core/error.h"
#include "core/log.h"
#include "core/option_string.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOK = 1 << 16, /* rows examined, spread over the file */
    CLASSES = 64    /* with more different values, they are not classes */
};

struct look {
    double min, max;
    bool whole;
};

static int64_t stride_of(const struct glt_cloud *c)
{
    return c->n / LOOK + 1;
}

static struct look look_at(const struct glt_cloud *c, int32_t k)
{
    const struct column *x = &c->columns[k];
    struct look l = {INFINITY, -INFINITY, true};
    for (int64_t i = 0; i < c->n; i += stride_of(c)) {
        double v = column_value(x, i);
        l.min = v < l.min ? v : l.min;
        l.max = v > l.max ? v : l.max;
        l.whole = l.whole && v == floor(v);
    }
    return l;
}

/* True if at least nine rows in ten are vectors of length one. */
static bool are_normals(const struct glt_cloud *c, int32_t k)
{
    int64_t unit = 0, rows = 0;
    for (int64_t i = 0; i < c->n; i += stride_of(c), rows++) {
        double sum = 0;
        for (int32_t d = 0; d < 3; d++) {
            double v = column_value(&c->columns[k + d], i);
            sum += v * v;
        }
        unit += fabs(sum - 1) < 0.02;
    }
    return rows > 0 && unit * 10 >= rows * 9;
}

static bool are_colours(const struct glt_cloud *c, int32_t k)
{
    bool whole = true, unit = true;
    for (int32_t d = 0; d < 3; d++) {
        struct look l = look_at(c, k + d);
        whole = whole && l.whole && l.min >= 0 && l.max <= 65535;
        unit = unit && l.min >= 0 && l.max <= 1;
    }
    return c->n > 0 && (whole || unit);
}

/* Whether there are more different values than classes. Their size does not matter: 255 is often
 * the label of points without a class. */
static bool is_varied(const struct glt_cloud *c, int32_t k)
{
    double found[CLASSES];
    int n = 0;
    for (int64_t i = 0; i < c->n; i += stride_of(c)) {
        double v = column_value(&c->columns[k], i);
        int at = 0;
        while (at < n && found[at] != v)
            at++;
        if (at < n)
            continue;
        if (n == CLASSES)
            return true;
        found[n++] = v;
    }
    return false;
}

static int name_three(struct glt_cloud *c, int32_t k, const char *const names[3])
{
    for (int32_t d = 0; d < 3; d++)
        TRY(column_rename(&c->columns[k + d], names[d]));
    return 0;
}

/* x y z i r g b: an intensity may look like a colour, but then the label would too. */
static bool is_shifted(const struct glt_cloud *c, int32_t k, const char *file)
{
    if (c->n_columns - k != 4 || !are_colours(c, k + 1))
        return false;
    struct look last = look_at(c, k + 3);
    if (last.max <= CLASSES || last.min == last.max)
        return false;       /* a label, or a constant alpha */
    if (!are_colours(c, k)) /* so they can only be these three */
        return true;
    if (!is_varied(c, k + 3))
        return false;
    if (file)
        log_message(GLT_LOG_INFO,
                    "%s: the last four columns are taken for intensity, red, green, blue: the last "
                    "one has too many values for labels; name the columns if that is wrong",
                    file);
    return true;
}

int columns_guess(struct glt_cloud *c, int32_t k, const char *file)
{
    bool has_normals = false, has_colours = false, has_intensity = false;
    int labels = 0;
    while (k < c->n_columns) {
        bool three = c->n_columns - k >= 3;
        struct look l = look_at(c, k);
        char name[16];
        bool shifted = is_shifted(c, k, file);
        if (three && !has_normals && are_normals(c, k)) {
            has_normals = true;
            TRY(name_three(c, k, names_normal));
            k += 3;
            continue;
        }
        if (three && !has_colours && !shifted && are_colours(c, k)) {
            has_colours = true;
            TRY(name_three(c, k, names_rgb));
            k += 3;
            continue;
        }
        snprintf(name, sizeof name, "c%d", k);
        if (has_colours && l.min == 255 && l.max == 255) {
            TRY(column_rename(&c->columns[k], "alpha"));
        } else if (l.whole && l.min >= -1 && l.max <= INT32_MAX && !shifted && labels < 2) {
            TRY(column_rename(&c->columns[k], labels ? "instance" : "label"));
            labels++;
        } else {
            TRY(column_rename(&c->columns[k], has_intensity ? name : "intensity"));
            has_intensity = true;
        }
        k++;
    }
    return 0;
}

int columns_name(struct glt_cloud *c, const char *names, const char *file)
{
    int32_t k = 0;
    size_t len;
    for (const char *rest = names, *item; (item = option_string_item(&rest, &len, ',')); k++) {
        char name[256];
        if (len == 0 || len >= sizeof name || *item == ' ')
            return error_topic(error_in(GLT_EARGUMENT, file,
                                        "columns \"%s\": name %d is empty, too long or begins with "
                                        "a blank",
                                        names, k + 1),
                               GLT_TOPIC_OPTION, "columns");
        if (k == c->n_columns)
            return error_topic(error_in(GLT_EDATA, file,
                                        "columns \"%s\" names more than the %d columns there are",
                                        names, c->n_columns),
                               GLT_TOPIC_OPTION, "columns");
        memcpy(name, item, len);
        name[len] = 0;
        TRY(column_rename(&c->columns[k], name));
    }
    if (k != c->n_columns)
        return error_topic(
            error_in(GLT_EDATA, file,
                     "columns \"%s\" names %d columns, but there are %d: name all, - skips "
                     "one",
                     names, k, c->n_columns),
            GLT_TOPIC_OPTION, "columns");
    cloud_remove_attribute(c, "-");
    return 0;
}

/* PTS, the text with a count, has its own order. */
int columns_guess_text(struct glt_cloud *c, bool counted, const char *file)
{
    if (counted && c->n_columns == 4)
        return columns_name(c, "x,y,z,intensity", file);
    if (counted && c->n_columns == 7)
        return columns_name(c, "x,y,z,intensity,red,green,blue", file);
    return columns_guess(c, 3, file);
}
