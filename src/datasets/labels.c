/* Labels of clouds as classes of a data set: by name wherever a file names its numbers. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/memory.h"
#include "datasets/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TABLE = 1024, TELL_MOST = 10 };

const struct column *label_column(const struct glt_cloud *c)
{
    static const char *const names[] = {"label",    "labels",        "class",
                                        "semantic", "sem_label",     "semantic_label",
                                        "category", "classification"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct column *x = cloud_attribute(c, names[i]);
        if (x && !x->start && x->width == 1)
            return x;
    }
    return NULL;
}

/* Every LAS point has a classification: where all are alike and unnamed, nobody classified them. */
const struct column *label_given(const struct glt_cloud *c)
{
    const struct column *x = label_column(c);
    if (!x || strcmp(x->name, "classification") || c->n == 0)
        return x;
    double first = column_value(x, 0);
    for (int64_t i = 1; i < c->n; i++)
        if (column_value(x, i) != first)
            return x;
    return classes_name(&c->classes, (int32_t)first) ? x : NULL;
}

bool label_is_las(const struct glt_cloud *c, const struct column *label)
{
    return c->format && !strcmp(c->format, "las") && !strcmp(label->name, "classification");
}

/* --- numbers --- */

int label_number(int32_t *out, double value, int64_t point, const char *file)
{
    bool whole = value >= INT32_MIN && value <= INT32_MAX && value == floor(value);
    if (!whole && !isnan(value)) /* a rounded one would be some class or other */
        return error_set(GLT_EDATA,
                         "%s: point %" PRId64 " has label %g; give whole numbers up to %d, and "
                         "-1 or NaN where there is no label",
                         file, point, value, INT32_MAX);
    *out = whole ? (int32_t)value : -1;
    return 0;
}

int label_numbers(int32_t *dst, const struct column *x, int64_t n, const char *file)
{
    for (int64_t i = 0; i < n; i++)
        TRY(label_number(&dst[i], column_value(x, i), i, file));
    return 0;
}

/* --- classes --- */

/* The class of a label that no rule names: that of its name, else that of its number; -1: ignored.
 * False: none of them. */
static bool own_class(int32_t *class, const struct dataset *d, int32_t number, const char *name)
{
    if (name) {
        *class = classes_find(&d->classes, name);
        return *class >= 0;
    }
    bool ignored = number < 0 || d->classes.numbers == NUMBERS_IGNORED;
    *class = ignored ? -1 : number;
    return ignored || (number < d->classes.n && d->classes.numbers == NUMBERS_ARE_PLACES);
}

static bool rest_class(int32_t *class, const struct dataset *d)
{
    if (d->classes.has_rest)
        *class = d->classes.labels[classes_label(&d->classes, LABEL_REST)].class;
    return d->classes.has_rest;
}

int dataset_map_name(int32_t *class, const struct dataset *d, const char *name, const char *file)
{
    int32_t rule = classes_label(&d->classes, name);
    if (rule < d->classes.n_labels)
        *class = d->classes.labels[rule].class;
    else if (!own_class(class, d, 0, name) && !rest_class(class, d))
        return error_set(GLT_EDATA,
                         "%s: class '%s' is not one of the data set's %d classes; map it to one of "
                         "them or to ignore",
                         file, name, d->classes.n);
    return 0;
}

/* The class of a label number of a file, which calls it `name` (NULL: it does not); false if it has
 * none. */
