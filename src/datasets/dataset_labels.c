/* Labels of files as classes of a dataset: see dataset_labels.h. */
#include "datasets/dataset_labels.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/labels.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/string.h"
#include "datasets/label_file.h"
#include "datasets/reviewed.h"
#include "formats/format.h"
#include "sampling/item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1024, LISTED_MAX = 10 };

int dataset_map_name(int32_t *class, const struct dataset *d, const char *name, const char *file)
{
    if (labels_class_named(class, &d->classes, name))
        return 0;
    return error_topic(
        error_in(GLT_EDATA, file,
                 "class '%s' is not one of the dataset's %d classes; map it to one of "
                 "them or to ignore",
                 name, d->classes.n),
        GLT_TOPIC_LABELS, name);
}

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The error that lists all labels without a class, with their numbers of points; sorts
 * `numbers` (n). */
static int refuse_numbers(const struct labels *l, int32_t *numbers, int32_t n, const char *file)
{
    char list[640] = "", more[32] = "";
    int32_t found = 0, class;
    qsort(numbers, (size_t)n, sizeof *numbers, by_value);
    for (int32_t i = 0, end; i < n; i = end) {
        const char *name = classes_name(l->named, numbers[i]);
        for (end = i + 1; end < n && numbers[end] == numbers[i];)
            end++;
        if (labels_class(&class, l, numbers[i]) || found++ >= LISTED_MAX)
            continue;
        size_t at = strlen(list);
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%d", at ? ", " : "", numbers[i]);
        if (name)
            at += (size_t)snprintf(list + at, sizeof list - at, " '%.24s'", name);
        snprintf(list + at, sizeof list - at, " (%d point%s)", end - i, string_plural(end - i));
    }
    if (found > LISTED_MAX)
        snprintf(more, sizeof more, " and %d more", found - LISTED_MAX);
    return error_topic(
        error_in(GLT_EDATA, file,
                 "labels that are not among the %d classes: %s%s; map them to classes or "
                 "ignore them (ignore: rest, all without a rule)",
                 l->classes->n, list, more),
        GLT_TOPIC_LABELS, NULL);
}

/* Sets x->labels from the numbers of the file's rows. Most files have few different ones: each is
 * looked up once. */
static int map_numbers(struct item *x, const struct labels *l, int32_t *raw, const char *file)
{
    int32_t number[TABLE], class[TABLE];
    bool seen[TABLE] = {false};
    for (int32_t i = 0; i < x->n; i++) {
        int32_t label = raw[x->row[i]];
        uint32_t at = (uint32_t)label % TABLE;
        if (!seen[at] || number[at] != label) {
            if (!labels_class(&class[at], l, label)) {
                for (i = 0; i < x->n; i++)
                    x->labels[i] = raw[x->row[i]];
                return refuse_numbers(l, x->labels, x->n, file);
            }
            number[at] = label;
            seen[at] = true;
        }
        x->labels[i] = class[at];
    }
    return 0;
}

/* Labels that people have reviewed, even if they were predicted at first. */
static int label_reviewed(struct item *x, const struct dataset *d, const struct entry *e,
                          const struct glt_cloud *c, const char *name)
{
    struct labels l = {
        .column = labels_column(c), .named = &c->classes, .classes = dataset_classes(d, e)};
    int32_t *raw = memory_alloc((size_t)c->n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    int code = raw && x->labels ? reviewed_numbers(raw, c, name) : GLT_ENOMEM;
    if (code == 0)
        code = map_numbers(x, &l, raw, name);
    memory_free(raw);
    return code;
}

/* Sets labels from the column of l (n rows); without a column, from the label file. */
static int label_rows(struct item *x, const struct labels *l, int64_t n, const char *file)
{
    int32_t *raw = memory_alloc((size_t)n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    int code = raw && x->labels ? 0 : GLT_ENOMEM;
    if (code == 0)
        code = l->column ? labels_numbers(raw, l->column, n, file) : label_file_read(raw, n, file);
    if (code == 0)
        code = map_numbers(x, l, raw, file);
    memory_free(raw);
    return code;
}

int dataset_label(struct item *x, const struct dataset *d, const struct entry *e,
                  const struct glt_cloud *c, const char *name)
{
    if (d->reviewed)
        return label_reviewed(x, d, e, c, name);
    struct labels l = labels_find(c, dataset_classes(d, e), true);
    x->predicted = l.predicted;
    if (l.predicted && d->scored)
        return error_topic(
            error_in(GLT_EDATA, name,
                     "its labels were predicted (they have a confidence), and there is no "
                     "ground truth to compare with; give the cloud that was labelled by hand"),
            GLT_TOPIC_LABELS, NULL);
    if (l.unnamed)
        return error_topic(error_in(GLT_EDATA, name, LABELS_UNNAMED), GLT_TOPIC_LABELS, NULL);
    return l.column ? label_rows(x, &l, c->n, name) : 0;
}

static int label_by_cloud(struct item *x, const struct dataset *d, const struct entry *e, int64_t n)
{
    const char *path = e->labels;
    const struct format_options how = {.vertices = true,
                                       .label_attribute = dataset_label_attribute(d)};
    struct glt_cloud *c;
    TRY(format_read(&c, path, &how));
    int code = c->n == n ? dataset_label(x, d, e, c, path) : label_file_refuse(path, c->n, n);
    if (code == 0 && !x->labels)
        code = error_topic(error_in(GLT_EDATA, path, "it has no attribute label"), GLT_TOPIC_LABELS,
                           NULL);
    cloud_free(c);
    return code;
}

int dataset_label_file(struct item *x, const struct dataset *d, const struct entry *e, int64_t n)
{
    static const struct classes none;
    if (label_file_is_cloud(e->labels))
        return label_by_cloud(x, d, e, n);
    struct labels l = {.named = &none, .classes = dataset_classes(d, e)};
    return label_rows(x, &l, n, e->labels);
}
