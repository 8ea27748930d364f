/* Labels of clouds as classes of a data set: by name wherever a file names its numbers. */
#include "core/error.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "io/cloud.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TABLE = 256 };

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
    char name[64];
    if (!x || strcmp(x->name, "classification") || c->n == 0)
        return x;
    double first = column_value(x, 0);
    for (int64_t i = 1; i < c->n; i++)
        if (column_value(x, i) != first)
            return x;
    return cloud_class_name(name, sizeof name, c, (int32_t)first) ? x : NULL;
}

/* Any numbers, in any order: a file need not name what it does not hold. */
static int names_of_comments(struct class_names *out, const struct glt_cloud *c)
{
    if (c->n_comments && !(out->list = memory_alloc((size_t)c->n_comments, sizeof *out->list)))
        return GLT_ENOMEM;
    for (int32_t i = 0; i < c->n_comments; i++) {
        struct class_name *x = &out->list[out->n];
        if (sscanf(c->comments[i], "class %9d", &x->number) == 1 &&
            cloud_class_name(x->name, sizeof x->name, c, x->number))
            out->n++;
    }
    return 0;
}

int class_names_of(struct class_names *out, const struct glt_cloud *c)
{
    struct class_names names = {0};
    int code = names_of_comments(&names, c);
    if (code < 0)
        memory_free(names.list);
    else
        *out = names;
    return code;
}

/* NULL if the file does not name the number. */
static const char *name_of(const struct class_names *names, int32_t number)
{
    for (int32_t i = 0; i < names->n; i++)
        if (names->list[i].number == number)
            return names->list[i].name;
    return NULL;
}

int dataset_map_label(int32_t *class, const struct dataset *d, int64_t number, const char *name,
                      const char *file)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    for (int32_t i = 0; i < d->n_map; i++) {
        if ((name && !strcasecmp(d->map[i].from, name)) || !strcmp(d->map[i].from, text)) {
            *class = d->map[i].to;
            return 0;
        }
    }
    *class = -1;
    if (number < 0)
        return 0;
    if (!name) {
        if (number >= d->n_classes)
            return error_set(GLT_EDATA,
                             "%s: label %" PRId64 " is out of range: the data set has classes 0 to "
                             "%d; map it to one of them or to ignore",
                             file, number, d->n_classes - 1);
        *class = (int32_t)number;
        return 0;
    }
    *class = dataset_class(d, name);
    if (*class < 0)
        return error_set(GLT_EDATA,
                         "%s: class '%s' is not one of the data set's %d classes; map it to one of "
                         "them or to ignore",
                         file, name, d->n_classes);
    return 0;
}

/* Most files have few numbers: each is looked up once. */
static int map_all(struct item *x, const struct dataset *d, const int32_t *raw,
                   const struct class_names *names, const char *file)
{
    int32_t known[TABLE];
    bool seen[TABLE] = {false};
    for (int32_t i = 0; i < x->n; i++) {
        int32_t number = raw[x->row[i]];
        bool small = number >= 0 && number < TABLE;
        if (small && seen[number]) {
            x->labels[i] = known[number];
            continue;
        }
        TRY(dataset_map_label(&x->labels[i], d, number, name_of(names, number), file));
        if (small) {
            known[number] = x->labels[i];
            seen[number] = true;
        }
    }
    return 0;
}

static int label_by(struct item *x, const struct dataset *d, const struct glt_cloud *c,
                    const struct column *column, const char *name)
{
    struct class_names names = {0};
    bool truth = !strcmp(column->name, "truth");
    TRY(class_names_of(&names, c));
    int code = 0;
    int32_t *raw = memory_alloc((size_t)c->n, sizeof *raw);
    x->labels = memory_alloc((size_t)x->n, sizeof *x->labels);
    if (!raw || !x->labels)
        code = GLT_ENOMEM;
    if (code == 0) {
        column_convert(raw, GLT_I32, 0, column, 0, c->n);
        for (int64_t i = 0; truth && i < c->n; i++)
            raw[i] = raw[i] == 255 && d->n_classes <= 255 ? -1 : raw[i]; /* none, in 8 bits */
        code = map_all(x, d, raw, &names, name);
    }
    memory_free(raw);
    memory_free(names.list);
    return code;
}

static const struct column *truth_column(const struct glt_cloud *c)
{
    const struct column *x = cloud_attribute(c, "truth");
    return x && !x->start && x->width == 1 ? x : NULL;
}

int dataset_label(struct item *x, const struct dataset *d, const struct glt_cloud *c,
                  const char *name)
{
    const struct column *truth = truth_column(c), *label = label_column(c);
    x->predicted = !truth && label && cloud_attribute(c, "confidence");
    if (x->predicted && d->scored)
        return error_set(GLT_EDATA,
                         "%s: its labels were predicted (they have a confidence), and there is no "
                         "truth to compare with: give the cloud that was labelled by hand",
                         name);
    return truth || label ? label_by(x, d, c, truth ? truth : label, name) : 0;
}