static bool map_label(int32_t *class, const struct dataset *d, int32_t number, const char *name)
{
    const struct classes *c = &d->classes;
    int32_t rule = classes_number(c, number), named = name ? classes_label(c, name) : rule;
    rule = named < rule ? named : rule;
    if (rule == c->n_labels)
        return own_class(class, d, number, name) || rest_class(class, d);
    *class = c->labels[rule].class;
    return true;
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* All labels of a file that have no class, and of how many points; sorts `labels` (n). */
static int refuse_labels(const struct dataset *d, int32_t *labels, int32_t n,
                         const struct classes *names, const char *file)
{
    char list[640] = "", more[32] = "";
    int32_t found = 0, class;
    qsort(labels, (size_t)n, sizeof *labels, by_value);
    for (int32_t i = 0, end; i < n; i = end) {
        const char *name = classes_name(names, labels[i]);
        for (end = i + 1; end < n && labels[end] == labels[i];)
            end++;
        if (map_label(&class, d, labels[i], name) || found++ >= TELL_MOST)
            continue;
        size_t at = strlen(list);
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%d", at ? ", " : "", labels[i]);
        if (name)
            at += (size_t)snprintf(list + at, sizeof list - at, " '%.24s'", name);
        snprintf(list + at, sizeof list - at, " (%d point%s)", end - i, end - i == 1 ? "" : "s");
    }
    if (found > TELL_MOST)
        snprintf(more, sizeof more, " and %d more", found - TELL_MOST);
    return error_set(GLT_EDATA,
                     "%s: labels that are none of the %d classes: %s%s; map them to classes or "
                     "ignore them (ignore: rest, all without a rule)",
                     file, d->classes.n, list, more);
}

static int refuse_unmapped(const struct item *x, const struct dataset *d, const int32_t *raw,
                           const struct classes *names, const char *file)
{
    int32_t *labels = memory_alloc((size_t)x->n, sizeof *labels);
    if (!labels)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < x->n; i++)
        labels[i] = raw[x->row[i]];
    int code = refuse_labels(d, labels, x->n, names, file);
    memory_free(labels);
    return code;
}

/* Most files have few numbers: each is looked up once. */
int dataset_map_labels(struct item *x, const struct dataset *d, const int32_t *raw,
                       const struct classes *names, const char *file)
{
    int32_t number[TABLE], class[TABLE];
    bool seen[TABLE] = {false};
    for (int32_t i = 0; i < x->n; i++) {
        int32_t label = raw[x->row[i]];
        uint32_t at = (uint32_t)label % TABLE;
        if (!seen[at] || number[at] != label) {
            if (!map_label(&class[at], d, label, classes_name(names, label)))
                return refuse_unmapped(x, d, raw, names, file);
            number[at] = label;
            seen[at] = true;
        }
        x->labels[i] = class[at];
    }
    return 0;
}

static int label_by(struct item *x, const struct dataset *d, const struct glt_cloud *c,
                    const struct column *column, const char *name)
{
    bool truth = !strcmp(column->name, "truth");
    int code = 0;
    int32_t *raw = memory_alloc((size_t)c->n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    if (!raw || !x->labels)
        code = GLT_ENOMEM;
    if (code == 0)
        code = label_numbers(raw, column, c->n, name);
    for (int64_t i = 0; code == 0 && truth && i < c->n; i++)
        raw[i] = raw[i] == 255 && d->classes.n <= 255 ? -1 : raw[i]; /* none, in 8 bits */
    if (code == 0)
        code = dataset_map_labels(x, d, raw, &c->classes, name);
    memory_free(raw);
    return code;
}

const struct column *truth_column(bool *predicted, const struct glt_cloud *c,
                                  const struct column *label)
{
    const struct column *x = cloud_attribute(c, "truth");
    bool kept = x && !x->start && x->width == 1;
    *predicted = !kept && label && cloud_attribute(c, "confidence");
    return kept ? x : label;
}

/* Nobody classified a LAS file whose points are all of class 0, unless it or the data set says what
 * 0 is. */
static const struct column *label_of(const struct dataset *d, const struct glt_cloud *c)
{
    const struct column *x = label_column(c);
    if (!x || label_given(c))
        return x;
    return column_value(x, 0) != 0 || classes_number(&d->classes, 0) < d->classes.n_labels ? x
                                                                                           : NULL;
}

int dataset_check_truth(const struct item *x, const struct dataset *d, const char *name)
{
    if (x->predicted && d->scored)
        return error_set(GLT_EDATA,
                         "%s: its labels were predicted (they have a confidence), and there is no "
                         "truth to compare with: give the cloud that was labelled by hand",
                         name);
    return 0;
}

int dataset_label(struct item *x, const struct dataset *d, const struct glt_cloud *c,
                  const char *name)
{
    const struct column *truth = truth_column(&x->predicted, c, label_of(d, c));
    TRY(dataset_check_truth(x, d, name));
    return truth ? label_by(x, d, c, truth, name) : 0;
}
